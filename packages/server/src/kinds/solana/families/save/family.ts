import type { PositionDraft } from '../../../../domain/position.ts'
import type { SolanaAddress } from '../../../../domain/solana-address.ts'
import { type AccountData, type AccountLayout, invalid, openAccount, openExisting } from '../../codec/account-data.ts'
import type { SolanaAccount } from '../../codec/solana-account.ts'
import type { SolanaFamily } from '../family.ts'
import {
  borrowField,
  depositField,
  KNOWN_VERSION,
  OBLIGATION,
  OBLIGATION_BYTES,
  obligationField,
  RESERVE,
  RESERVE_BYTES,
  reserveField,
  SAVE,
} from './layout.ts'

const WAD = 10n ** 18n
const FULL_BPS = 10_000n

/**
 * Save (Solend): one position an obligation, in one pool. Amounts are as its SDK shows them: interest is in them up to the last
 * refresh of each reserve. Collateral is rounded down, debt up. The health factor is the collateral at its liquidation
 * thresholds over the debt at its weights, at the prices of the last refresh.
 */
export const save: SolanaFamily = {
  name: 'save',
  key: 'save',
  title: 'Save',
  siteUrl: 'https://save.finance',
  searched: [SAVE],

  async positions({ reader, wallet, used }) {
    if (!used.has(SAVE)) return []
    const found = await reader.programAccounts(SAVE, [
      { dataSize: OBLIGATION_BYTES },
      { offset: obligationField.owner, bytes: wallet },
    ])
    const obligations = found
      .map(readObligation)
      .filter(({ deposits, borrows }) => deposits.length + borrows.length > 0)
    const addresses = [
      ...new Set(
        obligations.flatMap(({ deposits, borrows }) => [...deposits, ...borrows].map(({ reserve }) => reserve)),
      ),
    ]
    const accounts = await reader.accounts(addresses)
    const reserves = new Map(addresses.map((address, index) => [address, readReserve(accounts[index])]))
    const reserveOf = (address: SolanaAddress) => reserves.get(address) ?? readReserve(undefined)
    return obligations.map((obligation) => positionOf(obligation, reserveOf))
  },
}

type Obligation = {
  address: SolanaAddress
  deposits: { reserve: SolanaAddress; amount: bigint }[]
  borrows: { reserve: SolanaAddress; amountWads: bigint; rateWads: bigint }[]
}

type Reserve = {
  mint: SolanaAddress
  decimals: number
  /** Tokens of all collateral, in wads. */
  supplyWads: bigint
  collateralSupply: bigint
  rateWads: bigint
  price: bigint
  thresholdPct: bigint
  weightBps: bigint
}

/** Lengths are exact, as nothing else tells the program's accounts apart. */
function checked(data: AccountData, { what }: AccountLayout, length: number): AccountData {
  if (data.length !== length) throw invalid(what, data.address, `has ${data.length} bytes`)
  const version = data.u8(0)
  if (version !== KNOWN_VERSION) throw invalid(what, data.address, `has version ${version}`)
  return data
}

function readObligation(account: SolanaAccount): Obligation {
  const data = checked(openAccount(account, OBLIGATION), OBLIGATION, OBLIGATION_BYTES)
  const deposits = data.u8(obligationField.deposits)
  const borrowsAt = obligationField.entries + deposits * depositField.size
  const entries = (count: number, base: number, size: number) =>
    Array.from({ length: count }, (_, index) => base + index * size)
  return {
    address: data.address,
    deposits: entries(deposits, obligationField.entries, depositField.size)
      .map((at) => ({ reserve: data.key(at + depositField.reserve), amount: data.u64(at + depositField.amount) }))
      .filter(({ amount }) => amount > 0n),
    borrows: entries(data.u8(obligationField.borrows), borrowsAt, borrowField.size)
      .map((at) => ({
        reserve: data.key(at + borrowField.reserve),
        amountWads: data.u128(at + borrowField.amountWads),
        rateWads: data.u128(at + borrowField.rateWads),
      }))
      .filter(({ amountWads }) => amountWads > 0n),
  }
}

function readReserve(account: SolanaAccount | null | undefined): Reserve {
  const data = checked(openExisting(account, RESERVE), RESERVE, RESERVE_BYTES)
  const field = reserveField
  return {
    mint: data.key(field.mint),
    decimals: data.u8(field.decimals),
    supplyWads: data.u64(field.available) * WAD + data.u128(field.borrowedWads) - data.u128(field.protocolFeesWads),
    collateralSupply: data.u64(field.collateralSupply),
    rateWads: data.u128(field.rateWads),
    price: data.u128(field.priceWads),
    thresholdPct: BigInt(data.u8(field.liquidationThresholdPct)),
    weightBps: FULL_BPS + data.u64(field.addedWeightBps),
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
    const divisor = rateWads * WAD
    return { reserve, amountRaw: (amountWads * reserve.rateWads + divisor - 1n) / divisor }
  })
  const health = healthOf(supplied, borrowed)
  const amountOf = ({ reserve, amountRaw }: Side) => ({ token: reserve.mint, amountRaw })
  return {
    kind: 'lending',
    label: 'Lending',
    pool: address,
    supplied: supplied.map(amountOf),
    borrowed: borrowed.map(amountOf),
    rewards: [],
    receipts: [],
    ...(health !== undefined && { healthFactorRaw: health }),
  }
}

/** 18 decimals; undefined without debt. */
function healthOf(supplied: Side[], borrowed: Side[]): bigint | undefined {
  const most = Math.max(...[...supplied, ...borrowed].map(({ reserve }) => reserve.decimals))
  const weighted = (sides: Side[], weight: (reserve: Reserve) => bigint) =>
    sides.reduce((total, { reserve, amountRaw }) => {
      return total + amountRaw * reserve.price * weight(reserve) * 10n ** BigInt(most - reserve.decimals)
    }, 0n)
  const debt = weighted(borrowed, ({ weightBps }) => weightBps)
  return debt === 0n ? undefined : (weighted(supplied, ({ thresholdPct }) => thresholdPct) * 100n * WAD) / debt
}
