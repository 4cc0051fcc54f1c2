import { parseAbi } from 'viem'
import { solidlyLensCode } from './solidly-lens.bytecode.ts'

/** `solidly-lens.sol`: pools and gauges, what shares stand for, and what is claimable. */
export const solidlyLens = {
  name: 'SolidlyLens',
  abi: parseAbi([
    'struct Found { address pool; address token0; address token1; address reward; }',
    'function recognise(address factory, address voter, address[] contracts) view returns (Found[] found)',
    'function burnt(address pool, address token0, address token1, uint256 liquidity) view returns (uint256 amount0, uint256 amount1)',
    'function unclaimed(address pool, address token0, address token1, address owner) view returns (uint256 fees0, uint256 fees1)',
    'function owed(address gauge, address reward, address owner) view returns (uint256 amount)',
  ]),
  runtimeCode: solidlyLensCode.runtime,
} as const
