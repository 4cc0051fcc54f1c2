import type { Address } from '../domain/address.ts'
import type { TokenCatalog } from './token-catalog.ts'

const BRIDGED_SYMBOLS: Readonly<Record<string, string>> = {
  'DAI.E': 'DAI',
  USDBC: 'USDC',
  'USDC.E': 'USDC',
  'USDT.E': 'USDT',
  USDT0: 'USDT',
  'USD₮0': 'USDT',
  'USD₮': 'USDT',
  'WBTC.E': 'WBTC',
  'WETH.E': 'WETH',
}

/** Names differ between lists and bridges; symbols are unique except for `NAMESAKES`. */
const ONE_COIN_BY_SYMBOL: ReadonlySet<string> = new Set([
  'AAVE',
  'BAL',
  'CBETH',
  'COMP',
  'CRV',
  'CRVUSD',
  'DAI',
  'ETH',
  'FRAX',
  'GHO',
  'LDO',
  'LINK',
  'LUSD',
  'MKR',
  'RETH',
  'SNX',
  'SUSDE',
  'UNI',
  'USDC',
  'USDE',
  'USDT',
  'WBTC',
  'WEETH',
  'WETH',
  'WSTETH',
])

/** Linear's and Monerium's, not Liquity's and Ethena's. */
const NAMESAKES: ReadonlySet<string> = new Set(['LUSD lusd', 'USDE monerium usd'])

const ABOUT_THE_BRIDGE = /\([^)]*\)|\bbridged\b|\bbinance[- ]peg\b|\bfrom mainnet\b|\bon \w+$|\btoken\b|\bcoin\b/g

/** Equal for a coin and its bridged versions. Unlisted tokens: `chain:address`. */
export type IdentityOf = (chain: string, address: Address) => string

export function createTokenIdentity(catalog: TokenCatalog): IdentityOf {
  return (chain, address) => {
    const token = catalog.find(chain, address)
    return token ? identityOf(token) : `${chain}:${address}`
  }
}

export function createIsOneCoin(catalog: TokenCatalog, chains: readonly { key: string }[]) {
  let symbols: ReadonlyMap<string, ReadonlySet<string>> | undefined
  const read = () => {
    const bySymbol = Map.groupBy(
      chains.flatMap(({ key }) => catalog.list(key)),
      ({ symbol }) => symbol.toUpperCase(),
    )
    return new Map([...bySymbol].map(([symbol, tokens]) => [symbol, new Set(tokens.map(identityOf))]))
  }
  return (symbol: string): boolean => {
    symbols ??= read()
    return symbols.get(symbol.toUpperCase())?.size === 1
  }
}

export function identityOf({ symbol, name }: { symbol: string; name: string }): string {
  const upper = symbol.toUpperCase()
  const home = BRIDGED_SYMBOLS[upper] ?? upper
  const plain = name.toLowerCase().replaceAll(ABOUT_THE_BRIDGE, ' ').replaceAll(/\s+/g, ' ').trim()
  const full = `${home} ${plain}`
  return ONE_COIN_BY_SYMBOL.has(home) && !NAMESAKES.has(full) ? home : full
}
