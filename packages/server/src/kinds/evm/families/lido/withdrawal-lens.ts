import { parseAbi } from 'viem'
import { withdrawalLensCode } from './withdrawal-lens.bytecode.ts'

/** `withdrawal-lens.sol`: a wallet's requests in the withdrawal queue. */
export const withdrawalLens = {
  name: 'WithdrawalLens',
  abi: parseAbi([
    'struct Request { uint256 id; uint256 amount; bool isFinalized; uint256 claimable; }',
    'function requests(address queue, address wallet, uint256 start, uint256 end) view returns (Request[] found)',
  ]),
  runtimeCode: withdrawalLensCode.runtime,
} as const
