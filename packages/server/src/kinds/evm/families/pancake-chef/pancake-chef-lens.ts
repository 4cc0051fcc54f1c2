import { parseAbi } from 'viem'
import { v3Structs } from '../shared/v3-positions.ts'
import { pancakeChefLensCode } from './pancake-chef-lens.bytecode.ts'

/** `pancake-chef-lens.sol`: the facts behind a page of the positions that a wallet has staked, with their rewards. */
export const pancakeChefLens = {
  name: 'PancakeChefLens',
  abi: parseAbi([
    ...v3Structs,
    'struct Staked { Position position; uint256 pending; }',
    'function staked(address chef, address manager, address factory, address owner, uint256 start, uint256 end) view returns (Staked[] page)',
  ]),
  runtimeCode: pancakeChefLensCode.runtime,
} as const
