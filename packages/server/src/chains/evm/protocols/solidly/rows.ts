import type { DeploymentRow } from '../adapter.ts'
import { coreAssets } from '../core-assets.ts'

const velodrome = (chain: string, deployment: DeploymentRow['deployment']): DeploymentRow => ({
  key: 'velodrome_v2',
  name: 'Velodrome V2',
  chain,
  siteUrl: 'https://velodrome.finance',
  deployment: { ...deployment, tokens: coreAssets[chain] ?? [] },
})

/** The same addresses on these chains, whose voters get emissions from Optimism. */
const LEAF_FACTORY = '0x31832f2a97fd20664d76cc421207669b55ce4bc0'
const LEAF_VOTER = '0x97cdbce21b6fd0585d29e539b1b99dad328a1123'
const LEAF_CHAINS = ['bob', 'celo', 'fraxtal', 'ink', 'mode', 'soneium', 'swellchain', 'unichain']

/** Sources: Velodrome's Sugar environments, third-party adapters. */
export const solidlyRows: readonly DeploymentRow[] = [
  {
    key: 'aerodrome',
    name: 'Aerodrome',
    chain: 'base',
    siteUrl: 'https://aerodrome.finance',
    deployment: {
      factory: '0x420dd381b31aef6683db6b902084cb0ffece40da',
      voter: '0x16613524e02ad97edfef371bc883f2f5d6c480a5',
      tokens: coreAssets['base'] ?? [],
      nfts: {
        escrow: '0xebf418fe2512e7e6bd9b87a8f0f294acdc67e6b4',
        token: '0x940181a94a35a4569e4529a3cdfb74e38fd98631',
        distributor: '0x227f65131a261548b057215bb1d5ab2997964c7d',
      },
    },
  },
  velodrome('optimism', {
    factory: '0xf1046053aa5682b4f9a81b5481394da16be5ff5a',
    voter: '0x41c914ee0c7e1a5edcd0295623e6dc557b5abf3c',
    nfts: {
      escrow: '0xfaf8fd17d9840595845582fcb047df13f006787d',
      token: '0x9560e827af36c94d2ac33a39bce1fe78631088db',
      distributor: '0x9d4736ec60715e71afe72973f7885dcbc21ea99b',
    },
  }),
  ...LEAF_CHAINS.map((chain) => velodrome(chain, { factory: LEAF_FACTORY, voter: LEAF_VOTER })),
]
