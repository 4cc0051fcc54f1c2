import { isDeployed } from '../deployment.ts'
import type { Family, Instrument } from '../family.ts'
import { gaugedPools } from '../shared/gauged-pools.ts'
import { gaugeAt, isGauge } from '../shared/gauges.ts'
import { discoverEscrow } from '../shared/vote-escrow.ts'
import { type Deployment, deployment } from './deployment.ts'
import { instrumentOf, shareAt, worthOf } from './pools.ts'
import { curveRows } from './rows.ts'

/**
 * Curve: shares of pools of every generation, as what a withdrawal in proportion pays; gauges as the share that is staked
 * in them, with what could be claimed; CRV that is locked for votes, with fees. Pools and gauges of the row are read for
 * everybody, the others where the wallet's logs lead to them and a registry, a factory or the controller vouches for them.
 */
export const curve: Family<Deployment> = {
  name: 'curve',
  deployment,
  rows: curveRows,
  ...gaugedPools<Deployment>(worthOf),

  async discover({ reader, deployment: { pools, gauges, escrow } }) {
    const found = await Promise.all([
      ...pools.map(async ({ pool, token = pool, gauge }): Promise<(Instrument | undefined)[]> => {
        if (!(await isDeployed(reader, pool))) return []
        return Promise.all([
          instrumentOf(reader, { pool, token }),
          gauge && gauges ? gaugeAt(reader, gauges, gauge, true) : undefined,
        ])
      }),
      escrow ? discoverEscrow(reader, escrow) : [],
    ])
    return found.flat().flatMap((instrument) => instrument ?? [])
  },

  async recognise({ reader, deployment: row, tokens }) {
    const found = await Promise.all(
      tokens.flatMap((token) => [shareAt(reader, row, token), row.gauges && gaugeAt(reader, row.gauges, token)]),
    )
    return found.flatMap((instrument) => instrument ?? [])
  },

  /** A share is vouched for by whoever registered its pool; gauges are many, and read for those to whom they were sent. */
  vouches: ({ pools }, instrument) => !isGauge(instrument) || pools.some(({ gauge }) => gauge === instrument.address),
}
