import type { Address } from '../address.ts'
import type { Decimal } from '../decimal.ts'

/** `AVG`: one cost per pool. `HIFO`: the most expensive first. */
export type Method = 'AVG' | 'FIFO' | 'LIFO' | 'HIFO'

/** Deposits that a receipt stands for. `D`: figures, `I`: integers; both are texts in JSON. */
export type Backing<D = Decimal> = {
  /** Without bought units and interest. */
  units: D
  principal: Readonly<Record<string, Principal<D>>>
}
export type Principal<D = Decimal> = { quantity: D; backing: Backing<D> | null }

/** `transaction` null: a reconciliation. Unix seconds. */
export type Moment = { time: number; chain: string; transaction: string | null }

/**
 * `basis` in USD, null: unknown. `order` and `acquired` survive deposits and bridges. `acquired` null: unseen units, or
 * merged ones.
 */
export type Lot<D = Decimal> = {
  order: number
  quantity: D
  basis: D | null
  acquired: Moment | null
  backing: Backing<D> | null
}

export type PoolId<I = bigint> = {
  wallet: Address
  chain: string
  token: Address
  tokenId: I | null
  debt: boolean
  /** Null: in the wallet. Else the protocol, contract or position ID that holds the units, or to which a debt is owed. */
  position: string | null
}

/** Within a wallet. */
export const poolKey = ({ chain, token, tokenId, debt, position }: PoolId): string =>
  `${chain} ${token} ${tokenId ?? ''} ${debt ? 'debt' : ''} ${position ?? ''}`

export const keyedPosition = (contract: Address, id: bigint | null): string => `${contract}/${id ?? 0n}`

export const isKeyed = (position: string): boolean => position.includes('/')

export const contractOfKeyed = (position: string): string => position.slice(0, position.indexOf('/'))

/** Next to leave last. All have a known basis, or none. */
export type Pool<D = Decimal, I = bigint> = PoolId<I> & {
  protocol: string | null
  quantity: D
  /** Left beyond the balance; later interest or gaps explain it first. */
  short: D
  lots: readonly Lot<D>[]
  /** Balances do not add up. Holds until the pool is empty. */
  flagged: boolean
  /** Ascends in the order in which pools are opened. */
  opened: number
}

export type InTransit<D = Decimal> = {
  wallet: Address
  identity: string
  time: number
  price: D | null
  quantity: D
  lots: readonly Lot<D>[]
}

const SUMS = [
  ...(['closedPnl', 'feesUsd', 'income', 'expense', 'acquired', 'borrowed', 'sentExternal'] as const),
  ...(['sentBasis', 'repaidBasis', 'gasBasis', 'bridgeFeeBasis'] as const),
]
export type SumName = (typeof SUMS)[number]

export function mapSums<T>(figureOf: (name: SumName) => T): Record<SumName, T> {
  return Object.fromEntries(SUMS.map((name) => [name, figureOf(name)])) as Record<SumName, T>
}

/**
 * In USD. Over all wallets, with all prices known: Σ basis of assets (and transit) = acquired + borrowed + income +
 * closedPnl − gasBasis − bridgeFeeBasis − sentBasis − repaidBasis.
 */
export type WalletTotals<D = Decimal, I = bigint> = {
  /** With known cost and proceeds. */
  closedPnl: D
  disposals: number
  /** By chain and token; not in `closedPnl`. */
  unknownDisposals: Readonly<Record<string, number>>
  /** In base units of each chain's coin. */
  feesRaw: Readonly<Record<string, I>>
  /** In token units, by identity. */
  bridgeFees: Readonly<Record<string, D>>
  /** At the price of the time. */
  feesUsd: D
  /** Not in `feesUsd`. */
  unpricedFees: number
  income: D
  expense: D
  /** From outside, at its price. */
  acquired: D
  borrowed: D
  /** Worth when sent. */
  sentExternal: D
  sentBasis: D
  /** Amounts received for repaid debts. */
  repaidBasis: D
  gasBasis: D
  bridgeFeeBasis: D
  day: { date: string; income: D; expense: D } | null
}

type TokenOnChain = { chain: string; token: Address }

export const assetKey = ({ chain, token }: TokenOnChain): string => `${chain} ${token}`

export function assetOfKey(key: string): TokenOnChain {
  const [chain = '', token = ''] = key.split(' ')
  return { chain, token }
}

/** `pools`: in the order in which they were opened. `transit`: the earliest first. */
export type Holdings = { pools: readonly Pool[]; transit: readonly InTransit[] }

export type State = Holdings & {
  method: Method
  nextOrder: number
  nextPool: number
  wallets: ReadonlyMap<Address, WalletTotals>
}

export function emptyState(method: Method = 'AVG'): State {
  return { method, nextOrder: 0, nextPool: 0, pools: [], transit: [], wallets: new Map() }
}
