import { type Address, parseUnits } from 'viem'
import { sumKnown } from '../src/domain/accounting/apportion.ts'
import type { Entry, EntryMovement } from '../src/domain/accounting/entry.ts'
import { poolFigures } from '../src/domain/accounting/pnl.ts'
import { runEntries } from '../src/domain/accounting/run.ts'
import { type Decimal, decimal, formatDecimal, fromRaw, sum, ZERO } from '../src/domain/decimal.ts'
import { type EvmAddress, evmAddress } from '../src/domain/evm-address.ts'
import type { Movement, WalletTransaction } from '../src/domain/transaction.ts'
import type { HistoryBook } from '../src/kinds/evm/history/book.ts'

/**
 * A token by its name in a test. `price`: USD per unit during the play. `had`: units that the wallet bought before the
 * play, at `paid` USD each. Without `decimals` it has 18.
 */
type Quote = { address: Address; price: string; decimals?: number; had?: string; paid?: string }

const DECIMALS = 18

/**
 * The books over what was read of a wallet, after it bought what the quotes say it had. `held`: `quantity at basis` by
 * name, NFTs included, and what lies in all positions together. `basis`: of all that, less what was received for debts. Gas is left out:
 * a test cannot work it out by hand.
 */
export function bookedCosts(
  book: HistoryBook,
  wallet: Address,
  quotes: Readonly<Record<string, Quote>>,
  found: readonly WalletTransaction[],
) {
  const owner = evmAddress(wallet)
  const named = new Map(Object.entries(quotes).map(([name, quote]) => [evmAddress(quote.address), { name, ...quote }]))

  function entryMovement(movement: Movement, paid?: string): EntryMovement {
    const token = movement.token as EvmAddress
    const quote = named.get(token)
    const places = movement.tokenId === null ? (quote?.decimals ?? DECIMALS) : 0
    const price = paid ?? quote?.price
    return {
      ...movement,
      quantity: fromRaw(movement.amountRaw, places),
      price: price === undefined || movement.tokenId !== null ? null : decimal(price),
      identity: token,
      rebasing: book.isRebasing(token),
    }
  }

  const bought = [...named.values()].flatMap(({ address, decimals = DECIMALS, had, paid }) => {
    if (had === undefined || paid === undefined) return []
    const amountRaw = parseUnits(had, decimals)
    const rest = { tokenId: null, counterparty: null, debt: false, leg: 0, treatment: 'acquire' } as const
    return [entryMovement({ token: evmAddress(address), amountRaw, ...rest }, paid)]
  })
  const of = { wallet: owner, chain: 'ethereum' }
  const opening: Entry = { ...of, time: 0, transaction: null, type: 'TRANSFERIN', protocol: null, movements: bought }
  const entries = found.map(
    ({ time, hash, type, protocol, movements }): Entry => ({
      ...{ ...of, time, transaction: hash, type, protocol },
      movements: movements.filter(({ treatment }) => treatment !== 'fee').map((movement) => entryMovement(movement)),
    }),
  )
  const { state } = runEntries([opening, ...entries])
  const totals = state.wallets.get(owner)
  if (!totals) throw new Error('the books know nothing of the wallet')
  const pools = poolFigures(state).filter(({ quantity }) => !quantity.eq(ZERO))
  const byPlace = Map.groupBy(pools, ({ debt, token, position }) => {
    const name = named.get(token as EvmAddress)?.name ?? token
    return [debt ? 'owed ' : '', name, position === null ? '' : ' in a position'].join('')
  })
  return {
    held: Object.fromEntries(
      [...byPlace].map(([place, own]) => {
        const basis = sumKnown(own.map((pool) => pool.basis))
        return [place, `${said(sum(own.map(({ quantity }) => quantity)))} at ${said(basis)}`]
      }),
    ),
    basis: said(sum(pools.map(({ debt, basis }) => (debt ? ZERO.minus(known(basis)) : known(basis))))),
    realised: said(totals.closedPnl),
    disposals: totals.disposals + Object.keys(totals.unknownDisposals).length,
    income: said(totals.income),
    flagged: state.pools.filter(({ flagged }) => flagged).map(({ token }) => named.get(token as EvmAddress)?.name),
  }
}

/** To 18 digits: shares of a quotient differ from it in the thirtieth. */
const said = (figure: Decimal | null) => (figure === null ? 'unknown' : formatDecimal(figure.round(DECIMALS)))

function known(basis: Decimal | null): Decimal {
  if (basis === null) throw new Error('a basis is unknown')
  return basis
}
