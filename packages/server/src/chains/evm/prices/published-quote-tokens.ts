import type { QuoteTokenRow } from './uniswap-prices.ts'

const row = (chain: string, symbol: string, decimals: number, token: string): QuoteTokenRow => ({
  chain,
  symbol,
  decimals,
  token,
})

/** In addition to the wrapped native coins. Fantom has none: its bridged dollars lost their backing. */
export const PUBLISHED_QUOTE_TOKENS: readonly QuoteTokenRow[] = [
  row('ethereum', 'USDC', 6, '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'),
  row('ethereum', 'USDT', 6, '0xdAC17F958D2ee523a2206206994597C13D831ec7'),
  row('ethereum', 'DAI', 18, '0x6B175474E89094C44Da98b954EedeAC495271d0F'),
  row('ethereum', 'WBTC', 8, '0x2260FAC5E5542a773Aa44fBCfeDf7C193bc2C599'),
  row('arbitrum', 'USDC', 6, '0xaf88d065e77c8cC2239327C5EDb3A432268e5831'),
  row('arbitrum', 'USDC.e', 6, '0xFF970A61A04b1cA14834A43f5dE4533eBDDB5CC8'),
  row('arbitrum', 'USDT', 6, '0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9'),
  row('arbitrum', 'WBTC', 8, '0x2f2a2543B76A4166549F7aaB2e75Bef0aefC5B0f'),
  row('base', 'USDC', 6, '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'),
  row('base', 'USDbC', 6, '0xd9aAEc86B65D86f6A7B5B1b0c42FFA531710b6CA'),
  row('optimism', 'USDC', 6, '0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85'),
  row('optimism', 'USDC.e', 6, '0x7F5c764cBc14f9669B88837ca1490cCa17c31607'),
  row('optimism', 'USDT', 6, '0x94b008aA00579c1307B0EF2c499aD98a8ce58e58'),
  row('polygon', 'WETH', 18, '0x7ceB23fD6bC0adD59E62ac25578270cFf1b9f619'),
  row('polygon', 'USDC', 6, '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359'),
  row('polygon', 'USDC.e', 6, '0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174'),
  row('polygon', 'USDT', 6, '0xc2132D05D31c914a87C6611C10748AEb04B58e8F'),
  row('binance', 'USDT', 18, '0x55d398326f99059fF775485246999027B3197955'),
  row('binance', 'USDC', 18, '0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d'),
  row('binance', 'BTCB', 18, '0x7130d2A12B9BCbFAe4f2634d864A1Ee1Ce3Ead9c'),
  row('binance', 'ETH', 18, '0x2170Ed0880ac9A755fd29B2688956BD959F933F8'),
  row('avalanche', 'USDC', 6, '0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E'),
  row('avalanche', 'USDT', 6, '0x9702230A8Ea53601f5cD2dc00fDBc13d4dF4A8c7'),
  row('avalanche', 'WETH.e', 18, '0x49D5c2BdFfac6CE2BFdB6640F4F80f226bc10bAB'),
  row('gnosis', 'WETH', 18, '0x6A023CCd1ff6F2045C3309768eAd9E68F978f6e1'),
  row('gnosis', 'USDC', 6, '0xDDAfbb505ad214D7b80b1f830fcCc89B60fb7A83'),
  row('linea', 'USDC', 6, '0x176211869cA2b568f2A7D4EE941E073a821EE1ff'),
  row('linea', 'USDT', 6, '0xA219439258ca9da29E9Cc4cE5596924745e12B93'),
]
