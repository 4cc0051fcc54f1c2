import { parseAbi } from 'viem'
import { pendleLensCode } from './pendle-lens.bytecode.ts'

/** `pendle-lens.sol`: which tokens Pendle's factories made, and what they could be exchanged for. */
export const pendleLens = {
  name: 'PendleLens',
  abi: parseAbi([
    'struct Found { uint8 kind; address sy; address pt; address yt; address yieldToken; uint256 expiry; }',
    'struct Facts { address sy; address pt; address yt; address market; address yieldToken; address oracle; }',
    'struct Worth { uint256 sy; uint256 paid; uint256 kept; bool isBacked; }',
    'function recognise(address[] yieldFactories, address[] marketFactories, address[] tokens) view returns (Found[])',
    'function liquidity(Facts facts, uint256 lp) returns (Worth worth, uint256 pt)',
    'function principal(Facts facts, uint256 amount) returns (bool isKnown, Worth worth)',
    'function yield(Facts facts, uint256 amount) returns (bool isKnown, Worth worth)',
    'function shares(Facts facts, uint256 amount) view returns (Worth)',
    'function due(Facts facts, address wallet) returns (Worth interest, address[] tokens, uint256[] rewards)',
  ]),
  runtimeCode: pendleLensCode.runtime,
} as const
