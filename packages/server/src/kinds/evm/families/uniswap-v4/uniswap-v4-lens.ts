import { parseAbi } from 'viem'
import { uniswapV4LensCode } from './uniswap-v4-lens.bytecode.ts'

/** `uniswap-v4-lens.sol`: which of some NFTs a wallet owns, and the facts behind those that are open. */
export const uniswapV4Lens = {
  name: 'UniswapV4Lens',
  abi: parseAbi([
    'struct Position { uint256 tokenId; address currency0; address currency1; address hooks; uint24 fee; uint24 lpFee; int24 tickLower; int24 tickUpper; int24 tick; uint160 sqrtPriceX96; uint256 inside0; uint256 inside1; uint128 liquidity; uint256 insideLast0; uint256 insideLast1; }',
    'struct Gain { uint256 tokenId; bool tried; uint256 amount0; uint256 amount1; }',
    'function positions(address manager, address state, address wallet, uint256[] tokenIds) returns (uint256 owned, Position[] open, Gain[] gains)',
  ]),
  runtimeCode: uniswapV4LensCode.runtime,
} as const
