import { parseAbi } from 'viem'

export const comptrollerAbi = parseAbi(['function getAllMarkets() view returns (address[])'])

/** `exchangeRateCurrent` changes state; it is run as a call. */
export const marketAbi = parseAbi([
  'function underlying() view returns (address)',
  'function exchangeRateCurrent() returns (uint256)',
])

export const distributorAbi = parseAbi([
  'struct MarketConfig { address owner; address emissionToken; uint256 endTime; uint224 supplyGlobalIndex; uint32 supplyGlobalTimestamp; uint224 borrowGlobalIndex; uint32 borrowGlobalTimestamp; uint256 supplyEmissionsPerSec; uint256 borrowEmissionsPerSec; }',
  'function getAllMarketConfigs(address market) view returns (MarketConfig[] configs)',
])
