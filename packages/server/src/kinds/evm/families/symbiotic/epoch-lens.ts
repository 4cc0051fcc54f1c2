import { parseAbi } from 'viem'
import { epochLensCode } from './epoch-lens.bytecode.ts'

/** `epoch-lens.sol`: a wallet's stake and withdrawals in a vault of Symbiotic. */
export const epochLens = {
  name: 'EpochLens',
  abi: parseAbi([
    'struct Withdrawal { uint256 epoch; uint256 amount; uint256 unlockAt; }',
    'function account(address vault, address wallet, uint256 most) view returns (uint256 staked, Withdrawal[] waiting, uint256 unread)',
  ]),
  runtimeCode: epochLensCode.runtime,
} as const
