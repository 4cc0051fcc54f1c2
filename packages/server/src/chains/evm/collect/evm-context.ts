import type { PriceGraph } from '../../../prices/price-graph.ts'
import type { ChainMeans } from '../../chain-reading.ts'
import type { RpcPool } from '../../rpc/rpc-pool.ts'
import type { Tokens } from '../../tokens.ts'
import type { ProtocolDeployment } from '../protocols/adapter.ts'
import type { EvmReader, PlannedCall } from '../reader/evm-reader.ts'
import type { ProtocolContracts } from './protocol-contracts.ts'
import type { UntrustedContracts } from './untrusted-contracts.ts'
import type { SearchedKeys } from './wallet-keys.ts'

/** `create-reading.ts` creates it once. */
export type EvmContext = Omit<ChainMeans, 'tokens'> & {
  poolOf(chain: string): RpcPool
  /** Reads of past blocks are background work. */
  openReader(chain: string, plan?: readonly PlannedCall[], at?: bigint): EvmReader
  /** For background work: waits while an endpoint limits the rate. */
  openPatient(chain: string): EvmReader
  readonly deployments: readonly ProtocolDeployment[]
  readonly tokens: Tokens<EvmReader>
  readonly untrustedContracts: UntrustedContracts
  readonly protocolContracts: ProtocolContracts
  keysToSearch(chain: string): SearchedKeys
  readonly prices: PriceGraph<EvmReader>
  readonly datedPrices: PriceGraph<EvmReader>
}
