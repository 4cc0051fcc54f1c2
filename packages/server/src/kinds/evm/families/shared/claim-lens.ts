import { parseAbi } from 'viem'
import { claimLensCode } from './claim-lens.bytecode.ts'

/** `claim-lens.sol`: what an owner would be paid by a call that anyone may make for it. */
export const claimLens = {
  name: 'ClaimLens',
  abi: parseAbi([
    'function paid(address owner, address target, bytes data, address[] tokens) returns (uint256[] amounts)',
  ]),
  runtimeCode: claimLensCode.runtime,
} as const
