import { type Address, formatUnits, parseUnits } from 'viem'
import type { ContractDirectory } from '../src/chains/evm/decode/contract-directory.ts'
import { sumKnown } from '../src/domain/accounting/apportion.ts'
import type { Entry, EntryMovement } from '../src/domain/accounting/entry.ts'
import { poolFigures } from '../src/domain/accounting/pnl.ts'
import { type Decimal, decimal, formatDecimal, fromRaw, sum, ZERO } from '../src/domain/decimal.ts'
import { type EvmAddress, evmAddress } from '../src/domain/evm-address.ts'
import type { Position } from '../src/domain/position.ts'
import type { Movement, WalletTransaction } from '../src/domain/transaction.ts'
import { valueRead } from '../src/domain/valuation.ts'
import { walletPnl } from '../src/features/portfolio/wallet-figures.ts'
import { runEntries } from './run-entries.ts'

/** `price`: USD per unit during the play. `had`: units bought before it, at `paid` USD each. 18 decimals by default. */
export type Quote = { address: Address; price: string; decimals?: number; had?: string; paid?: string }

const DECIMALS = 18

type Setup = Parameters<typeof bookedState>

function bookedState(
  directory: ContractDirectory,
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
      rebasing: directory.isRebasing(token),
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
  return runEntries([opening, ...entries]).state
}

/**
 * Runs the lots after the wallet bought `had` of each quote. `held`: `quantity at basis` by name, with NFTs and the sum
 * of all positions. `basis`: of all that, less receipts for debts. Excludes gas, which a test cannot work out by hand.
 */
export function bookedCosts(...of: Setup) {
  const [, wallet, quotes] = of
  const state = bookedState(...of)
  const named = new Map(Object.entries(quotes).map(([name, { address }]) => [evmAddress(address), name]))
  const totals = state.wallets.get(evmAddress(wallet))
  if (!totals) throw new Error('the state has nothing of the wallet')
  const pools = poolFigures(state.pools).filter(({ quantity }) => !quantity.eq(ZERO))
  const byPlace = Map.groupBy(pools, ({ debt, token, position }) => {
    const name = named.get(token as EvmAddress) ?? token
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
    flagged: state.pools.filter(({ flagged }) => flagged).map(({ token }) => named.get(token as EvmAddress)),
  }
}

/** A holding as `bookedCosts` shows it. `cost`: USD per unit. */
export const lot = (amountRaw: bigint, cost: bigint, decimals = DECIMALS) =>
  `${formatUnits(amountRaw, decimals)} at ${formatUnits(cost * amountRaw, decimals)}`

/** Figures without a sale. Base units of 18 decimals, or USD as text. */
export const unsold = (basis: bigint | string, income: bigint | string = '0') => ({
  ...{ basis: usd(basis), income: usd(income), realised: '0', disposals: 0, flagged: [] },
})

const usd = (figure: bigint | string) => (typeof figure === 'string' ? figure : formatUnits(figure, DECIMALS))

/** Also shows what a wallet with nothing else lacks. Values use the quotes' prices. */
export function shownCosts(positions: readonly Position[], ...of: Setup) {
  const [, wallet, quotes] = of
  const chain = 'ethereum'
  const listed = Object.entries(quotes).map(([name, { address, price, decimals = DECIMALS }]) => {
    const token = { chain, address: evmAddress(address), symbol: name, name, decimals, listed: true }
    return { token, price: { chain, token: token.address, usd: decimal(price), source: 'override', confidence: 1 } }
  })
  const at = { chain, wallet: evmAddress(wallet), block: 0n, blockTime: 0, readAt: 0, holdings: [], gaps: [] }
  const [tokens, prices] = [listed.map(({ token }) => token), listed.map(({ price }) => price)]
  const read = valueRead({ ...at, positions: [...positions], tokens, prices })
  const pnl = walletPnl(
    { pools: poolFigures(bookedState(...of).pools), unknownDisposals: [], missing: [], chainGaps: [], gaps: [] },
    [read],
  )
  return {
    positions: read.positions.map((position) => {
      const { totalCostBasis, openPnl } = pnl.ofPosition(chain, position)
      return `cost ${said(totalCostBasis)}, open ${said(openPnl)}`
    }),
    lacks: pnl.leftOut().map(({ reason, contract }) => `${reason} ${contract}`),
  }
}

/** 18 digits: shares of a quotient differ from it in the thirtieth. */
const said = (figure: Decimal | null) => (figure === null ? 'unknown' : formatDecimal(figure.round(DECIMALS)))

function known(basis: Decimal | null): Decimal {
  if (basis === null) throw new Error('a basis is unknown')
  return basis
}
