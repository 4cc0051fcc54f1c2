import { parseAbi } from 'viem'
import { v3Structs } from '../shared/v3-positions.ts'
import { uniswapV3LensCode } from './uniswap-v3-lens.bytecode.ts'

/** `uniswap-v3-lens.sol`: the facts behind a page of a wallet's positions, closed ones left out. */
export const uniswapV3Lens = {
  name: 'UniswapV3Lens',
  abi: parseAbi([
    ...v3Structs,
    'function positions(address manager, address factory, address owner, uint256 start, uint256 end) view returns (Position[] page)',
  ]),
  runtimeCode: uniswapV3LensCode.runtime,
} as const
