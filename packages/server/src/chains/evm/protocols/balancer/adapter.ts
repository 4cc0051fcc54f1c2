import { type EvmAddress, evmAddress } from '../../../../domain/evm-address.ts'
import type { ReceiptLog } from '../../../../domain/transaction.ts'
import { addressTopic, topicOf } from '../../decode/log-words.ts'
import type { ProtocolHistory } from '../../decode/protocol-history.ts'
import { type ProtocolAdapter, rowsOfForks } from '../adapter.ts'
import { gaugedHistory, gaugedPools } from '../shared/gauges.ts'
import { discoverEscrow, isLock } from '../shared/vote-escrow.ts'
import forks from './forks.json' with { type: 'json' }
import { type Deployment, deployment, isMade, shareAt, worthOf } from './pools.ts'

/** Shares count as a proportional exit. Pools and gauges from logs count if a vault or a gauge factory knows them. */
export const balancer: ProtocolAdapter<Deployment> = {
  name: 'balancer',
  deployment,
  /**
   * Sources: `addresses` of `balancer/balancer-deployments` (vaults, factories, gauges), its task of tokens (BAL);
   * `balancer/backend` and `balancer/balancer-sdk` (fee tokens); DefiLlama's list of Balancer's forks. veBAL is a locked
   * share of 80 % BAL and 20 % WETH. Its fees are in BAL, USDC, and three earlier shares of bb-a-USD.
   */
  rows: rowsOfForks(forks),
  ...gaugedPools<Deployment>(shareAt, worthOf),

  discover: async ({ reader, deployment: { escrow } }) => (escrow ? discoverEscrow(reader, escrow) : []),

  /** Pools of known factories may lie inside gauges. */
  vouches: (_, protocolContract) => isLock(protocolContract) || isMade(protocolContract),

  history: balancerHistory,
}

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

/** A pool ID begins with the address of the pool. */
function ownShareIn(log: ReceiptLog): EvmAddress | undefined {
  const [topic, id] = log.topics
  if (topic !== SWAP || id === undefined) return undefined
  const pool = evmAddress(id.slice(0, ADDRESS_CHARS))
  return addressTopic(log, 2) === pool || addressTopic(log, 3) === pool ? pool : undefined
}
