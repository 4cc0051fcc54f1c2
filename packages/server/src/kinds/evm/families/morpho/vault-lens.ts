import { parseAbi } from 'viem'
import { vaultLensCode } from './vault-lens.bytecode.ts'

/** `vault-lens.sol`: which tokens are vaults of Morpho's factories, and in which ways they can pay. */
export const vaultLens = {
  name: 'VaultLens',
  abi: parseAbi([
    'struct Factories { address[] vaults; address[] vaultsV2; address[] marketAdapters; address[] vaultAdapters; }',
    'function recognise(Factories by, address[] tokens) view returns (uint8[] versions, address[] assets)',
    'struct Limit { address at; bytes32 market; uint256 free; }',
    'function ways(address blue, Factories by, address vault, address owner) returns (Limit[][])',
  ]),
  runtimeCode: vaultLensCode.runtime,
} as const
