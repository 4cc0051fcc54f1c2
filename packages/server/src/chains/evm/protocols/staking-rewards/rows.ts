import type { DeploymentRow } from '../adapter.ts'

/** Pools for Fluid's lending tokens of USDC and USDT, which pay FLUID. */
const fluidStaking = (chain: string, pools: readonly string[]): DeploymentRow => ({
  key: 'fluid_staking',
  name: 'Fluid Staking',
  chain,
  siteUrl: 'https://fluid.io',
  deployment: { pools },
})

/**
 * Sources: Uniswap's governance documentation and interface; Sky's ChainLog; Instadapp/fluid-contracts-public (git
 * a9949b4).
 */
export const stakingRewardsRows: readonly DeploymentRow[] = [
  {
    key: 'uniswap_liquidity_mining',
    name: 'Uniswap Liquidity Mining',
    chain: 'ethereum',
    siteUrl: 'https://app.uniswap.org',
    deployment: {
      pools: [
        '0x6c3e4cb2e96b01f4b866965a91ed4437839a121a', // WETH/USDT
        '0x7fba4b8dc5e7616e59622806932dbea72537a56b', // USDC/WETH
        '0xa1484c3aa22a66c62b77e0ae78e15258bd0cb711', // DAI/WETH
        '0xca35e32e7926b96a9988f61d510e038108d8068e', // WBTC/WETH
      ],
    },
  },
  {
    key: 'sky_farms',
    name: 'Sky Farms',
    chain: 'ethereum',
    siteUrl: 'https://sky.money',
    deployment: {
      // All take USDS.
      pools: [
        '0x0650caf159c5a49f711e8169d4336ecb9b950275', // SKY
        '0x10ab606b067c9c461d8893c47c7512472e19e2ce', // Chronicle points
        '0x173e314c7635b45322cd8cb14f44b312e079f3af', // SPK
        '0x4e41488c19cd35eb4de3083fc3e204854c75c86a', // GROVE
      ],
    },
  },
  fluidStaking('ethereum', [
    '0x2fa6c95b69c10f9f52b8990b6c03171f13c46225',
    '0x490681095ed277b45377d28ca15ac41d64583048',
  ]),
  fluidStaking('arbitrum', [
    '0x48f89d731c5e3b5bee8235162fc2c639ba62db7d',
    '0x65241f6cacde58c03400cb84542a2c197d6de9c3',
  ]),
]
