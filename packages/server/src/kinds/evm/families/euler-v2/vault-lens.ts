import { parseAbi } from 'viem'
import { vaultLensCode } from './vault-lens.bytecode.ts'

/** `vault-lens.sol`: which tokens Euler's factories made, and in which ways vaults can pay. */
export const vaultLens = {
  name: 'EulerVaultLens',
  abi: parseAbi([
    'struct Contracts { address factory; address[] earnFactories; address[] perspectives; }',
    'function recognise(Contracts by, address[] tokens) view returns (uint8[] kinds, address[] assets)',
    'struct Limit { address at; address strategy; uint256 free; }',
    'function ways(Contracts by, address vault) view returns (bool verified, Limit[][] found)',
  ]),
  runtimeCode: vaultLensCode.runtime,
} as const
