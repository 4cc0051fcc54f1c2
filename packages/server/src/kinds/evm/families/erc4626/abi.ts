import { parseAbi } from 'viem'

/** ERC-20 balance of the vault itself. */
export const assetAbi = parseAbi(['function balanceOf(address account) view returns (uint256)'])
