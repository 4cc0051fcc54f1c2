import type { Address } from '../domain/address.ts'
import type { Decimal } from '../domain/decimal.ts'
import type { EvmAddress } from '../domain/evm-address.ts'
import type { Price } from '../domain/price.ts'
import type { SolanaAddress } from '../domain/solana-address.ts'
import type { WalletOnChain } from '../domain/wallet-on-chain.ts'
import type { WalletRead } from '../domain/wallet-read.ts'
import type { Clock, Timer } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import type { GaugeSource } from '../lib/metrics.ts'
import type { FxRates } from '../prices/fx-rate.ts'
import type { AirdropReading } from './airdrops.ts'
import type { ApprovalReading } from './approval-reading.ts'
import type { Chain } from './chain.ts'
import type { Collected, CollectedNow, PastBlock } from './collected.ts'
import type { ExecutionReading } from './execution-reading.ts'
import type { Adjustment, FindTokenAccounts, StoredHistories, StoredSums, WalletHistory } from './histories.ts'
import type { RpcPool } from './rpc/rpc-pool.ts'
import type { BlockAtTime, KnownBlock, LastBlocks, SeenBlock } from './seen-block.ts'
import type { ChainTypeSettings } from './settings.ts'
import type { ExplainPrice } from './shared/explain-price.ts'
import type { SearchStep } from './shared/search-end.ts'
import type {
  DiscoveryStore,
  ProtocolContractStore,
  RefusalStore,
  UntrustedContractStore,
  UsedProgramStore,
} from './stores.ts'
import type { KnownTokens, ListedTokens, ReadMetadata, Tokens } from './tokens.ts'

/** In Unix seconds. Rejects with `UpstreamError`. */
export type DayReading =
  | {
      readonly kept: true
      blockAt(chain: string, timestamp: number): Promise<BlockAtTime>
      /** The last blocks at or before `times`, which ascend. */
      lastBlocks(chain: string, times: readonly number[]): Promise<LastBlocks>
      finalBlock(chain: string): Promise<KnownBlock>
      newestBlock(chain: string): Promise<KnownBlock>
      /** The oldest block whose state an endpoint has, above one without; undefined if unknown. */
      oldestState(chain: string, missing: bigint): Promise<bigint | undefined>
      /** `plan`: of another read of the wallet. */
      collectAt(chain: Chain, wallet: Address, block: PastBlock, plan?: Collected['plan']): Promise<CollectedNow>
    }
  | {
      /** Nodes serve only the present state. */
      readonly kept: false
      timeOf(chain: string): Promise<number>
      collectFinal(chain: Chain, wallet: Address): Promise<WalletRead>
    }

export type ChainStores = {
  protocolContracts: ProtocolContractStore<EvmAddress>
  mintLeads: ProtocolContractStore<SolanaAddress>
  untrustedContracts: UntrustedContractStore
  discoveries: DiscoveryStore
  refusals: RefusalStore
  usedPrograms: UsedProgramStore
  histories: StoredHistories
  sums: StoredSums
  findTokenAccounts: FindTokenAccounts
}

export type ChainMeans = {
  chains: ReadonlyMap<string, Chain>
  pools: ReadonlyMap<string, RpcPool>
  listed: ListedTokens
  tokens<Reader>(readMetadata: ReadMetadata<Reader>): Tokens<Reader>
  stores: ChainStores
  settings: ChainTypeSettings
  clock: Clock
  timer: Timer
  log: Logger
}

/** `time` in Unix seconds. `amounts`: a pool pays less per unit for more. */
export type PastAmounts = { block: bigint; time: number; amounts: ReadonlyMap<Address, bigint> }

/** Rejects with `UpstreamError` if a source fails. Ask for the newest first: older blocks reuse unchanged feed prices. */
export type PricesAt = (chain: string) => (asked: readonly PastAmounts[]) => Promise<ReadonlyMap<Address, Price>[]>

export type HistoryReading = WalletHistory & {
  reconcile(of: WalletOnChain): Promise<readonly Adjustment[]>
  /** `rebasing`: the balance grows without a movement. */
  naturesOf(
    chain: string,
    tokens: readonly Address[],
  ): Promise<(token: Address) => { rebasing: boolean; ofProtocol: boolean }>
  readonly pricesAt: PricesAt
}

export type ChainRates = FxRates & {
  usdPerEach(currencies: readonly string[]): Promise<(Decimal | undefined)[]>
}

/** Rejects with `UpstreamError`. `before`: prices to keep where a source fails. */
export type ReadTokens = (
  chain: string,
  amounts: ReadonlyMap<Address, Decimal>,
  before?: readonly Price[],
) => Promise<Omit<WalletRead, 'wallet' | 'chain' | 'readAt' | 'holdings' | 'positions'>>

export type ChainReading = {
  readonly chains: ReadonlyMap<string, Chain>
  readonly tokens: { of(chain: Chain): Promise<KnownTokens> }
  /** Rejects with `UpstreamError`. */
  collect(chain: Chain, wallet: Address, previous?: Collected): Promise<CollectedNow>
  /** A `head` without hash makes it background work, which waits for rate limits. Rejects with `UpstreamError`. */
  search?(
    chain: Chain,
    wallet: Address,
    head: { block: bigint; hash: string | null },
    asked?: ReadonlySet<string>,
  ): Promise<SearchStep>
  /** Rejects with `UpstreamError` if no node answers. */
  listAhead?(chain: Chain): Promise<void>
  isReplaced(chain: Chain, block: SeenBlock): Promise<boolean>
  readonly days?: DayReading
  readonly history?: HistoryReading
  readonly readTokens?: ReadTokens
  readonly explainPrice?: ExplainPrice
  readonly rates?: ChainRates
  readonly approvals?: ApprovalReading
  readonly airdrops?: AirdropReading
  readonly execution?: (chain: string) => ExecutionReading
  readonly gauges?: readonly GaugeSource[]
}
