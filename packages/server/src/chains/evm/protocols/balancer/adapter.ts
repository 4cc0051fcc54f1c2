import type { ProtocolAdapter } from '../adapter.ts'
import { gaugedPools } from '../shared/gauged-pools.ts'
import { gaugeAt } from '../shared/gauges.ts'
import { discoverEscrow, isLock } from '../shared/vote-escrow.ts'
import { type Deployment, deployment } from './deployment.ts'
import { balancerHistory } from './history.ts'
import { isMade, shareAt, worthOf } from './pools.ts'
import { balancerRows } from './rows.ts'

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
