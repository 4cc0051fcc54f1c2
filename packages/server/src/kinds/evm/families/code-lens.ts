import { parseAbi } from 'viem'
import { codeLensCode } from './code-lens.bytecode.ts'

/** `code-lens.sol`: whether a contract lives at an address. */
export const codeLens = {
  name: 'CodeLens',
  abi: parseAbi(['function exists(address account) view returns (bool)']),
  runtimeCode: codeLensCode.runtime,
} as const
