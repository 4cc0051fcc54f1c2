import type { FamilyRow } from '../family.ts'

/**
 * Sources: Ethena's documents; Falcon's documents of its contracts; Avant's token at Avalanche, deployed as `StakedAvUSDV2`.
 */
export const cooldownRows: readonly FamilyRow[] = [
  {
    ...{ key: 'ethena', name: 'Ethena', chain: 'ethereum', siteUrl: 'https://ethena.fi' },
    deployment: {
      shape: 'silo',
      stakes: [
        '0x9d39a5de30e57443bff2a8307a4256c8797a3497', // sUSDe
        '0x8be3460a480c80728a8c4d7a5d5303c85ba7b3b9', // sENA
      ],
    },
  },
  {
    ...{ key: 'falcon', name: 'Falcon Finance', chain: 'ethereum', siteUrl: 'https://falcon.finance' },
    deployment: {
      shape: 'silo',
      stakes: ['0xc8cf6d7991f15525488b2a83df53468d682ba4b0'], // sUSDf
    },
  },
  {
    ...{ key: 'avant', name: 'Avant', chain: 'avalanche', siteUrl: 'https://www.avantprotocol.com' },
    deployment: {
      shape: 'silo',
      stakes: ['0x06d47f3fb376649c3a9dafe069b3d6e35572219e'], // savUSD
    },
  },
]
