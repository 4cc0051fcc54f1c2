import { parseAbi } from 'viem'

/** ERC-4626, the part that is read. */
export const vaultAbi = parseAbi([
  'function asset() view returns (address)',
  'function convertToAssets(uint256 shares) view returns (uint256)',
  'function totalSupply() view returns (uint256)',
])

/** ERC-20 balance of the vault itself. */
export const assetAbi = parseAbi(['function balanceOf(address account) view returns (uint256)'])
