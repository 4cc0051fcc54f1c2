import { parseAbi } from 'viem'
import { redeemLensCode } from './redeem-lens.bytecode.ts'

/** `redeem-lens.sol`: what a vault pays an owner for shares. Needs a `SaleProbe` at the owner's address. */
export const redeemLens = {
  name: 'RedeemLens',
  abi: parseAbi([
    'function redeem(address vault, address asset, uint256 shares, address owner) returns (bool tried, uint256 paid)',
  ]),
  runtimeCode: redeemLensCode.runtime,
} as const
