import type { Address } from '../address.ts'
import type { Decimal } from '../decimal.ts'

/** Which lots leave first. `AVG`: all units of a pool cost the same. `HIFO`: the dearest. */
export type Method = 'AVG' | 'FIFO' | 'LIFO' | 'HIFO'

/**
 * What units of a lot stand for when they are the receipt of a deposit: how much of which asset went in, and what that
 * asset stood for itself.
 */
export type Backing = {
  /** Units of the lot that this is about. The others came another way: bought, or as interest. */
  units: Decimal
  /** By identity of the asset that went in. */
  principal: Readonly<Record<string, Principal>>
}
export type Principal = { quantity: Decimal; backing: Backing | null }

/** Units that came together. `basis` in USD, null = unknown. `order` counts acquisitions; it survives deposits and bridges. */
export type Lot = { order: number; quantity: Decimal; basis: Decimal | null; backing: Backing | null }

/** What lies in a pool: an asset of a wallet on a chain, a debt, or a position without a receipt. */
export type PoolId = {
  wallet: Address
  chain: string
  token: Address
  tokenId: bigint | null
  debt: boolean
  /**
   * Set: not in the wallet. The units went into this position (a protocol, a contract, or a position under its key) and
   * nothing came back yet; of a debt, they are owed there and no token says so.
   */
  position: string | null
}

/** The name of a position by its key: the contract that keeps it, and its number there. */
export const keyedPosition = (contract: Address, id: bigint | null): string => `${contract}/${id ?? 0n}`

/** Whether the name is that of a key, and not of a protocol or a contract. */
export const isKeyed = (position: string): boolean => position.includes('/')

/** The contract in a name that is that of a key. */
export const contractOfKeyed = (position: string): string => position.slice(0, position.indexOf('/'))

/** The lots of one asset, next to leave last. All of a pool's lots have a known basis, or none has. */
export type Pool = PoolId & {
  /** Protocol whose receipt or debt this is, when it came by a deposit or a loan. */
  protocol: string | null
  /** Sum of the lots. */
  quantity: Decimal
  /** Units that left beyond what was there. Interest or a gap that is found later explains them first. */
  short: Decimal
  lots: readonly Lot[]
  /** More left than was there, or the chain's balance differs from the movements. Holds until the pool is empty. */
  flagged: boolean
}

/** What left one chain over a bridge and has not come in on another one yet. */
export type InTransit = {
  wallet: Address
  identity: string
  time: number
  price: Decimal | null
  quantity: Decimal
  lots: readonly Lot[]
}

/**
 * Sums over all entries of a wallet, in USD unless said otherwise. Over all wallets and with every price known,
 * Σ basis of assets (those in transit included) = acquired + borrowed + income + closedPnl − gasBasis − bridgeFeeBasis −
 * sentBasis − repaidBasis.
 */
export type WalletTotals = {
  /** Of the disposals whose cost and proceeds are known. */
  closedPnl: Decimal
  /** How many these are. */
  disposals: number
  /** Disposals of unknown cost or proceeds, by chain and token; `closedPnl` leaves them out. */
  unknownDisposals: Readonly<Record<string, number>>
  /** Gas in base units of each chain's own coin. */
  feesRaw: Readonly<Record<string, bigint>>
  /** Fees of bridges in token units, by identity. */
  bridgeFees: Readonly<Record<string, Decimal>>
  /** Gas and fees of bridges at the price of the time. */
  feesUsd: Decimal
  /** Fees without a price; `feesUsd` leaves them out. */
  unpricedFees: number
  income: Decimal
  expense: Decimal
  /** Worth of what came from outside at its price. */
  acquired: Decimal
  borrowed: Decimal
  /** Worth of what was sent outside when it left. */
  sentExternal: Decimal
  sentBasis: Decimal
  /** What had been received for the debts that were repaid. */
  repaidBasis: Decimal
  gasBasis: Decimal
  bridgeFeeBasis: Decimal
  /** The last UTC day with an entry, and its figures. */
  day: { date: string; income: Decimal; expense: Decimal } | null
}

/** The key of an asset among `unknownDisposals`. */
export const assetKey = ({ chain, token }: Pick<PoolId, 'chain' | 'token'>): string => `${chain} ${token}`

export function assetOfKey(key: string): Pick<PoolId, 'chain' | 'token'> {
  const [chain = '', token = ''] = key.split(' ')
  return { chain, token }
}

/** Everything that accounting knows after an entry: enough to go on from there. Never changed once made. */
export type State = {
  method: Method
  /** Order of the next acquisition. */
  nextOrder: number
  pools: readonly Pool[]
  /** Earliest first. */
  transit: readonly InTransit[]
  wallets: ReadonlyMap<Address, WalletTotals>
}

export function emptyState(method: Method = 'AVG'): State {
  return { method, nextOrder: 0, pools: [], transit: [], wallets: new Map() }
}
