import { parseAbi } from 'viem'

/** StakingRewards by Synthetix, the part that is read. `balanceOf` is what a wallet has staked. */
export const poolAbi = parseAbi([
  'function stakingToken() view returns (address)',
  'function rewardsToken() view returns (address)',
  'function earned(address account) view returns (uint256)',
  'function totalSupply() view returns (uint256)',
])

/** ERC-20 balance of the pool itself. */
export const tokenAbi = parseAbi(['function balanceOf(address account) view returns (uint256)'])
