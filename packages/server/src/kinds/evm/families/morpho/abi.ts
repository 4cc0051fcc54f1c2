import { parseAbi } from 'viem'

/** Of both versions. The second answers 0 to all of `maxWithdraw` and its like, which are never asked. */
export const vaultAbi = parseAbi([
  'function asset() view returns (address)',
  'function convertToAssets(uint256 shares) view returns (uint256)',
])
