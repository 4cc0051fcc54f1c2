import { parseAbi } from 'viem'
import { eigenLayerLensCode } from './eigenlayer-lens.bytecode.ts'

/** `eigenlayer-lens.sol`: a wallet's shares and queued withdrawals. */
export const eigenLayerLens = {
  name: 'EigenLayerLens',
  abi: parseAbi([
    'struct Part { address strategy; address token; uint256 amount; uint256 unlockAt; bool isRefused; }',
    'struct Queued { uint256 fromBlock; Part[] parts; }',
    'function stakes(address manager, address wallet) view returns (Part[] staked, Queued[] queued)',
  ]),
  runtimeCode: eigenLayerLensCode.runtime,
} as const
