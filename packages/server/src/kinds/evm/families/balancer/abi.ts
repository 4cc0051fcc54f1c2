import { parseAbi } from 'viem'

/** Balancer v2, whose vault keeps the tokens of all pools. */
export const vaultAbi = parseAbi([
  'function getPool(bytes32 poolId) view returns (address pool, uint8 specialization)',
  'function getPoolTokens(bytes32 poolId) view returns (address[] tokens, uint256[] balances, uint256 lastChangeBlock)',
  'function getPoolTokenInfo(bytes32 poolId, address token) view returns (uint256 cash, uint256 managed, uint256 lastChangeBlock, address assetManager)',
])

/** Pools of v2. The virtual supply leaves out what a pool minted for itself; the actual one also counts what is due to the protocol. */
export const poolAbi = parseAbi([
  'function getPoolId() view returns (bytes32)',
  'function getActualSupply() view returns (uint256)',
  'function getVirtualSupply() view returns (uint256)',
  'function totalSupply() view returns (uint256)',
])

/** BalancerQueries: what an exit would pay, simulated. */
export const queriesAbi = parseAbi([
  'struct ExitPoolRequest { address[] assets; uint256[] minAmountsOut; bytes userData; bool toInternalBalance; }',
  'function queryExit(bytes32 poolId, address sender, address recipient, ExitPoolRequest request) returns (uint256 bptIn, uint256[] amountsOut)',
])

/** Of every factory of pools, of both generations. */
export const factoryAbi = parseAbi(['function isPoolFromFactory(address pool) view returns (bool)'])

/** Balancer v3. Live balances have 18 decimals, the rates of their tokens in them, and due fees on yield left out. */
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
