import type { FamilyRow } from '../family.ts'

/**
 * Sources: hyperliquid-dev/hyper-evm-lib at 6abf28f, whose tests run against the chain: numbers of tokens, and the
 * collateral of each exchange of perpetuals by its number (USDC, USDH 360, USDe 235, USDT0 268). HLP: the address that
 * Hyperliquid's documentation and DefiLlama name. Tokens that can be lent: Hyperliquid's documentation of portfolio margin.
 */
export const hyperliquidRows: readonly FamilyRow[] = [
  {
    key: 'hyperliquid',
    name: 'Hyperliquid',
    chain: 'hyperevm',
    siteUrl: 'https://app.hyperliquid.xyz',
    deployment: {
      usdc: '0xb88339cb7199b77e23db6e890353e22632ba630f',
      usdcGate: '0x6b9e773128f453f5c2c60935ee2de2cbc5390a24',
      hype: 150,
      collaterals: [0, 0, 360, 360, 235, 360, 0, 268],
      lent: [0, 150, 197, 268],
      vaults: [{ label: 'HLP', vault: '0xdfc24b077bc1425ad1dea75bcb6f8158e10df303' }],
    },
  },
]
