import { parseAbi } from 'viem'
import { cometLensCode } from './comet-lens.bytecode.ts'

/** `comet-lens.sol`: all that a wallet has in markets of a row. */
export const cometLens = {
  name: 'CometLens',
  abi: parseAbi([
    'struct Amount { address token; uint256 amount; }',
    'struct Account { address comet; uint256 supplied; uint256 borrowed; Amount[] collaterals; Amount reward; uint256 health; }',
    'function accounts(address wallet, address rewards, address[] comets) returns (Account[] found, address[] refused)',
  ]),
  runtimeCode: cometLensCode.runtime,
} as const
