import type { Address } from '../address.ts'
import type { Decimal } from '../decimal.ts'

/** `AVG`: one cost per pool. `HIFO`: the most expensive first. */
export type Method = 'AVG' | 'FIFO' | 'LIFO' | 'HIFO'

/** Deposits that a receipt stands for, recursively. */
export type Backing = {
  /** Without bought units and interest. */
  units: Decimal
  principal: Readonly<Record<string, Principal>>
}
export type Principal = { quantity: Decimal; backing: Backing | null }

/** `basis` in USD, null: unknown. `order` survives deposits and bridges. */
export type Lot = { order: number; quantity: Decimal; basis: Decimal | null; backing: Backing | null }

export type PoolId = {
  wallet: Address
  chain: string
  token: Address
  tokenId: bigint | null
  debt: boolean
  /**
   * Null: in the wallet. Else the protocol, contract or position ID that holds the units. A debt is owed there without
   * a debt token.
   */
  position: string | null
}

export const keyedPosition = (contract: Address, id: bigint | null): string => `${contract}/${id ?? 0n}`

export const isKeyed = (position: string): boolean => position.includes('/')

export const contractOfKeyed = (position: string): string => position.slice(0, position.indexOf('/'))

/** Next to leave last. All have a known basis, or none. */
export type Pool = PoolId & {
  protocol: string | null
  quantity: Decimal
  /** Left beyond the balance; later interest or gaps explain it first. */
  short: Decimal
  lots: readonly Lot[]
  /** Balances do not add up. Holds until the pool is empty. */
  flagged: boolean
}

export type InTransit = {
  wallet: Address
  identity: string
  time: number
  price: Decimal | null
  quantity: Decimal
  lots: readonly Lot[]
}

/**
 * In USD. Over all wallets, with all prices known: Σ basis of assets (and transit) = acquired + borrowed + income +
 * closedPnl − gasBasis − bridgeFeeBasis − sentBasis − repaidBasis.
 */
export type WalletTotals = {
  /** With known cost and proceeds. */
  closedPnl: Decimal
  disposals: number
  /** By chain and token; not in `closedPnl`. */
  unknownDisposals: Readonly<Record<string, number>>
  /** In base units of each chain's coin. */
  feesRaw: Readonly<Record<string, bigint>>
  /** In token units, by identity. */
  bridgeFees: Readonly<Record<string, Decimal>>
  /** At the price of the time. */
  feesUsd: Decimal
  /** Not in `feesUsd`. */
  unpricedFees: number
  income: Decimal
  expense: Decimal
  /** From outside, at its price. */
  acquired: Decimal
  borrowed: Decimal
  /** Worth when sent. */
  sentExternal: Decimal
  sentBasis: Decimal
  /** Amounts received for repaid debts. */
  repaidBasis: Decimal
  gasBasis: Decimal
  bridgeFeeBasis: Decimal
  day: { date: string; income: Decimal; expense: Decimal } | null
}

export const assetKey = ({ chain, token }: Pick<PoolId, 'chain' | 'token'>): string => `${chain} ${token}`

export function assetOfKey(key: string): Pick<PoolId, 'chain' | 'token'> {
  const [chain = '', token = ''] = key.split(' ')
  return { chain, token }
}

/** Immutable. */
export type State = {
  method: Method
  nextOrder: number
  pools: readonly Pool[]
  /** Earliest first. */
  transit: readonly InTransit[]
  wallets: ReadonlyMap<Address, WalletTotals>
}

export function emptyState(method: Method = 'AVG'): State {
  return { method, nextOrder: 0, pools: [], transit: [], wallets: new Map() }
}
