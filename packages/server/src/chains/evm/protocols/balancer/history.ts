import { type EvmAddress, evmAddress } from '../../../../domain/evm-address.ts'
import type { ReceiptLog } from '../../../../domain/transaction.ts'
import { addressTopic, topicOf } from '../../decode/log-words.ts'
import type { ProtocolHistory } from '../../decode/protocol-history.ts'
import { gaugedHistory } from '../shared/gauged-pools.ts'
import type { Deployment } from './deployment.ts'

/** Pool, token in, token out, amounts. */
const SWAP = topicOf('Swap(bytes32,address,address,uint256,uint256)')
const ADDRESS_CHARS = 42

/** The vaults trade shares that pools minted for themselves. */
export function balancerHistory(deployment: Deployment): ProtocolHistory {
  const { vault, vault3 } = deployment
  return {
    ...gaugedHistory(deployment),
    contracts: [vault, vault3].flatMap((one) => one ?? []),
    makes: (log) => (log.address === vault ? ownShareIn(log) : undefined),
  }
}

/** The first bytes of a pool ID are the pool's address. */
function ownShareIn(log: ReceiptLog): EvmAddress | undefined {
  const [topic, id] = log.topics
  if (topic !== SWAP || id === undefined) return undefined
  const pool = evmAddress(id.slice(0, ADDRESS_CHARS))
  return addressTopic(log, 2) === pool || addressTopic(log, 3) === pool ? pool : undefined
}
