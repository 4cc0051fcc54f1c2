import type { PositionDraft } from '../../../../domain/position.ts'
import type { SolanaAddress } from '../../../../domain/solana-address.ts'
import {
  type AccountData,
  type AccountLayout,
  invalid,
  openAccount,
  openExisting,
  places,
  type SolanaAccount,
  struct,
} from '../../codec/account-data.ts'
import { readAccounts } from '../account-reads.ts'
import type { SolanaAdapter } from '../adapter.ts'
import { dividedUp, healthFactor, type WeightedSide } from '../amounts.ts'

/** Save (Solend). `…Wads`: times 10^18. */
const SAVE = 'So1endDq2YkqhipRh3WViPa8hdiSpxWy6z3Z6tMCpAo'

const OBLIGATION_BYTES = 1300
const RESERVE_BYTES = 619
const KNOWN_VERSION = 1

const OWNER_OFFSET = 42
/** Counts. */
const obligationFields = struct({ deposits: ['u8', 202], borrows: ['u8', 203] })
/** Deposits, then borrows. */
const ENTRIES = 204

const DEPOSIT_BYTES = 88
const depositFields = struct({ reserve: ['key', 0], amount: ['u64', 32] })

const BORROW_BYTES = 112
const borrowFields = struct({ reserve: ['key', 0], rateWads: ['u128', 32], amountWads: ['u128', 48] })

const reserveFields = struct({
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
})

const programs = [SAVE]

const OBLIGATION: AccountLayout = { what: 'obligation of Save', programs, minLength: OBLIGATION_BYTES }

const RESERVE: AccountLayout = { what: 'reserve of Save', programs, minLength: RESERVE_BYTES }

const WAD = 10n ** 18n
const FULL_BPS = 10_000n

/**
 * Includes interest up to each reserve's last refresh, like Save's SDK. Rounds collateral down, debt up. Health factor:
 * liquidation thresholds and the prices of that refresh.
 */
export const save: SolanaAdapter = {
  name: 'save',
  key: 'save',
  title: 'Save',
  siteUrl: 'https://save.finance',
  searched: [SAVE],

  async positions({ reader, wallet, used }) {
    if (!used.has(SAVE)) return []
    const found = await reader.programAccounts(SAVE, [
      { dataSize: OBLIGATION_BYTES },
      { offset: OWNER_OFFSET, bytes: wallet },
    ])
    const obligations = found
      .map(readObligation)
      .filter(({ deposits, borrows }) => deposits.length + borrows.length > 0)
    const named = obligations.flatMap(({ deposits, borrows }) =>
      [...deposits, ...borrows].map(({ reserve }) => reserve),
    )
    const accounts = await readAccounts(reader, named)
    const reserveOf = (address: SolanaAddress) => readReserve(accounts.get(address))
    return obligations.map((obligation) => positionOf(obligation, reserveOf))
  },
}

type Obligation = ReturnType<typeof readObligation>
type Reserve = ReturnType<typeof readReserve>

/** Only lengths distinguish the program's accounts. */
function checked(data: AccountData, { what }: AccountLayout, length: number): AccountData {
  if (data.length !== length) throw invalid(what, data.address, `has ${data.length} bytes`)
  const version = data.u8(0)
  if (version !== KNOWN_VERSION) throw invalid(what, data.address, `has version ${version}`)
  return data
}

function readObligation(account: SolanaAccount) {
  const data = checked(openAccount(account, OBLIGATION), OBLIGATION, OBLIGATION_BYTES)
  const { deposits, borrows } = obligationFields(data)
  const borrowsFrom = ENTRIES + deposits * DEPOSIT_BYTES
  return {
    address: data.address,
    deposits: places({ from: ENTRIES, count: deposits, size: DEPOSIT_BYTES })
      .map((at) => depositFields(data, at))
      .filter(({ amount }) => amount > 0n),
    borrows: places({ from: borrowsFrom, count: borrows, size: BORROW_BYTES })
      .map((at) => borrowFields(data, at))
      .filter(({ amountWads }) => amountWads > 0n),
  }
}

function readReserve(account: SolanaAccount | null | undefined) {
  const data = checked(openExisting(account, RESERVE), RESERVE, RESERVE_BYTES)
  const reserve = reserveFields(data)
  return {
    ...reserve,
    supplyWads: reserve.available * WAD + reserve.borrowedWads - reserve.protocolFeesWads,
    weightBps: FULL_BPS + reserve.addedWeightBps,
  }
}

type Side = { reserve: Reserve; amountRaw: bigint }

function positionOf(
  { address, deposits, borrows }: Obligation,
  reserveOf: (address: SolanaAddress) => Reserve,
): PositionDraft {
  const supplied = deposits.map(({ reserve: at, amount }): Side => {
    const reserve = reserveOf(at)
    const { supplyWads, collateralSupply } = reserve
    const isFirst = collateralSupply === 0n || supplyWads === 0n
    return { reserve, amountRaw: isFirst ? amount : (amount * supplyWads) / (collateralSupply * WAD) }
  })
  const borrowed = borrows.map(({ reserve: at, amountWads, rateWads }): Side => {
    const reserve = reserveOf(at)
    if (rateWads === 0n) throw invalid(OBLIGATION.what, address, 'has a debt without a rate')
    return { reserve, amountRaw: dividedUp(amountWads * reserve.rateWads, rateWads * WAD) }
  })
  const amountOf = ({ reserve, amountRaw }: Side) => ({ token: reserve.mint, amountRaw })
  return {
    kind: 'lending',
    label: 'Lending',
    pool: address,
    supplied: supplied.map(amountOf),
    borrowed: borrowed.map(amountOf),
    ...healthFactor(
      supplied.map((side) => weighted(side, BigInt(side.reserve.thresholdPct) * 100n)),
      borrowed.map((side) => weighted(side, side.reserve.weightBps)),
    ),
  }
}

function weighted({ reserve: { decimals, price }, amountRaw }: Side, weight: bigint): WeightedSide {
  return { amountRaw, decimals, price, weight }
}
