import { parseAbi } from 'viem'

/** Every view by which a row may read a rate; each contract has one or more of them. */
export const rateAbi = parseAbi([
  'function getRate() view returns (uint256)',
  'function exchangeRate() view returns (uint256)',
  'function getExchangeRate() view returns (uint256)',
  'function rate() view returns (uint256)',
  'function ratio() view returns (uint256)',
  'function getEthValue(uint256 amount) view returns (uint256)',
  'function getPooledAvaxByShares(uint256 amount) view returns (uint256)',
  'function convertToAssets(uint256 amount) view returns (uint256)',
  'function mETHToETH(uint256 amount) view returns (uint256)',
  'function convertSnBnbToBnb(uint256 amount) view returns (uint256)',
])
