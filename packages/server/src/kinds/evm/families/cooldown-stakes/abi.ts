import { parseAbi } from 'viem'

/** sUSDe and its forks: an ERC-4626 vault whose assets leave by way of a silo. */
export const siloAbi = parseAbi([
  'function asset() view returns (address)',
  'function convertToAssets(uint256 shares) view returns (uint256)',
  'function silo() view returns (address)',
  'function cooldowns(address account) view returns (uint104 cooldownEnd, uint152 underlyingAmount)',
])
