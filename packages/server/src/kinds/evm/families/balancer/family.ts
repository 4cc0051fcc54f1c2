import type { Family } from '../family.ts'
import { gaugedPools } from '../shared/gauged-pools.ts'
import { gaugeAt } from '../shared/gauges.ts'
import { discoverEscrow, isLock } from '../shared/vote-escrow.ts'
import { type Deployment, deployment } from './deployment.ts'
import { balancerHistory } from './history.ts'
import { isMade, shareAt, worthOf } from './pools.ts'
import { balancerRows } from './rows.ts'

/**
 * Balancer v2 and v3: shares of pools as what an exit in proportion pays; gauges as the share that is staked in them, with
 * what could be claimed; the locked share that votes, with fees. Pools and gauges are found by the wallet's logs and count
 * where a vault knows them, or a factory of gauges.
 */
export const balancer: Family<Deployment> = {
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
    return found.flatMap((instrument) => instrument ?? [])
  },

  /** Pools of known factories may lie inside gauges and other pools; the others are read for those to whom they were sent. */
  vouches: (_, instrument) => isLock(instrument) || isMade(instrument),

  history: balancerHistory,
}
