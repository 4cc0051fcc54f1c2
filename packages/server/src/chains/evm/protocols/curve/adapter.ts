import type { ProtocolAdapter, ProtocolContract } from '../adapter.ts'
import { isDeployed } from '../deployment.ts'
import { gaugedPools } from '../shared/gauged-pools.ts'
import { gaugeAt, isGauge } from '../shared/gauges.ts'
import { discoverEscrow } from '../shared/vote-escrow.ts'
import { type Deployment, deployment } from './deployment.ts'
import { protocolContractOf, shareAt, worthOf } from './pools.ts'
import { curveRows } from './rows.ts'

/**
 * Curve: pool shares as a proportional withdrawal, gauges, locked CRV. Pools and gauges outside the deployment need a
 * log of the wallet, and a registry, a factory or the controller that vouches for them.
 */
export const curve: ProtocolAdapter<Deployment> = {
  name: 'curve',
  deployment,
  rows: curveRows,
  ...gaugedPools<Deployment>(worthOf),

  async discover({ reader, deployment: { pools, gauges, escrow } }) {
    const found = await Promise.all([
      ...pools.map(async ({ pool, token = pool, gauge }): Promise<(ProtocolContract | undefined)[]> => {
        if (!(await isDeployed(reader, pool))) return []
        return Promise.all([
          protocolContractOf(reader, { pool, token }),
          gauge && gauges ? gaugeAt(reader, gauges, gauge, true) : undefined,
        ])
      }),
      escrow ? discoverEscrow(reader, escrow) : [],
    ])
    return found.flat().flatMap((protocolContract) => protocolContract ?? [])
  },

  async recognise({ reader, deployment: row, tokens }) {
    const found = await Promise.all(
      tokens.flatMap((token) => [shareAt(reader, row, token), row.gauges && gaugeAt(reader, row.gauges, token)]),
    )
    return found.flatMap((protocolContract) => protocolContract ?? [])
  },

  /** Gauges are many, and read only for wallets to which they were sent. */
  vouches: ({ pools }, protocolContract) =>
    !isGauge(protocolContract) || pools.some(({ gauge }) => gauge === protocolContract.address),
}
