import { parseAbi } from 'viem'

export const cometAbi = parseAbi([
  'function baseToken() view returns (address)',
  'function userBasic(address wallet) view returns (int104 principal, uint64 trackingIndex, uint64 trackingAccrued, uint16 assetsIn, uint8 reserved)',
])
