import type { Abi } from 'viem'
import type { z } from 'zod'
import type { EvmAddress } from '../../../domain/evm-address.ts'
import type { Position, PositionDraft, TokenAmount } from '../../../domain/position.ts'
import type { ProtocolRow } from '../../protocol-row.ts'
import type { ProtocolHistory } from '../decode/protocol-history.ts'
import type { SearchedLogs } from '../logs/logs.ts'
import type { EvmReader, Lens } from '../reader/evm-reader.ts'

/** From logs. The position may have left the wallet since. */
export type PositionId = { contract: EvmAddress; key: bigint }

/** Its `balanceOf(wallet)` shows a position. Found once for all wallets. */
export type ProtocolContract = {
  address: EvmAddress
  /** E.g. `supply`, `debt`, `market`, `pair`, `vault`, `manager`. */
  role: string
  /** A unit is a share of the underlyings, shown as a token. False for debts and position managers. */
  fungible: boolean
  /** In the protocol's order; empty if only a read can tell. If not fungible, all tokens of its position. */
  underlyings: EvmAddress[]
  /** Further tokens to price ahead, such as collateral and rewards. */
  alsoShown?: EvmAddress[]
  data?: Readonly<Record<string, string>>
}

/** Counts once the chain proves that the wallet owns the address. */
export type SubAccount = { address: EvmAddress; held: readonly HeldContract[] }

export type FurtherPositions = { keys: readonly PositionId[]; contracts: readonly EvmAddress[] }

export type At<D> = { reader: EvmReader; deployment: D }

/** `keys`: position IDs from all logs so far, also at a past block. */
export type PositionScope<D> = At<D> & {
  wallet: EvmAddress
  protocolContracts: readonly ProtocolContract[]
  held: readonly HeldContract[]
  keys: readonly PositionId[]
  further: readonly SubAccount[]
  leftOut: LeftOut
}

/**
 * Lists the protocol as incomplete, unless the contract is untrusted. `part`: the rest of the contract's position is
 * returned.
 */
export type LeftOut = (why: unknown, protocolContract?: ProtocolContract, isPart?: 'part') => void

/**
 * No prices, no clock, no I/O but the reader, no swallowed failures. Rejects if it cannot read: the collector keeps its
 * last positions. Never throws `UpstreamError`, which fails the whole chain.
 */
export type ProtocolAdapter<D> = {
  readonly name: string
  readonly deployment: z.ZodType<D>
  readonly rows: readonly DeploymentRow[]
  readonly lenses?: readonly Lens<Abi>[]
  /** Calls `positions` for every wallet: debts or rewards may leave no balance. */
  readonly readsEveryWallet?: true
  /**
   * Absent if all the deployment's addresses are contracts. An incomplete, unreadable deployment counts as empty at a
   * past block.
   */
  contracts?(deployment: D): readonly EvmAddress[]
  /** A contract that refuses is left out and reported. */
  readonly eachAlone?: true
  /** Unlisted contracts report any balance: they count only for wallets that received them. */
  readonly countsWhereSent?: true
  /** Its contracts report no balances: only `probe` finds them. */
  readonly probedOnly?: true
  /** Needs no wallet. Stored and renewed daily. */
  discover(scope: At<D>): Promise<ProtocolContract[]>
  /** Daily, from untrusted logs; drops unrecognised ones. `isListed`: a token list contains the token. */
  recognise?(
    scope: At<D> & { tokens: readonly EvmAddress[]; isListed(token: EvmAddress): boolean },
  ): Promise<ProtocolContract[]>
  /** If absent, all contracts are vouched for. */
  vouches?(deployment: D, protocolContract: ProtocolContract): boolean
  /**
   * Finds a position without a balance. Every wallet pays its gas: keep it small. Rejects if the contract refuses.
   * `positions` may repeat it for free.
   */
  probe?(scope: At<D> & { wallet: EvmAddress; protocolContract: ProtocolContract }): Promise<boolean>
  /**
   * Logs of what contracts do not list. A wallet at another topic than the second costs a request per search. `any`:
   * offers each logging contract to `recognise`.
   */
  keyLogs?(deployment: D): readonly SearchedLogs[]
  /**
   * `positions` reports missing position IDs. Otherwise a wallet with more IDs than are read makes the protocol
   * incomplete.
   */
  readonly provesKeys?: true
  /** Runs in the background after each log search, if logs gave a position ID. */
  moreKeys?(scope: At<D> & { wallet: EvmAddress }): Promise<FurtherPositions>
  /** Without the wallet itself. `positions` proves that the wallet owns them. */
  subAccounts?(deployment: D, wallet: EvmAddress, keys: readonly PositionId[]): readonly EvmAddress[]
  /** Issue every read before awaiting the first answer: reads of one tick share one call. */
  positions(scope: PositionScope<D>): Promise<PositionDraft[]>
  /**
   * Underlyings price the token everywhere: keep them in proportion. Claims on an untrusted contract share its
   * `backing`. `undefined`: not decomposed.
   */
  decompose?(scope: At<D> & Decomposed): Promise<TokenAmount[] | undefined>
  poolFactory?(deployment: D): PoolFactory
  history?(deployment: D): ProtocolHistory
}

/** Zero if only a probe found something. */
export type HeldContract = ProtocolContract & { balanceRaw: bigint }

/** `owner`: the wallet that would take the underlyings out. */
type Decomposed = { protocolContract: ProtocolContract; amountRaw: bigint; owner?: EvmAddress | undefined }

export type PoolFactory = {
  kind: 'uniswap_v2' | 'uniswap_v3'
  factory: EvmAddress
  /** v2 forks: kept of a sale, in millionths; defaults to Uniswap's 0.3 %. */
  feeMillionths?: number
  feeTiers?: readonly number[]
}

export type DeploymentRow = Omit<ProtocolRow, 'family'>

/** Reads of positions and underlyings set impaired contracts apart. */
export type ProtocolDeployment = {
  /** Names the deployment in storage. */
  readonly id: string
  readonly key: string
  readonly name: string
  readonly chain: string
  readonly adapter: ProtocolAdapter<unknown>
  /** For the adapter, whose schema checked it. */
  readonly deployment: unknown
  readonly contracts: readonly EvmAddress[]
  readonly keyLogs: readonly SearchedLogs[]
  readonly history: ProtocolHistory
  readonly poolFactory: PoolFactory | undefined
  positions(
    reader: EvmReader,
    wallet: EvmAddress,
    found: Omit<PositionScope<unknown>, 'reader' | 'deployment' | 'wallet' | 'further'> & {
      further?: readonly SubAccount[]
    },
  ): Promise<Position[]>
  decompose(reader: EvmReader, share: Decomposed): Promise<TokenAmount[] | undefined>
}

/** `protocolContracts`: undefined if they could not be listed yet. */
export type KnownDeployment = {
  deployment: ProtocolDeployment
  protocolContracts: readonly ProtocolContract[] | undefined
}

export const isVouched = ({ adapter, deployment }: ProtocolDeployment, protocolContract: ProtocolContract): boolean =>
  adapter.vouches?.(deployment, protocolContract) ?? true

type Names = Omit<DeploymentRow, 'chain' | 'deployment'>
type Deployments = Readonly<Record<string, DeploymentRow['deployment']>>

export function rowsByChain(protocol: Names, deployments: Deployments): DeploymentRow[] {
  return Object.entries(deployments).map(([chain, deployment]) => ({ ...protocol, chain, deployment }))
}

export const rowsOfForks = (forks: readonly (Names & { deployments: Deployments })[]): DeploymentRow[] =>
  forks.flatMap(({ deployments, ...protocol }) => rowsByChain(protocol, deployments))
