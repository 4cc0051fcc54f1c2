import type { PriceGraph } from '../../../prices/price-graph.ts'
import type { ChainMeans } from '../../chain-reading.ts'
import type { RpcPool } from '../../rpc/rpc-pool.ts'
import type { Tokens } from '../../tokens.ts'
import type { EvmReader, PlannedCall } from '../reader/evm-reader.ts'
import type { ProtocolContracts } from './protocol-contracts.ts'
import type { SearchedKeys } from './wallet-keys.ts'

/** `open.ts` creates it once. */
export type EvmContext = Omit<ChainMeans, 'tokens'> & {
  poolOf(chain: string): RpcPool
  /** Latest block by default. Reads of past blocks are background work. */
  openReader(chain: string, plan?: readonly PlannedCall[], at?: bigint): EvmReader
  /** For background work: waits while an endpoint limits the rate. */
  openPatient(chain: string): EvmReader
  readonly tokens: Tokens<EvmReader>
  readonly protocolContracts: ProtocolContracts
  keysToSearch(chain: string): SearchedKeys
  readonly prices: PriceGraph<EvmReader>
  readonly datedPrices: PriceGraph<EvmReader>
}
