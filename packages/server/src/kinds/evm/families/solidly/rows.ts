import { coreAssets } from '../core-assets.ts'
import type { FamilyRow } from '../family.ts'

const velodrome = (chain: string, factory: string, voter: string): FamilyRow => ({
  ...{ key: 'velodrome_v2', name: 'Velodrome V2', chain, siteUrl: 'https://velodrome.finance' },
  deployment: { factory, voter, tokens: coreAssets[chain] ?? [] },
})

/** On the chains beside Optimism all contracts have the same addresses; their voters get emissions from there. */
const LEAF_FACTORY = '0x31832f2a97fd20664d76cc421207669b55ce4bc0'
const LEAF_VOTER = '0x97cdbce21b6fd0585d29e539b1b99dad328a1123'
const LEAF_CHAINS = ['bob', 'celo', 'fraxtal', 'ink', 'mode', 'soneium', 'swellchain', 'unichain']

/** Sources: the environments of Velodrome's Sugar, and adapters of others. */
export const solidlyRows: readonly FamilyRow[] = [
  {
    ...{ key: 'aerodrome', name: 'Aerodrome', chain: 'base', siteUrl: 'https://aerodrome.finance' },
    deployment: {
      factory: '0x420dd381b31aef6683db6b902084cb0ffece40da',
      voter: '0x16613524e02ad97edfef371bc883f2f5d6c480a5',
      tokens: coreAssets['base'] ?? [],
    },
  },
  velodrome('optimism', '0xf1046053aa5682b4f9a81b5481394da16be5ff5a', '0x41c914ee0c7e1a5edcd0295623e6dc557b5abf3c'),
  ...LEAF_CHAINS.map((chain) => velodrome(chain, LEAF_FACTORY, LEAF_VOTER)),
]
