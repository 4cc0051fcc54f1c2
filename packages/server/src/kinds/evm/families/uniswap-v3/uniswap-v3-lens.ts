import { parseAbi } from 'viem'
import { uniswapV3LensCode } from './uniswap-v3-lens.bytecode.ts'

/** `uniswap-v3-lens.sol`: the facts behind a page of a wallet's positions, closed ones left out. */
export const uniswapV3Lens = {
  name: 'UniswapV3Lens',
  abi: parseAbi([
    'struct Share { uint128 liquidity; uint256 insideLast0; uint256 insideLast1; uint128 owed0; uint128 owed1; }',
    'struct Position { uint256 tokenId; address token0; address token1; uint24 fee; int24 tickLower; int24 tickUpper; address pool; uint160 sqrtPriceX96; int24 tick; uint256 inside0; uint256 inside1; Share own; Share pooled; }',
    'function positions(address manager, address factory, address owner, uint256 start, uint256 end) view returns (Position[] page)',
  ]),
  runtimeCode: uniswapV3LensCode.runtime,
} as const
