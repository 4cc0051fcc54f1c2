import { parseAbi } from 'viem'
import { codeLensCode } from './code-lens.bytecode.ts'

/** `code-lens.sol`: whether a contract lives at an address, and whose code a minimal proxy runs. */
export const codeLens = {
  name: 'CodeLens',
  abi: parseAbi([
    'function exists(address account) view returns (bool)',
    'function proxied(address account) view returns (address)',
  ]),
  runtimeCode: codeLensCode.runtime,
} as const
