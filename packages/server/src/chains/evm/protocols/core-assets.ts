import assets from './core-assets.json' with { type: 'json' }

/**
 * Tokens of most pools, by chain: pairs of any two are searched without knowing a wallet. Sources:
 * @aave-dao/aave-address-book, @beefyfinance/blockchain-addressbook.
 */
export const coreAssets: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(assets).map(([chain, bySymbol]) => [chain, Object.values(bySymbol)]),
)
