import { parseAbi } from 'viem'

/** Of all pools but the oldest. Those of crypto generations have a `gamma`. */
export const poolAbi = parseAbi([
  'function coins(uint256 i) view returns (address)',
  'function balances(uint256 i) view returns (uint256)',
  'function gamma() view returns (uint256)',
])

/** Of the oldest pools of Ethereum. */
export const oldPoolAbi = parseAbi([
  'function coins(int128 i) view returns (address)',
  'function balances(int128 i) view returns (uint256)',
])

export const supplyAbi = parseAbi(['function totalSupply() view returns (uint256)'])

export const registryAbi = parseAbi(['function get_pool_from_lp_token(address token) view returns (address pool)'])

/** Of factories of stable pools; 0 for what they did not make. */
export const stableFactoryAbi = parseAbi(['function get_n_coins(address pool) view returns (uint256)'])

/** Of factories of crypto pools: an array of fixed length, of which the first coin is enough. */
export const cryptoFactoryAbi = parseAbi(['function get_coins(address pool) view returns (address first)'])
