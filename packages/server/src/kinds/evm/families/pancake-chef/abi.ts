import { parseAbi } from 'viem'

/** PancakeSwap's MasterChefV3, the part that is read without a lens. */
export const chefAbi = parseAbi(['function CAKE() view returns (address)'])

/** ERC-20 balance of the chef itself. */
export const tokenAbi = parseAbi(['function balanceOf(address account) view returns (uint256)'])
