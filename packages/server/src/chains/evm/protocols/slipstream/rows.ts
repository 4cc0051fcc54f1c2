import type { DeploymentRow } from '../adapter.ts'

const velodrome = (chain: string, deployment: DeploymentRow['deployment']): DeploymentRow => ({
  key: 'velodrome_slipstream',
  name: 'Velodrome Slipstream',
  chain,
  siteUrl: 'https://velodrome.finance',
  deployment,
})

/** The same addresses on all these chains. */
const LEAF_CHAINS = ['fraxtal', 'soneium', 'swellchain', 'unichain']

/** Sources: Velodrome's Sugar environments, Slipstream's deployments, third-party adapters. */
export const slipstreamRows: readonly DeploymentRow[] = [
  {
    key: 'aerodrome_slipstream',
    name: 'Aerodrome Slipstream',
    chain: 'base',
    siteUrl: 'https://aerodrome.finance',
    deployment: {
      registry: '0x5c3f18f06cc09ca1910767a34a20f771039e37c0',
      voter: '0x16613524e02ad97edfef371bc883f2f5d6c480a5',
      // First manager, that of gauges with a cap, that of the third gauges.
      managers: [
        '0x827922686190790b37229fd06084350e74485b72',
        '0xa990c6a764b73bf43cee5bb40339c3322fb9d55f',
        '0xe1f8cd9ac4e4a65f54f38a5cdafca44f6dd68b53',
      ],
    },
  },
  velodrome('optimism', {
    registry: '0xf4c67cdeaab8360370f41514d06e32ccd8aa1d7b',
    voter: '0x41c914ee0c7e1a5edcd0295623e6dc557b5abf3c',
    managers: ['0x416b433906b1b72fa758e166e239c43d68dc6f29'],
  }),
  ...LEAF_CHAINS.map((chain) =>
    velodrome(chain, {
      registry: '0x42b9279236f590bd93736f806224825cbf5f7ae5',
      voter: '0x97cdbce21b6fd0585d29e539b1b99dad328a1123',
      managers: ['0x991d5546c4b442b4c5fdc4c8b8b8d131deb24702'],
    }),
  ),
]
