import { z } from 'zod'
import { NATIVE } from '../../../../domain/evm-address.ts'
import { entryPoints } from '../../history/entry-points.ts'
import { isDeployed } from '../deployment.ts'
import type { Family } from '../family.ts'
import { entryPointRows } from './rows.ts'

const deployment = z.strictObject({})

/**
 * Deposits of accounts at ERC-4337's entry points: coin that they sent ahead for their operations and that gas did not
 * use. `withdrawTo` pays it out at any time.
 */
export const entryPointDeposits: Family<z.infer<typeof deployment>> = {
  name: 'entry_points',
  deployment,
  rows: entryPointRows,

  async discover({ reader }) {
    const deployed = await Promise.all(entryPoints.map(({ address }) => isDeployed(reader, address)))
    return entryPoints
      .filter((_, i) => deployed[i])
      .map(({ address, version }) => ({
        ...{ address, role: 'deposits', fungible: false, underlyings: [NATIVE], data: { version } },
      }))
  },

  positions: async ({ held }) =>
    held.map(({ address, balanceRaw, data }) => ({
      kind: 'deposit',
      label: `EntryPoint ${data?.['version'] ?? ''}`.trim(),
      pool: address,
      supplied: [{ token: NATIVE, amountRaw: balanceRaw }],
    })),
}
