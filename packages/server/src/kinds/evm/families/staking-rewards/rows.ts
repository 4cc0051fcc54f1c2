import type { FamilyRow } from '../family.ts'

/** Source: Uniswap's documentation of its governance, and its interface. */
export const stakingRewardsRows: readonly FamilyRow[] = [
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
]
