import { parseAbi } from 'viem'
import { marketLensCode } from './market-lens.bytecode.ts'

/** `market-lens.sol`: all that a wallet has in markets of Morpho Blue. */
export const marketLens = {
  name: 'MarketLens',
  abi: parseAbi([
    'struct Account { bytes32 id; address loanToken; address collateralToken; uint256 supplied; uint256 liquidity; uint256 borrowed; uint256 collateral; uint256 health; }',
    'function accounts(address blue, address wallet, bytes32[] ids) returns (Account[] found, bytes32[] refused)',
  ]),
  runtimeCode: marketLensCode.runtime,
} as const
