import { parseAbi } from 'viem'
import { vaultLensCode } from './vault-lens.bytecode.ts'

/** `vault-lens.sol`: which tokens are vaults of Morpho's factories, and what their shares are redeemed for. */
export const vaultLens = {
  name: 'VaultLens',
  abi: parseAbi([
    'struct Factories { address[] vaults; address[] vaultsV2; address[] marketAdapters; address[] vaultAdapters; }',
    'function recognise(Factories by, address[] tokens) view returns (uint8[] versions, address[] assets)',
    'function worth(address blue, Factories by, address vault, uint256 shares, address owner) returns (uint256 claimed, uint256 paid)',
  ]),
  runtimeCode: vaultLensCode.runtime,
} as const
