import { parseAbi } from 'viem'

/** A pair. Forks return more than two reserves (fees, times); the first two are the same everywhere. */
export const pairAbi = parseAbi([
  'function token0() view returns (address)',
  'function token1() view returns (address)',
  'function getReserves() view returns (uint112 reserve0, uint112 reserve1)',
  'function totalSupply() view returns (uint256)',
  'function kLast() view returns (uint256)',
])

export const factoryAbi = parseAbi(['function feeTo() view returns (address)'])

/** ERC-20 balance of the pair itself. */
export const tokenAbi = parseAbi(['function balanceOf(address account) view returns (uint256)'])
