import { parseAbi } from 'viem'

export const vaultAbi = parseAbi([
  'function getPool(bytes32 poolId) view returns (address pool, uint8 specialization)',
  'function getPoolTokens(bytes32 poolId) view returns (address[] tokens, uint256[] balances, uint256 lastChangeBlock)',
  'function getPoolTokenInfo(bytes32 poolId, address token) view returns (uint256 cash, uint256 managed, uint256 lastChangeBlock, address assetManager)',
])

/** Virtual supply excludes what a pool minted for itself; actual supply counts what is due to the protocol. */
export const poolAbi = parseAbi([
  'function getPoolId() view returns (bytes32)',
  'function getActualSupply() view returns (uint256)',
  'function getVirtualSupply() view returns (uint256)',
  'function totalSupply() view returns (uint256)',
])

export const queriesAbi = parseAbi([
  'struct ExitPoolRequest { address[] assets; uint256[] minAmountsOut; bytes userData; bool toInternalBalance; }',
  'function queryExit(bytes32 poolId, address sender, address recipient, ExitPoolRequest request) returns (uint256 bptIn, uint256[] amountsOut)',
])

export const factoryAbi = parseAbi(['function isPoolFromFactory(address pool) view returns (bool)'])

/** v3. Live balances have 18 decimals, include token rates and exclude due yield fees. */
export const vault3Abi = parseAbi([
  'struct TokenInfo { uint8 tokenType; address rateProvider; bool paysYieldFees; }',
  'struct PoolData { bytes32 poolConfigBits; address[] tokens; TokenInfo[] tokenInfo; uint256[] balancesRaw; uint256[] balancesLiveScaled18; uint256[] tokenRates; uint256[] decimalScalingFactors; }',
  'function isPoolRegistered(address pool) view returns (bool)',
  'function isPoolInRecoveryMode(address pool) view returns (bool)',
  'function getPoolTokens(address pool) view returns (address[] tokens)',
  'function getPoolTokenInfo(address pool) view returns (address[] tokens, TokenInfo[] tokenInfo, uint256[] balancesRaw, uint256[] lastBalancesLiveScaled18)',
  'function getPoolData(address pool) view returns (PoolData)',
  'function totalSupply(address pool) view returns (uint256)',
  'function balanceOf(address pool, address owner) view returns (uint256)',
])
