import { parseAbi } from 'viem'

export const comptrollerAbi = parseAbi(['function getAllMarkets() view returns (address[])'])

/** A market: cToken, vToken, mToken, qiToken. `exchangeRateCurrent` changes state; it is run as a call. */
export const marketAbi = parseAbi([
  'function underlying() view returns (address)',
  'function exchangeRateCurrent() returns (uint256)',
])
