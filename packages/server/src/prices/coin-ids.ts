/**
 * CoinGecko's ids of coins that are not contracts, by symbol; DefiLlama accepts them as `coingecko:<id>`. Only coins
 * whose symbol is unambiguous on every chain that Coffer knows.
 */
const COIN_IDS: ReadonlyMap<string, string> = new Map([
  ['ETH', 'ethereum'],
  ['BTC', 'bitcoin'],
  ['SOL', 'solana'],
  ['BNB', 'binancecoin'],
  ['POL', 'polygon-ecosystem-token'],
  ['AVAX', 'avalanche-2'],
  ['XDAI', 'xdai'],
  ['FTM', 'fantom'],
  ['CELO', 'celo'],
  ['MNT', 'mantle'],
])

export function findCoinId(symbol: string): string | undefined {
  return COIN_IDS.get(symbol.toUpperCase())
}
