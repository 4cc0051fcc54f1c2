import { parseAbi } from 'viem'

/** Of the factories of lending tokens and of smart lending tokens. */
export const factoryAbi = parseAbi(['function allTokens() view returns (address[])'])

/** A token of smart lending, whose shares lie in a pool of two tokens. */
export const smartAbi = parseAbi([
  'function TOKEN0() view returns (address)',
  'function TOKEN1() view returns (address)',
])
