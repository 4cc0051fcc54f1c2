import type { Address } from '../domain/address.ts'
import type { Token } from '../domain/token.ts'
import type { TokenCatalog } from './token-catalog.ts'

/** What a bridge calls a coin that has another symbol at home. */
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

/** Coins that lists and bridges name in many ways, and that no other listed token shares the symbol of. */
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

/** Says where a token is or came from, not what it is. */
const ABOUT_THE_BRIDGE = /\([^)]*\)|\bbridged\b|\bbinance[- ]peg\b|\bfrom mainnet\b|\bon \w+$|\btoken\b|\bcoin\b/g

/**
 * What a token is, whatever chain it lies on: equal for the coins that bridges make of each other. Only listed tokens (and
 * chains' own coins) can be the same thing; by their symbol where that is beyond doubt, else by symbol and name. Any other
 * token is itself: `chain:address`.
 */
export type IdentityOf = (chain: string, address: Address) => string

export function createTokenIdentity(catalog: Pick<TokenCatalog, 'find'>): IdentityOf {
  return (chain, address) => {
    const token = catalog.find(chain, address)
    return token ? identityOf(token) : `${chain}:${address}`
  }
}

function identityOf({ symbol, name }: Pick<Token, 'symbol' | 'name'>): string {
  const upper = symbol.toUpperCase()
  const home = BRIDGED_SYMBOLS[upper] ?? upper
  if (ONE_COIN_BY_SYMBOL.has(home)) return home
  const plain = name.toLowerCase().replaceAll(ABOUT_THE_BRIDGE, ' ').replaceAll(/\s+/g, ' ').trim()
  return `${home} ${plain}`
}
