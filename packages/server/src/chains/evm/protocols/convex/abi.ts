import { parseAbi } from 'viem'

export const boosterAbi = parseAbi([
  'function poolInfo(uint256 pid) view returns (address lptoken, address token, address gauge, address crvRewards, address stash, bool shutdown)',
])
export const sideBoosterAbi = parseAbi([
  'function poolInfo(uint256 pid) view returns (address lptoken, address gauge, address rewards, bool shutdown, address factory)',
])

export const poolAbi = parseAbi([
  'function pid() view returns (uint256)',
  'function rewardToken() view returns (address)',
  'function extraRewards(uint256 i) view returns (address)',
  'function earned(address account) view returns (uint256)',
  'function getReward(address account, bool withExtras)',
])
export const extraAbi = parseAbi([
  'function rewardToken() view returns (address)',
  'function getReward(address account)',
])
export const convertingAbi = parseAbi(['function getReward(address account, bool withExtras, bool stake)'])
/** An extra pool may pay a wrapper, whose transfer sends the token within. */
export const wrapperAbi = parseAbi(['function token() view returns (address)'])

/** Stakes are tokens. `earned` changes state. */
export const sidePoolAbi = parseAbi([
  'function convexPoolId() view returns (uint256)',
  'function rewards(uint256 i) view returns (address token)',
  'function earned(address account) returns ((address token, uint256 amount)[])',
])

export const lockerAbi = parseAbi([
  'function rewardTokens(uint256 i) view returns (address)',
  'function claimableRewards(address account) view returns ((address token, uint256 amount)[])',
])
/** Convex' locks have a boosted amount, Aura's do not. */
export const lockedAbi = parseAbi([
  'function lockedBalances(address account) view returns (uint256 total, uint256 unlockable, uint256 locked, (uint112 amount, uint112 boosted, uint32 unlockTime)[] locks)',
])
export const plainLockedAbi = parseAbi([
  'function lockedBalances(address account) view returns (uint256 total, uint256 unlockable, uint256 locked, (uint112 amount, uint32 unlockTime)[] locks)',
])
