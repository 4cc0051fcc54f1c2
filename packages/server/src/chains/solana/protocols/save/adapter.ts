import type { PositionDraft } from '../../../../domain/position.ts'
import type { SolanaAddress } from '../../../../domain/solana-address.ts'
import { type AccountOf, invalid, layout, list, readFields } from '../../codec/account-data.ts'
import { readAll, searchAccounts } from '../account-reads.ts'
import type { SolanaAdapter } from '../adapter.ts'
import { dividedUp, lendingSides, type WeightedSide } from '../amounts.ts'

/** Save (Solend). `…Wads`: times 10^18. */
const SAVE = 'So1endDq2YkqhipRh3WViPa8hdiSpxWy6z3Z6tMCpAo'
const KNOWN_VERSION = 1

const OBLIGATION = layout(
  { what: 'obligation of Save', programs: [SAVE], minLength: 1300, isExact: true },
  { version: ['u8', 0], owner: ['key', 42], depositCount: ['u8', 202], borrowCount: ['u8', 203] },
)
/** Deposits, then borrows. */
const ENTRIES = 204
const DEPOSIT_BYTES = 88

const RESERVE = layout(
  { what: 'reserve of Save', programs: [SAVE], minLength: 619, isExact: true },
  {
    version: ['u8', 0],
    mint: ['key', 42],
    decimals: ['u8', 74],
    available: ['u64', 171],
    borrowedWads: ['u128', 179],
    rateWads: ['u128', 195],
    price: ['u128', 211],
    collateralSupply: ['u64', 259],
    thresholdPct: ['u8', 302],
    protocolFeesWads: ['u128', 373],
    addedWeightBps: ['u64', 445],
  },
)
type Reserve = AccountOf<typeof RESERVE>

const WAD = 10n ** 18n
const FULL_BPS = 10_000n

/** With interest, thresholds and prices of each reserve's last refresh. Rounds collateral down, debt up. */
export const save: SolanaAdapter = {
  key: 'save',
  title: 'Save',
  siteUrl: 'https://save.finance',
  searched: [SAVE],

  async positions(scope) {
    const obligations = (await searchAccounts(scope, OBLIGATION)).map(obligationOf)
    const named = obligations.flatMap(({ deposits, borrows }) =>
      [...deposits, ...borrows].map(({ reserve }) => reserve),
    )
    const reserveOf = await readAll(scope.reader, RESERVE, named)
    return obligations.map((obligation) =>
      positionOf(obligation, (address) => checked(RESERVE.what, reserveOf(address))),
    )
  },
}

function checked<T extends { address: SolanaAddress; version: number }>(what: string, account: T): T {
  if (account.version === KNOWN_VERSION) return account
  throw invalid(what, account.address, `has version ${account.version}`)
}

type Obligation = ReturnType<typeof obligationOf>

function obligationOf(account: AccountOf<typeof OBLIGATION>) {
  const { address, data, depositCount, borrowCount } = checked(OBLIGATION.what, account)
  const { deposits, borrows } = readFields(data, {
    deposits: list(
      { from: ENTRIES, count: depositCount, size: DEPOSIT_BYTES },
      { reserve: ['key', 0], amount: ['u64', 32] },
    ),
    borrows: list(
      { from: ENTRIES + depositCount * DEPOSIT_BYTES, count: borrowCount, size: 112 },
      { reserve: ['key', 0], rateWads: ['u128', 32], amountWads: ['u128', 48] },
    ),
  })
  return {
    address,
    deposits: deposits.filter(({ amount }) => amount > 0n),
    borrows: borrows.filter(({ amountWads }) => amountWads > 0n),
  }
}

function positionOf(
  { address, deposits, borrows }: Obligation,
  reserveOf: (address: SolanaAddress) => Reserve,
): PositionDraft {
  const supplied = deposits.map(({ reserve: at, amount }) => {
    const reserve = reserveOf(at)
    const { available, borrowedWads, protocolFeesWads, collateralSupply, thresholdPct } = reserve
    const supplyWads = available * WAD + borrowedWads - protocolFeesWads
    const isFirst = collateralSupply === 0n || supplyWads === 0n
    const amountRaw = isFirst ? amount : (amount * supplyWads) / (collateralSupply * WAD)
    return sideOf(reserve, amountRaw, BigInt(thresholdPct) * 100n)
  })
  const borrowed = borrows.map(({ reserve: at, amountWads, rateWads }) => {
    const reserve = reserveOf(at)
    if (rateWads === 0n) throw invalid(OBLIGATION.what, address, 'has a debt without a rate')
    const amountRaw = dividedUp(amountWads * reserve.rateWads, rateWads * WAD)
    return sideOf(reserve, amountRaw, FULL_BPS + reserve.addedWeightBps)
  })
  return { kind: 'lending', label: 'Lending', pool: address, ...lendingSides(supplied, borrowed) }
}

const sideOf = ({ mint, decimals, price }: Reserve, amountRaw: bigint, weight: bigint): WeightedSide => ({
  token: mint,
  amountRaw,
  decimals,
  price,
  weight,
})
