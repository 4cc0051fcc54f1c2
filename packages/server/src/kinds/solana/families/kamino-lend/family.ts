import type { PositionDraft, TokenAmount } from '../../../../domain/position.ts'
import { NATIVE_SOL, type SolanaAddress } from '../../../../domain/solana-address.ts'
import { type AccountData, ofKind, openAccount, openExisting } from '../../codec/account-data.ts'
import { addressBytes } from '../../codec/address-bytes.ts'
import { programAddress } from '../../codec/program-address.ts'
import type { SolanaFamily, SolanaScope } from '../family.ts'
import { KAMINO_LEND, type KaminoReserve, kaminoReserve, RESERVE, wordsOf } from '../kamino-reserve.ts'
import {
  BORROWS,
  collateralField,
  DEPOSITS,
  debtField,
  MARKET,
  marketField,
  NAME_BYTES,
  OBLIGATION,
  obligationField,
} from './layout.ts'

/** Markets where a wallet's plain obligation is looked for without a search: its address follows from the wallet. */
const MARKETS: readonly SolanaAddress[] = [
  '7u3HeHxYDLhnCoErrtycNokbQYbWGzLs6JSDqGAv5PfF',
  'DxXdAyU3kCjnyggvHmY5nAwg5cRbbmdyX3npfDMjjMek',
  'ByYiZxp8QrdN9qbdtaAiePN8AAr3qvTPppNJDpf5DVJ5',
  'BJnbcRHqvppTyGesLzWASGKnmnF1wq9jZu6ExrjT7wvF',
  'H6rHXmXoCQvq8Ue81MqNh7ow5ysPa1dSozwW3PU1dDH6',
]

/** Tags of obligations, variable and fixed rate alike. */
const STRATEGIES: Readonly<Record<string, string>> = { 1: 'Multiply', 3: 'Leverage', 4: 'Multiply', 6: 'Leverage' }

const HEALTH_UNIT = 10n ** 18n

/**
 * Kamino Lend: one position an obligation, in one market: plain lending, multiply or leverage. Amounts are accrued to the slot of
 * the clock, collateral rounded down and debt up. The health factor is what the collateral may be lent against before
 * liquidation over the debt, weighted by the market's own thresholds and factors, at the prices that the reserves saw last.
 */
export const kaminoLend: SolanaFamily = {
  name: 'kamino_lend',
  key: 'kamino_lend',
  title: 'Kamino Lend',
  siteUrl: 'https://kamino.com',
  searched: [KAMINO_LEND],

  async positions(scope) {
    const obligations = await readObligations(scope)
    const addresses = [
      ...new Set(
        obligations.flatMap(({ data, deposits, borrows }) => [
          data.key(obligationField.market),
          ...[...deposits, ...borrows].map(({ reserve }) => reserve),
        ]),
      ),
    ]
    const accounts = await scope.reader.accounts(addresses)
    const known = new Map(addresses.map((address, index) => [address, accounts[index]]))
    const reserveOf = (address: SolanaAddress) =>
      kaminoReserve(openExisting(known.get(address), RESERVE), scope.clock.slot)
    return obligations.map((obligation) => {
      const market = openExisting(known.get(obligation.data.key(obligationField.market)), MARKET)
      return positionOf(obligation, market, reserveOf)
    })
  },
}

type Obligation = {
  data: AccountData
  deposits: { reserve: SolanaAddress; amount: bigint }[]
  borrows: { reserve: SolanaAddress; amountSf: bigint; cumulativeRate: bigint }[]
}

async function readObligations({ reader, wallet, used }: SolanaScope & { used: ReadonlySet<SolanaAddress> }) {
  const none = new Uint8Array(32)
  const addresses = MARKETS.map((market) =>
    programAddress(KAMINO_LEND, [new Uint8Array(2), addressBytes(wallet), addressBytes(market), none, none]),
  )
  const [plain, found] = await Promise.all([
    reader.accounts(addresses),
    used.has(KAMINO_LEND)
      ? reader.programAccounts(KAMINO_LEND, [
          ofKind(OBLIGATION.discriminator),
          { offset: obligationField.owner, bytes: wallet },
        ])
      : [],
  ])
  const all = new Map([...plain, ...found].flatMap((account) => (account ? [[account.address, account] as const] : [])))
  return [...all.values()]
    .map((account) => readObligation(openAccount(account, OBLIGATION)))
    .filter(({ data, deposits, borrows }) => {
      // A transferred obligation keeps the address derived for its first owner.
      const isOwn = data.key(obligationField.owner) === wallet
      return isOwn && deposits.length + borrows.length > 0
    })
}

function readObligation(data: AccountData): Obligation {
  const slots = (count: number, base: number, size: number) =>
    Array.from({ length: count }, (_, index) => base + index * size).filter((at) => data.key(at) !== NATIVE_SOL)
  return {
    data,
    deposits: slots(DEPOSITS, obligationField.deposits, collateralField.size)
      .map((at) => ({ reserve: data.key(at + collateralField.reserve), amount: data.u64(at + collateralField.amount) }))
      .filter(({ amount }) => amount > 0n),
    borrows: slots(BORROWS, obligationField.borrows, debtField.size)
      .map((at) => ({
        reserve: data.key(at + debtField.reserve),
        amountSf: data.u128(at + debtField.amountSf),
        cumulativeRate: wordsOf(data, at + debtField.cumulativeRate),
      }))
      .filter(({ amountSf }) => amountSf > 0n),
  }
}

type ReserveOf = (address: SolanaAddress) => KaminoReserve
type Side = { reserve: KaminoReserve; amountRaw: bigint }

function positionOf({ data, deposits, borrows }: Obligation, market: AccountData, reserveOf: ReserveOf): PositionDraft {
  const supplied = deposits.map(({ reserve: address, amount }) => {
    const reserve = reserveOf(address)
    return { reserve, amountRaw: reserve.redeemed(amount) }
  })
  const borrowed = borrows.map((debt) => {
    const reserve = reserveOf(debt.reserve)
    return { reserve, amountRaw: reserve.owed(debt) }
  })
  const health = healthOf(data.u8(obligationField.elevationGroup), market, supplied, borrowed)
  return {
    kind: 'lending',
    label: [marketName(market), STRATEGIES[data.u64(obligationField.tag).toString()]].filter(Boolean).join(' '),
    pool: data.address,
    supplied: supplied.map(amountOf),
    borrowed: borrowed.map(amountOf),
    rewards: [],
    receipts: [],
    ...(health !== undefined && { healthFactorRaw: health }),
  }
}

const amountOf = ({ reserve, amountRaw }: Side): TokenAmount => ({ token: reserve.mint, amountRaw })

function marketName(market: AccountData): string {
  const text = new TextDecoder().decode(market.bytes(marketField.name, NAME_BYTES))
  return text.replaceAll('\0', '').trim() || 'Market'
}

/** 18 decimals; undefined without debt. A group of elevation has thresholds of its own, for the reserves that are in it. */
function healthOf(group: number, market: AccountData, supplied: Side[], borrowed: Side[]): bigint | undefined {
  const isElevated = (reserve: KaminoReserve) => group !== 0 && reserve.elevationGroups.has(group)
  const groupAt = marketField.groups + (group - 1) * marketField.groupSize
  const threshold = (reserve: KaminoReserve) =>
    BigInt(isElevated(reserve) ? market.u8(groupAt + marketField.groupThresholdPct) : reserve.liquidationThresholdPct)
  const factor = (reserve: KaminoReserve) => (isElevated(reserve) ? 100n : reserve.borrowFactorPct)
  const most = Math.max(...[...supplied, ...borrowed].map(({ reserve }) => reserve.decimals))
  const weighted = (sides: Side[], weight: (reserve: KaminoReserve) => bigint) =>
    sides.reduce((total, { reserve, amountRaw }) => {
      const scale = 10n ** BigInt(most - reserve.decimals)
      return total + amountRaw * reserve.priceSf * weight(reserve) * scale
    }, 0n)
  const debt = weighted(borrowed, factor)
  return debt === 0n ? undefined : (weighted(supplied, threshold) * HEALTH_UNIT) / debt
}
