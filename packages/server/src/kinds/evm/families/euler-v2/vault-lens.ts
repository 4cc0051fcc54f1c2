import { parseAbi } from 'viem'
import { vaultLensCode } from './vault-lens.bytecode.ts'

/** `vault-lens.sol`: which tokens Euler's factories made, and what shares of them are worth. */
export const vaultLens = {
  name: 'EulerVaultLens',
  abi: parseAbi([
    'struct Contracts { address factory; address[] earnFactories; address[] perspectives; }',
    'function recognise(Contracts by, address[] tokens) view returns (uint8[] kinds, address[] assets)',
    'function worth(Contracts by, address vault, uint256 shares) view returns (uint256 claimed, uint256 paid)',
  ]),
  runtimeCode: vaultLensCode.runtime,
} as const
