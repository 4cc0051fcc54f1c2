/** CoinGecko's IDs. Only symbols that are unambiguous on every chain. */
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
