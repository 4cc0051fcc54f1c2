import { ENTRY_POINT_PROTOCOL } from '../../history/entry-points.ts'
import type { FamilyRow } from '../family.ts'

/** Every chain of the catalog: an entry point that a chain lacks is no instrument there. */
const CHAINS = [
  'abstract arbitrum arbitrum_nova aurora avalanche base berachain binance blast bob boba celo core',
  'cronos ethereum fantom fraxtal fuse gnosis hyperevm ink katana kava linea manta mantle megaeth metis',
  'mode monad moonbeam moonriver opbnb optimism plasma plume polygon polygon_zkevm rootstock scroll sei',
  'soneium sonic swellchain taiko telos unichain worldchain zksync zora',
].flatMap((line) => line.split(' '))

export const entryPointRows: readonly FamilyRow[] = CHAINS.map((chain) => ({
  ...{ key: ENTRY_POINT_PROTOCOL, name: 'ERC-4337', chain, siteUrl: 'https://eips.ethereum.org/EIPS/eip-4337' },
  deployment: {},
}))
