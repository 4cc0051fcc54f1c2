import type { EvmAddress } from '../../../domain/evm-address.ts'
import { patientPool } from '../../rpc/patient-pool.ts'
import type { RpcPool } from '../../rpc/rpc-pool.ts'
import { TRANSFER, topicOfAddress } from './erc20-events.ts'
import { type FoundLogs, findLogs } from './scan-logs.ts'

/** The contracts whose tokens a wallet was sent. Anyone can create and send a token. */
export type DiscoveredTokens = Pick<FoundLogs, 'covered' | 'missing' | 'failure'> & {
  /** Fungible: the amount is in the data. */
  erc20s: EvmAddress[]
  /** Non-fungible: the token's id is a fourth topic. */
  erc721s: EvmAddress[]
}

/**
 * Contracts that logged a transfer to `wallet` in the range. Misses tokens that mint or wrap without a `Transfer`.
 * Skips ERC-20 transfers of zero, which spam uses to get noticed.
 */
export async function discoverTokens(
  pool: RpcPool,
  wallet: EvmAddress,
  fromBlock: bigint,
  toBlock: bigint,
  maxRequests?: number,
): Promise<DiscoveredTokens> {
  const topics = [TRANSFER, null, topicOfAddress(wallet)]
  const { logs, ...rest } = await findLogs({
    pool: patientPool(pool),
    topics,
    fromBlock,
    toBlock,
    ...(maxRequests && { maxRequests }),
  })
  const erc20s = new Set<EvmAddress>()
  const erc721s = new Set<EvmAddress>()
  for (const { address, topics: found, data } of logs) {
    if (found.length === 4) erc721s.add(address)
    else if (/[1-9a-f]/.test(data.slice(2))) erc20s.add(address)
  }
  return { ...rest, erc20s: [...erc20s], erc721s: [...erc721s] }
}
