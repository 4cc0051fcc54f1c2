import { parseAbi } from 'viem'

export const marketAbi = parseAbi([
  'function getRewardTokens() view returns (address[])',
  'function redeemRewards(address user) returns (uint256[])',
])

export const yieldAbi = parseAbi(['function userInterest(address user) view returns (uint128 index, uint128 accrued)'])

/** `balanceOf` is votes, not PENDLE. */
export const lockAbi = parseAbi(['function positionData(address user) view returns (uint128 amount, uint128 expiry)'])

export const stakeAbi = parseAbi([
  'function userCooldown(address user) view returns (uint104 cooldownStart, uint152 amount)',
  'function cooldownDuration() view returns (uint24)',
])
