import { parseAbi } from 'viem'
import { exitLensCode } from './exit-lens.bytecode.ts'

/** `exit-lens.sol`: whether an owner's share of a pair cannot be burned. Needs a `SaleProbe` at the owner's address. */
export const exitLens = {
  name: 'ExitLens',
  abi: parseAbi(['function isRefused(address pair, address owner) returns (bool refused)']),
  runtimeCode: exitLensCode.runtime,
} as const
