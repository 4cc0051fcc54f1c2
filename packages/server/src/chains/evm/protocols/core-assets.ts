import assets from './core-assets.json' with { type: 'json' }

/**
 * Their pairs are searched without a wallet. Sources: @aave-dao/aave-address-book,
 * @beefyfinance/blockchain-addressbook.
 */
export const coreAssets: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(assets).map(([chain, bySymbol]) => [chain, Object.values(bySymbol)]),
)
