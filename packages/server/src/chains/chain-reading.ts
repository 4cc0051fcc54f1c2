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
import type { Collected, CollectedNow, DayReading } from './collected.ts'
import type { ExecutionReading } from './execution-reading.ts'
import type { Adjustment, FindTokenAccounts, StoredHistories, StoredSums, WalletHistory } from './histories.ts'
import type { RpcPool } from './rpc/rpc-pool.ts'
import type { SeenBlock } from './seen-block.ts'
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

export type ChainStores = {
  protocolContracts: ProtocolContractStore<EvmAddress>
  mintLeads: Pick<ProtocolContractStore<SolanaAddress>, 'findAmong' | 'add'>
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

/** Without `hash`, the search is background work, which waits for rate limits. */
type SearchedHead = { block: bigint; hash: string | null }

type TokenNature = {
  /** The balance grows without a movement. */
  rebasing: boolean
  ofProtocol: boolean
}

/** `time` in Unix seconds. `amounts`: a pool pays less per unit for more. */
export type PastAmounts = { block: bigint; time: number; amounts: ReadonlyMap<Address, bigint> }

/**
 * Rejects with `UpstreamError` when a source that may know fails. Without state, other sources remain. Older blocks
 * reuse an unchanged feed price: ask for the newest first.
 */
export type PricesAt = (chain: string) => (asked: readonly PastAmounts[]) => Promise<ReadonlyMap<Address, Price>[]>

export type HistoryReading = WalletHistory & {
  reconcile(of: WalletOnChain): Promise<readonly Adjustment[]>
  naturesOf(chain: string, tokens: readonly Address[]): Promise<(token: Address) => TokenNature>
  readonly pricesAt: PricesAt
}

export type ChainRates = FxRates & {
  usdPerEach(currencies: readonly string[]): Promise<(Decimal | undefined)[]>
}

type TokensRead = Pick<WalletRead, 'block' | 'blockTime' | 'tokens' | 'prices' | 'gaps'>

/** Rejects with `UpstreamError`, `not-allowed` for a disabled chain. `before`: prices to keep where a source fails. */
export type ReadTokens = (
  chain: string,
  amounts: ReadonlyMap<Address, Decimal>,
  before?: readonly Price[],
) => Promise<TokensRead>

export type ChainReading = {
  readonly chains: ReadonlyMap<string, Chain>
  readonly tokens: { of(chain: Chain): Promise<KnownTokens> }
  /** Rejects with `UpstreamError`. */
  collect(chain: Chain, wallet: Address, previous?: Collected): Promise<CollectedNow>
  /** `found`: the next read will ask about something new. Rejects with `UpstreamError`. */
  search?(chain: Chain, wallet: Address, head: SearchedHead, asked?: ReadonlySet<string>): Promise<SearchStep>
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
