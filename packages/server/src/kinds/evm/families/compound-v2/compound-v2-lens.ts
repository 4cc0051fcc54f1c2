import { parseAbi } from 'viem'
import { compoundV2LensCode } from './compound-v2-lens.bytecode.ts'

/** `compound-v2-lens.sol`: all that a wallet has at one comptroller. */
export const compoundV2Lens = {
  name: 'CompoundV2Lens',
  abi: parseAbi([
    'struct Balance { address market; uint256 supplied; uint256 borrowed; }',
    'struct Rewards { address token; bytes4 claim; bytes4 accrued; }',
    'function account(address comptroller, address wallet, address[] held, bool mintsVai, Rewards rewards) returns (Balance[] balances, uint256 vaiDebt, bool priced, uint256 health, uint256 reward)',
  ]),
  runtimeCode: compoundV2LensCode.runtime,
} as const
