import type { FamilyRow } from '../family.ts'

/** Source: deployments.md of Instadapp/fluid-contracts-public (git a9949b4). The same addresses on all its chains. */
export const fluidRows: readonly FamilyRow[] = ['ethereum', 'arbitrum', 'base', 'polygon', 'plasma', 'binance'].map(
  (chain) => ({
    ...{ key: 'fluid', name: 'Fluid', chain, siteUrl: 'https://fluid.io' },
    deployment: {
      liquidity: '0x52aa899454998be5b000ad077a46bbe360f4e497',
      lendingFactory: '0x54b91a0d94cb471f37f949c60f7fa7935b551d03',
      smartLendingFactory: '0xe57227c7d5900165344b190fc7aa580bceb53b9b',
      vaultFactory: '0x324c5dc1fc42c7a4d43d92df1eba58a54d13bf2d',
    },
  }),
)
