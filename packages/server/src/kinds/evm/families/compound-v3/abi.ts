import { parseAbi } from 'viem'

export const rewardsAbi = parseAbi(['function rewardConfig(address comet) view returns (address token)'])

export const cometAbi = parseAbi([
  'function baseToken() view returns (address)',
  'function numAssets() view returns (uint8)',
  'function getAssetInfo(uint8 i) view returns ((uint8 offset, address asset, address priceFeed, uint64 scale, uint64 borrowCollateralFactor, uint64 liquidateCollateralFactor, uint64 liquidationFactor, uint128 supplyCap) info)',
  'function userBasic(address wallet) view returns (int104 principal, uint64 trackingIndex, uint64 trackingAccrued, uint16 assetsIn, uint8 reserved)',
])
