import { type EvmAddress, evmAddress } from '../../../../domain/evm-address.ts'
import type { ReceiptLog } from '../../../../domain/transaction.ts'
import { addressTopic, topicOf } from '../../decode/log-words.ts'
import type { ProtocolHistory } from '../../decode/protocol-history.ts'
import type { ProtocolAdapter } from '../adapter.ts'
import { gaugedHistory, gaugedPools } from '../shared/gauged-pools.ts'
import { gaugeAt } from '../shared/gauges.ts'
import { discoverEscrow, isLock } from '../shared/vote-escrow.ts'
import { type Deployment, deployment } from './deployment.ts'
import { isMade, shareAt, worthOf } from './pools.ts'
import { balancerRows } from './rows.ts'

/** Pool, token in, token out, amounts. */
const SWAP = topicOf('Swap(bytes32,address,address,uint256,uint256)')
const ADDRESS_CHARS = 42

/** The vaults trade shares that pools minted for themselves. */
function balancerHistory(deployment: Deployment): ProtocolHistory {
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

/**
 * Balancer: shares as a proportional exit, gauges, veBAL. Pools and gauges from logs count if a vault or a gauge
 * factory knows them.
 */
export const balancer: ProtocolAdapter<Deployment> = {
  name: 'balancer',
  deployment,
  rows: balancerRows,
  ...gaugedPools<Deployment>(worthOf),

  discover: async ({ reader, deployment: { escrow } }) => (escrow ? discoverEscrow(reader, escrow) : []),

  async recognise({ tokens, ...at }) {
    const { reader, deployment: row } = at
    const found = await Promise.all(
      tokens.flatMap((token) => [shareAt(at, token), row.gauges && gaugeAt(reader, row.gauges, token)]),
    )
    return found.flatMap((protocolContract) => protocolContract ?? [])
  },

  /** Pools of known factories may lie inside gauges; others are read only for wallets to which they were sent. */
  vouches: (_, protocolContract) => isLock(protocolContract) || isMade(protocolContract),

  history: balancerHistory,
}
