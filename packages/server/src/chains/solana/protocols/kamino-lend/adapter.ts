import type { PositionDraft, TokenAmount } from '../../../../domain/position.ts'
import { NATIVE_SOL, type SolanaAddress } from '../../../../domain/solana-address.ts'
import { type AccountData, anchorLayout, openAccount, openExisting, places, struct } from '../../codec/account-data.ts'
import { addressBytes, programAddress } from '../../codec/address.ts'
import { readAccounts, searchAccounts } from '../account-reads.ts'
import type { PositionScope, SolanaAdapter } from '../adapter.ts'
import { healthFactor } from '../amounts.ts'
import { KAMINO_LEND, type KaminoReserve, kaminoReserve, RESERVE } from '../kamino-reserve.ts'

/** Offsets of version 8 of the SDK. `…Sf`: times 2^60. */
const OBLIGATION = anchorLayout('obligation of Kamino', KAMINO_LEND, 'VEdzkJnDweW', 3344)
const OWNER_OFFSET = 64
const obligationFields = struct({
  tag: ['u64', 8],
  market: ['key', 32],
  owner: ['key', OWNER_OFFSET],
  elevationGroup: ['u8', 2285],
})

const DEPOSITS = places({ from: 96, count: 8, size: 136 })
const depositFields = struct({ reserve: ['key', 0], amount: ['u64', 32] })

const BORROWS = places({ from: 1208, count: 5, size: 200 })
/** `cumulativeRate`: times 2^60. */
const borrowFields = struct({ reserve: ['key', 0], cumulativeRate: ['u256', 32], amountSf: ['u128', 88] })

const MARKET = anchorLayout('market of Kamino', KAMINO_LEND, 'iDqUHzx8skB', 4664)
/** `groups`: 32 of 72 bytes, counted from 1. */
const marketField = { groups: 200, groupSize: 72, groupThresholdPct: 4, name: 3248 } as const
const NAME_BYTES = 32

/** A plain obligation's address follows from the wallet. */
const MARKETS: readonly SolanaAddress[] = [
  '7u3HeHxYDLhnCoErrtycNokbQYbWGzLs6JSDqGAv5PfF',
  'DxXdAyU3kCjnyggvHmY5nAwg5cRbbmdyX3npfDMjjMek',
  'ByYiZxp8QrdN9qbdtaAiePN8AAr3qvTPppNJDpf5DVJ5',
  'BJnbcRHqvppTyGesLzWASGKnmnF1wq9jZu6ExrjT7wvF',
  'H6rHXmXoCQvq8Ue81MqNh7ow5ysPa1dSozwW3PU1dDH6',
]

const STRATEGIES: Readonly<Record<string, string>> = { 1: 'Multiply', 3: 'Leverage', 4: 'Multiply', 6: 'Leverage' }

/**
 * Accrued to the clock's slot, collateral rounded down, debt up. Health: the market's thresholds and factors, at the
 * reserves' last prices.
 */
export const kaminoLend: SolanaAdapter = {
  name: 'kamino_lend',
  key: 'kamino_lend',
  title: 'Kamino Lend',
  siteUrl: 'https://kamino.com',
  searched: [KAMINO_LEND],

  async positions(scope) {
    const obligations = await readObligations(scope)
    const named = obligations.flatMap(({ market, deposits, borrows }) => [
      market,
      ...[...deposits, ...borrows].map(({ reserve }) => reserve),
    ])
    const known = await readAccounts(scope.reader, named)
    const reserveOf = (address: SolanaAddress) =>
      kaminoReserve(openExisting(known.get(address), RESERVE), scope.clock.slot)
    return obligations.map((obligation) => {
      const market = openExisting(known.get(obligation.market), MARKET)
      return positionOf(obligation, market, reserveOf)
    })
  },
}

type Obligation = ReturnType<typeof readObligation>

async function readObligations(scope: PositionScope) {
  const { reader, wallet } = scope
  const none = new Uint8Array(32)
  const addresses = MARKETS.map((market) =>
    programAddress(KAMINO_LEND, [new Uint8Array(2), addressBytes(wallet), addressBytes(market), none, none]),
  )
  const [plain, found] = await Promise.all([
    reader.accounts(addresses),
    searchAccounts(scope, OBLIGATION, OWNER_OFFSET),
  ])
  const opened = plain.flatMap((account) => (account ? [openAccount(account, OBLIGATION)] : []))
  const all = new Map([...opened, ...found].map((data) => [data.address, data]))
  return [...all.values()].map(readObligation).filter(({ owner, deposits, borrows }) => {
    // A transferred obligation keeps the address derived for its first owner.
    return owner === wallet && deposits.length + borrows.length > 0
  })
}

function readObligation(data: AccountData) {
  const used = (slots: readonly number[]) => slots.filter((at) => data.key(at) !== NATIVE_SOL)
  return {
    address: data.address,
    ...obligationFields(data),
    deposits: used(DEPOSITS)
      .map((at) => depositFields(data, at))
      .filter(({ amount }) => amount > 0n),
    borrows: used(BORROWS)
      .map((at) => borrowFields(data, at))
      .filter(({ amountSf }) => amountSf > 0n),
  }
}

type ReserveOf = (address: SolanaAddress) => KaminoReserve
type Side = { reserve: KaminoReserve; amountRaw: bigint }

function positionOf(obligation: Obligation, market: AccountData, reserveOf: ReserveOf): PositionDraft {
  const { address, tag, elevationGroup, deposits, borrows } = obligation
  const supplied = deposits.map(({ reserve: of, amount }) => {
    const reserve = reserveOf(of)
    return { reserve, amountRaw: reserve.redeemed(amount) }
  })
  const borrowed = borrows.map((debt) => {
    const reserve = reserveOf(debt.reserve)
    return { reserve, amountRaw: reserve.owed(debt) }
  })
  return {
    kind: 'lending',
    label: [market.text(marketField.name, NAME_BYTES) || 'Market', STRATEGIES[tag.toString()]]
      .filter(Boolean)
      .join(' '),
    pool: address,
    supplied: supplied.map(amountOf),
    borrowed: borrowed.map(amountOf),
    ...healthOf(elevationGroup, market, supplied, borrowed),
  }
}

const amountOf = ({ reserve, amountRaw }: Side): TokenAmount => ({ token: reserve.mint, amountRaw })

/** An elevation group has its own thresholds. */
function healthOf(group: number, market: AccountData, supplied: Side[], borrowed: Side[]) {
  const isElevated = (reserve: KaminoReserve) => group !== 0 && reserve.elevationGroups.has(group)
  const groupAt = marketField.groups + (group - 1) * marketField.groupSize
  const threshold = (reserve: KaminoReserve) =>
    BigInt(isElevated(reserve) ? market.u8(groupAt + marketField.groupThresholdPct) : reserve.liquidationThresholdPct)
  const factor = (reserve: KaminoReserve) => (isElevated(reserve) ? 100n : reserve.borrowFactorPct)
  const weighted = (sides: Side[], weight: (reserve: KaminoReserve) => bigint) =>
    sides.map(({ reserve, amountRaw }) => {
      return { amountRaw, decimals: reserve.decimals, price: reserve.priceSf, weight: weight(reserve) }
    })
  return healthFactor(weighted(supplied, threshold), weighted(borrowed, factor))
}
