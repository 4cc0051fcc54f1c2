import type { Address } from '../domain/address.ts'
import type { Decimal } from '../domain/decimal.ts'
import type { WalletOnChain } from '../domain/wallet-on-chain.ts'
import type { WalletRead } from '../domain/wallet-read.ts'
import type { Clock, Timer } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import type { GaugeSource } from '../lib/metrics.ts'
import type { FxRates } from '../prices/fx-rate.ts'
import type { AirdropReading } from './airdrops.ts'
import type { ApprovalReading } from './approval-reading.ts'
import type { Chain } from './chain.ts'
import type { ExplainPrice } from './collect/explain-price.ts'
import type { SearchStep } from './collect/search-end.ts'
import type { Collected, CollectedNow, PastBlock } from './collected.ts'
import type { ExecutionReading } from './execution-reading.ts'
import type { Adjustment, WalletHistory } from './histories.ts'
import type { PricesAt } from './past-prices.ts'
import type { RpcPool } from './rpc/rpc-pool.ts'
import type { BlockAtTime, SeenBlock } from './seen-block.ts'
import type { KindSettings } from './settings.ts'
import type { KindStores } from './stores.ts'
import type { ReadTokens } from './token-worth.ts'
import type { KnownTokens, ListedTokens, ReadMetadata, Tokens } from './tokens.ts'

/** What a kind is given to read its enabled chains. */
export type KindMeans = {
  chains: ReadonlyMap<string, Chain>
  /** Endpoints of all enabled chains, by chain key. */
  pools: ReadonlyMap<string, RpcPool>
  listed: ListedTokens
  /** The tokens of chains that a reader of this kind reads, known to all processes. */
  tokens<Reader>(readMetadata: ReadMetadata<Reader>): Tokens<Reader>
  stores: KindStores
  settings: KindSettings
  clock: Clock
  timer: Timer
  log: Logger
}

/** The block that a search continues to. Without its hash the search is background work, which waits for rate limits. */
type SearchedHead = { block: bigint; hash: string | null }

/** How a kind provides a wallet's state at a moment, in Unix seconds. All reject with `UpstreamError`. */
type DayReading =
  | {
      /** Nodes keep past states, for a while or forever. */
      readonly kept: true
      blockAt(chain: string, timestamp: number): Promise<BlockAtTime>
      collectAt(chain: Chain, wallet: Address, block: PastBlock): Promise<Collected>
    }
  | {
      /** Nodes serve the present state only. */
      readonly kept: false
      /** What time it is on a chain, by its last final block. */
      timeOf(chain: string): Promise<number>
      /** Reads the wallet at a block that is final, with nothing of earlier reads. */
      collectFinal(chain: Chain, wallet: Address): Promise<WalletRead>
    }

/** Facts about a token that accounting needs beside its metadata. */
type TokenNature = {
  /** Its balance grows without a movement. */
  rebasing: boolean
  /** A protocol names it. */
  ofProtocol: boolean
}

export type HistoryReading = WalletHistory & {
  /** Stores what balances differ by from the sums of movements, where the search itself does not. */
  reconcile(of: WalletOnChain): Promise<readonly Adjustment[]>
  naturesOf(chain: string, tokens: readonly Address[]): Promise<(token: Address) => TokenNature>
  readonly pricesAt: PricesAt
}

/** Exchange rates that this kind's chains and the operator's sources know. */
export type KindRates = FxRates & {
  /** In the order of the currencies, with one reader for each chain. */
  usdPerEach(currencies: readonly string[]): Promise<(Decimal | undefined)[]>
}

/** The enabled chains of a kind, open for reading. What a kind cannot do is absent. */
export type KindReading = {
  readonly chains: ReadonlyMap<string, Chain>
  readonly tokens: { of(chain: Chain): Promise<KnownTokens> }
  /** Reads a wallet as it is now. Rejects with `UpstreamError`. */
  collect(chain: Chain, wallet: Address, previous?: Collected): Promise<CollectedNow>
  /**
   * Continues the search for what no list names. `found`: the next read will ask about something that is not in `asked`,
   * or without it that was not known. Rejects with `UpstreamError`. Absent where a read lacks nothing.
   */
  search?(chain: Chain, wallet: Address, head: SearchedHead, asked?: ReadonlySet<string>): Promise<SearchStep>
  /**
   * Lists what is the same for all wallets of a chain, such as the contracts of protocols, so that the first read does not
   * wait for it. Does nothing where a process has done so lately. Rejects with `UpstreamError` if no node answers.
   */
  listAhead?(chain: Chain): Promise<void>
  /** Whether a block that was read once is not on the chain any more. */
  isReplaced(chain: Chain, block: SeenBlock): Promise<boolean>
  /** Absent where a wallet's state at the start of a day cannot be read. */
  readonly days?: DayReading
  /** Absent where what happened to a wallet cannot be read. */
  readonly history?: HistoryReading
  readonly readTokens?: ReadTokens
  /** Absent where nobody can say why a price is what it is. */
  readonly explainPrice?: ExplainPrice
  readonly rates?: KindRates
  readonly approvals?: ApprovalReading
  readonly airdrops?: AirdropReading
  /** Reads a chain as the execution chain of a beacon chain. */
  readonly execution?: (chain: string) => ExecutionReading
  readonly gauges?: readonly GaugeSource[]
}
