import type { Address } from '../domain/address.ts'
import type { Token } from '../domain/token.ts'
import type { TokenCatalog } from './token-catalog.ts'

/** Symbols that bridges give to coins, and the original symbols. */
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

/** Coins whose names differ between lists and bridges, but whose symbol no other listed token has, but for `NAMESAKES`. */
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

/** Listed coins with the symbol of another one: Linear's dollar of Liquity's, Monerium's of Ethena's. */
const NAMESAKES: ReadonlySet<string> = new Set(['LUSD lusd', 'USDE monerium usd'])

/** Says where a token is or came from, not what it is. */
const ABOUT_THE_BRIDGE = /\([^)]*\)|\bbridged\b|\bbinance[- ]peg\b|\bfrom mainnet\b|\bon \w+$|\btoken\b|\bcoin\b/g

/**
 * Identifies a token across chains: equal for a coin and its bridged versions. Only listed tokens (native coins
 * included) can be equal, by their symbol if that is unambiguous, otherwise by symbol and name. Any other token equals
 * only itself: `chain:address`.
 */
export type IdentityOf = (chain: string, address: Address) => string

export function createTokenIdentity(catalog: Pick<TokenCatalog, 'find'>): IdentityOf {
  return (chain, address) => {
    const token = catalog.find(chain, address)
    return token ? identityOf(token) : `${chain}:${address}`
  }
}

/** Tells symbols that one coin alone has among the listed tokens of the chains. Loads the lists on first use. */
export function createIsOneCoin(catalog: Pick<TokenCatalog, 'list'>, chains: readonly { key: string }[]) {
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

/** The identity of a listed token. */
export function identityOf({ symbol, name }: Pick<Token, 'symbol' | 'name'>): string {
  const upper = symbol.toUpperCase()
  const home = BRIDGED_SYMBOLS[upper] ?? upper
  const plain = name.toLowerCase().replaceAll(ABOUT_THE_BRIDGE, ' ').replaceAll(/\s+/g, ' ').trim()
  const full = `${home} ${plain}`
  return ONE_COIN_BY_SYMBOL.has(home) && !NAMESAKES.has(full) ? home : full
}
