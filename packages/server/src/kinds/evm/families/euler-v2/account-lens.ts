import { parseAbi } from 'viem'
import { accountLensCode } from './account-lens.bytecode.ts'

/** `account-lens.sol`: the accounts of a wallet at the connector, and what they owe. */
export const accountLens = {
  name: 'EulerAccountLens',
  abi: parseAbi([
    'struct Account { address account; address controller; address asset; uint256 debt; uint256 health; address[] collaterals; }',
    'function used(address evc, address wallet) view returns (address[] accounts, address[] vaults)',
    'function accounts(address evc, address factory, address wallet, address[] list) view returns (Account[] found, address[] refused)',
  ]),
  runtimeCode: accountLensCode.runtime,
} as const
