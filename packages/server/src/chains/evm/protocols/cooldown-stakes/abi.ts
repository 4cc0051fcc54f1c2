import { parseAbi } from 'viem'

export const siloAbi = parseAbi([
  'function asset() view returns (address)',
  'function convertToAssets(uint256 shares) view returns (uint256)',
  'function silo() view returns (address)',
  'function cooldowns(address account) view returns (uint104 cooldownEnd, uint152 underlyingAmount)',
])

export const windowAbi = parseAbi([
  'function STAKED_TOKEN() view returns (address)',
  'function REWARD_TOKEN() view returns (address)',
  'function REWARDS_VAULT() view returns (address)',
  'function getCooldownSeconds() view returns (uint256)',
  'function UNSTAKE_WINDOW() view returns (uint256)',
  'function previewRedeem(uint256 shares) view returns (uint256)',
  'function stakersCooldowns(address staker) view returns (uint40 timestamp, uint216 amount)',
  'function stakerRewardsToClaim(address staker) view returns (uint256)',
  'function getTotalRewardsBalance(address staker) view returns (uint256)',
])

export const plainAbi = parseAbi([
  'function COOLDOWN_SECONDS() view returns (uint256)',
  'function stakersCooldowns(address staker) view returns (uint256 timestamp)',
])

export const umbrellaAbi = parseAbi([
  'struct Snapshot { uint192 amount; uint32 endOfCooldown; uint32 withdrawalWindow; }',
  'function asset() view returns (address)',
  'function convertToAssets(uint256 shares) view returns (uint256)',
  'function REWARDS_CONTROLLER() view returns (address)',
  'function getStakerCooldown(address user) view returns (Snapshot snapshot)',
])
export const controllerAbi = parseAbi([
  'struct UserData { uint256 index; uint256 accrued; }',
  'function getAllRewards(address asset) view returns (address[] rewards)',
  'function getUserDataByAsset(address asset, address user) view returns (address[] rewards, UserData[] data)',
  'function calculateCurrentUserRewards(address asset, address user) view returns (address[] rewards, uint256[] accrued)',
])

export const rewardAbi = parseAbi([
  'function balanceOf(address account) view returns (uint256)',
  'function allowance(address owner, address spender) view returns (uint256)',
])
