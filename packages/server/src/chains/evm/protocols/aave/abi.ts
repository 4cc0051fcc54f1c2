import { parseAbi } from 'viem'

/** AaveProtocolDataProvider, common to v2, v3 and forks. */
export const dataProviderAbi = parseAbi([
  'struct TokenData { string symbol; address tokenAddress; }',
  'function getAllReservesTokens() view returns (TokenData[])',
  'function getReserveTokensAddresses(address asset) view returns (address aToken, address stableDebtToken, address variableDebtToken)',
])

/** The base currency differs between v2 and v3; the health factor has 18 decimals in both. */
export const poolAbi = parseAbi([
  'function getUserAccountData(address user) view returns (uint256 totalCollateralBase, uint256 totalDebtBase, uint256 availableBorrowsBase, uint256 currentLiquidationThreshold, uint256 ltv, uint256 healthFactor)',
])

export const rewardsControllerAbi = parseAbi([
  'function getRewardsByAsset(address asset) view returns (address[])',
  'function getAllUserRewards(address[] assets, address user) view returns (address[] rewardsList, uint256[] unclaimedAmounts)',
])

export const incentivesControllerAbi = parseAbi([
  'function REWARD_TOKEN() view returns (address)',
  'function getRewardsBalance(address[] assets, address user) view returns (uint256)',
])
