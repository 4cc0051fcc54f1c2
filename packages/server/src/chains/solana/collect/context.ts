import type { Clock } from '../../../lib/clock.ts'
import type { Gate } from '../../../lib/concurrency.ts'
import type { Logger } from '../../../lib/logger.ts'
import type { PriceGraph } from '../../../prices/price-graph.ts'
import type { Chain } from '../../chain.ts'
import type { ChainStores } from '../../chain-reading.ts'
import type { RpcPool } from '../../rpc/rpc-pool.ts'
import type { Tokens } from '../../tokens.ts'
import type { EarlierFinds } from '../protocols/adapter.ts'
import type { UnscaledMints } from '../reader/mints.ts'
import type { SolanaReader } from '../reader/solana-reader.ts'
import type { StoredLeads } from './mint-leads.ts'

/** By the key of a chain. */
export type SolanaContext = {
  chains: ReadonlyMap<string, Chain>
  pools: ReadonlyMap<string, RpcPool>
  stores: ChainStores
  openReader(chain: string): SolanaReader
  leads: StoredLeads
  findsOf(chain: string): EarlierFinds
  tokens: Tokens<SolanaReader>
  prices: PriceGraph<SolanaReader>
  unscaled: UnscaledMints
  /** Limits how many followed wallets are read at once. */
  followed: Gate
  clock: Clock
  log: Logger
}
