import type { PositionDraft } from '../../../../domain/position.ts'
import { NATIVE_SOL, type SolanaAddress } from '../../../../domain/solana-address.ts'
import { type AccountOf, anchorLayout, list, readAccount } from '../../codec/account-data.ts'
import { addressBytes, programAddress } from '../../codec/address.ts'
import { readAccounts, readExisting, searchAccounts } from '../account-reads.ts'
import type { PositionScope, SolanaAdapter } from '../adapter.ts'
import { lendingSides, type WeightedSide } from '../amounts.ts'
import { KAMINO_LEND, type KaminoReserve, kaminoReserve } from '../kamino-reserve.ts'

/** Offsets of version 8 of the SDK. `…Sf` and `cumulativeRate`: times 2^60. */
const OBLIGATION = anchorLayout('obligation of Kamino', KAMINO_LEND, 'VEdzkJnDweW', 3344, {
  tag: ['u64', 8],
  market: ['key', 32],
  owner: ['key', 64],
  deposits: list({ from: 96, count: 8, size: 136 }, { reserve: ['key', 0], amount: ['u64', 32] }),
  borrows: list(
    { from: 1208, count: 5, size: 200 },
    { reserve: ['key', 0], cumulativeRate: ['u256', 32], amountSf: ['u128', 88] },
  ),
  elevationGroup: ['u8', 2285],
})
type Obligation = AccountOf<typeof OBLIGATION>

/** Groups count from 1. */
const MARKET = anchorLayout('market of Kamino', KAMINO_LEND, 'iDqUHzx8skB', 4664, {
  groups: list({ from: 200, count: 32, size: 72 }, { thresholdPct: ['u8', 4] }),
  name: ['text', 3248, 32],
})
type Market = AccountOf<typeof MARKET>

/** A plain obligation's address follows from the wallet. */
const MARKETS: readonly SolanaAddress[] = [
  '7u3HeHxYDLhnCoErrtycNokbQYbWGzLs6JSDqGAv5PfF',
  'DxXdAyU3kCjnyggvHmY5nAwg5cRbbmdyX3npfDMjjMek',
  'ByYiZxp8QrdN9qbdtaAiePN8AAr3qvTPppNJDpf5DVJ5',
  'BJnbcRHqvppTyGesLzWASGKnmnF1wq9jZu6ExrjT7wvF',
  'H6rHXmXoCQvq8Ue81MqNh7ow5ysPa1dSozwW3PU1dDH6',
]

const STRATEGIES: Readonly<Record<string, string>> = { 1: 'Multiply', 3: 'Leverage', 4: 'Multiply', 6: 'Leverage' }

/** Accrued to the clock's slot, collateral rounded down, debt up. Health is at the reserves' last prices. */
export const kaminoLend: SolanaAdapter = {
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
    const reserveOf = (address: SolanaAddress) => kaminoReserve(known.get(address), scope.clock.slot)
    return obligations.map((obligation) =>
      positionOf(obligation, readAccount(known.get(obligation.market), MARKET), reserveOf),
    )
  },
}

async function readObligations(scope: PositionScope): Promise<Obligation[]> {
  const { reader, wallet } = scope
  const none = new Uint8Array(32)
  const addresses = MARKETS.map((market) =>
    programAddress(KAMINO_LEND, [new Uint8Array(2), addressBytes(wallet), addressBytes(market), none, none]),
  )
  const [plain, found] = await Promise.all([reader.accounts(addresses), searchAccounts(scope, OBLIGATION)])
  const all = new Map([...readExisting(plain, OBLIGATION), ...found].map((each) => [each.address, each]))
  return [...all.values()]
    .map(({ deposits, borrows, ...obligation }) => ({
      ...obligation,
      deposits: deposits.filter(({ reserve, amount }) => reserve !== NATIVE_SOL && amount > 0n),
      borrows: borrows.filter(({ reserve, amountSf }) => reserve !== NATIVE_SOL && amountSf > 0n),
    }))
    .filter(({ owner, deposits, borrows }) => {
      // A transferred obligation keeps the address derived for its first owner.
      return owner === wallet && deposits.length + borrows.length > 0
    })
}

function positionOf(
  { address, tag, elevationGroup: group, deposits, borrows }: Obligation,
  { groups, name }: Market,
  reserveOf: (address: SolanaAddress) => KaminoReserve,
): PositionDraft {
  // An elevation group has its own thresholds.
  const elevated = (reserve: KaminoReserve) =>
    group !== 0 && reserve.elevationGroups.includes(group) ? groups[group - 1] : undefined
  const side = (reserve: KaminoReserve, amountRaw: bigint, weight: number | bigint): WeightedSide => {
    const { mint: token, decimals, priceSf: price } = reserve
    return { token, amountRaw, decimals: Number(decimals), price, weight: BigInt(weight) }
  }
  const supplied = deposits.map(({ reserve: of, amount }) => {
    const reserve = reserveOf(of)
    return side(reserve, reserve.redeemed(amount), elevated(reserve)?.thresholdPct ?? reserve.liquidationThresholdPct)
  })
  const borrowed = borrows.map((debt) => {
    const reserve = reserveOf(debt.reserve)
    return side(reserve, reserve.owed(debt), elevated(reserve) ? 100 : reserve.borrowFactorPct)
  })
  return {
    kind: 'lending',
    label: [name || 'Market', STRATEGIES[tag.toString()]].filter(Boolean).join(' '),
    pool: address,
    ...lendingSides(supplied, borrowed),
  }
}
