import { parseAbi } from 'viem'
import { v3Structs } from '../shared/v3-positions.ts'
import { slipstreamLensCode } from './slipstream-lens.bytecode.ts'

/** `slipstream-lens.sol`: managers of NFTs, and the facts behind a wallet's own positions and those that it has staked. */
export const slipstreamLens = {
  name: 'SlipstreamLens',
  abi: parseAbi([
    ...v3Structs,
    'struct Held { Position position; address gauge; address reward; uint256 pending; }',
    'function managers(address registry) view returns (address[] found, address[] factories)',
    'function owned(address manager, address factory, address owner, uint256 start, uint256 end) view returns (Held[] page)',
    'function staked(address voter, address manager, address factory, address owner, uint256[] ids) view returns (Held[] page)',
  ]),
  runtimeCode: slipstreamLensCode.runtime,
} as const
