import { parseAbi } from 'viem'

/** AaveProtocolDataProvider: what v2, v3 and their forks share. */
export const dataProviderAbi = parseAbi([
  'struct TokenData { string symbol; address tokenAddress; }',
  'function getAllReservesTokens() view returns (TokenData[])',
  'function getReserveTokensAddresses(address asset) view returns (address aToken, address stableDebtToken, address variableDebtToken)',
])

/** Pool (v3), LendingPool (v2). The base currency differs; the health factor is a ratio of 18 decimals in both. */
export const poolAbi = parseAbi([
  'function getUserAccountData(address user) view returns (uint256 totalCollateralBase, uint256 totalDebtBase, uint256 availableBorrowsBase, uint256 currentLiquidationThreshold, uint256 ltv, uint256 healthFactor)',
])

/** RewardsController of v3: several rewards an asset. */
export const rewardsControllerAbi = parseAbi([
  'function getRewardsByAsset(address asset) view returns (address[])',
  'function getAllUserRewards(address[] assets, address user) view returns (address[] rewardsList, uint256[] unclaimedAmounts)',
])

/** IncentivesController of v2: one reward for all assets. */
export const incentivesControllerAbi = parseAbi([
  'function REWARD_TOKEN() view returns (address)',
  'function getRewardsBalance(address[] assets, address user) view returns (uint256)',
])
