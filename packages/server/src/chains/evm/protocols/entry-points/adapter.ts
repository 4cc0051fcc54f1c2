import { z } from 'zod'
import { NATIVE } from '../../../../domain/evm-address.ts'
import { ENTRY_POINT_PROTOCOL, entryPoints } from '../../decode/user-operations.ts'
import type { DeploymentRow, ProtocolAdapter } from '../adapter.ts'
import { deployedOf } from '../deployment.ts'

const CHAINS = [
  'abstract arbitrum arbitrum_nova aurora avalanche base berachain binance blast bob boba celo core',
  'cronos ethereum fantom fraxtal fuse gnosis hyperevm ink katana kava linea manta mantle megaeth metis',
  'mode monad moonbeam moonriver opbnb optimism plasma plume polygon polygon_zkevm rootstock scroll sei',
  'soneium sonic swellchain taiko telos unichain worldchain zksync zora',
].flatMap((line) => line.split(' '))

const entryPointRows: readonly DeploymentRow[] = CHAINS.map((chain) => ({
  key: ENTRY_POINT_PROTOCOL,
  name: 'ERC-4337',
  chain,
  siteUrl: 'https://eips.ethereum.org/EIPS/eip-4337',
  deployment: {},
}))

const deployment = z.strictObject({})

/** Coin sent ahead for operations, not used for gas. `withdrawTo` pays it out at any time. */
export const entryPointDeposits: ProtocolAdapter<z.infer<typeof deployment>> = {
  name: 'entry_points',
  deployment,
  rows: entryPointRows,

  discover: ({ reader }) =>
    deployedOf(
      reader,
      entryPoints.map(({ address, version }) => {
        return { address, role: 'deposits', fungible: false, underlyings: [NATIVE], data: { version } }
      }),
    ),

  positions: async ({ held }) =>
    held.map(({ address, balanceRaw, data }) => ({
      kind: 'deposit',
      label: `EntryPoint ${data?.['version'] ?? ''}`.trim(),
      pool: address,
      supplied: [{ token: NATIVE, amountRaw: balanceRaw }],
    })),
}
