import { parseAbi } from 'viem'
import { v3Structs } from '../shared/v3-positions.ts'
import { algebraLensCode } from './algebra-lens.bytecode.ts'

/** `algebra-lens.sol`: the facts behind a page of a wallet's positions, and which contracts issue such positions. */
export const algebraLens = {
  name: 'AlgebraLens',
  abi: parseAbi([
    ...v3Structs,
    'struct Gain { bool tried; uint256 amount0; uint256 amount1; }',
    'struct Nft { Position position; bool isAsked; bool mayKeep; Gain gain; }',
    'function positions(address manager, address factory, address owner, uint256 start, uint256 end) returns (Nft[] page)',
    'function recognise(address factory, address[] tokens) view returns (bool[] found)',
  ]),
  runtimeCode: algebraLensCode.runtime,
} as const
