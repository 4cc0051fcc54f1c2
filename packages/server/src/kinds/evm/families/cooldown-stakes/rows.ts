import type { FamilyRow } from '../family.ts'

/**
 * Sources: Ethena's documents; @aave-dao/aave-address-book 4.68.1; Falcon's documents of its contracts; Avant's token at Avalanche, deployed as `StakedAvUSDV2`.
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
    ...{ key: 'aave_safety_module', name: 'Aave Safety Module', chain: 'ethereum', siteUrl: 'https://app.aave.com' },
    deployment: {
      shape: 'window',
      stakes: [
        '0x4da27a545c0c5b758a6ba100e3a049001de870f5', // stkAAVE
        '0x9eda81c21c273a82be9bbc19b6a6182212068101', // stkAAVEwstETHBPTv2
        '0xa1116930326d21fb917d5a27f1e9943a9595fb47', // stkABPT
        '0x1a88df1cfe15af22b3c4c783d4e6f7f9e0c1885d', // stkGHO
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
