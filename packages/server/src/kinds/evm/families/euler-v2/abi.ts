import { parseAbi } from 'viem'

/** Of both kinds of vaults. */
export const vaultAbi = parseAbi([
  'function asset() view returns (address)',
  'function convertToAssets(uint256 shares) view returns (uint256)',
])
