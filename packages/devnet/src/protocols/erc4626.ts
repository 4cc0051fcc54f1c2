import { type Address, parseAbi } from 'viem'
import { ownArtifact } from '../artifact.ts'
import type { DevChain } from '../chain.ts'
import type { Erc20Actions } from './erc20.ts'

type Facts = { address: Address; asset: Address; name: string; symbol: string }

const vaultAbi = parseAbi([
  'function deposit(uint256 assets, address receiver) returns (uint256 shares)',
  'function redeem(uint256 shares, address receiver, address owner) returns (uint256 assets)',
])

export const deployVault = (chain: DevChain, vault: Facts): Promise<Address> =>
  chain.deployTo(vault.address, ownArtifact('Vault'), [vault.asset, vault.name, vault.symbol])

export const vaultActions = (chain: DevChain, at: { vault: Address; asset: Address }, erc20: Erc20Actions) => {
  const vault = { address: at.vault, abi: vaultAbi } as const
  return {
    deposit: async (wallet: Address, assets: bigint) => {
      await erc20.allow(at.asset, wallet, at.vault)
      return chain.write({ from: wallet, ...vault, functionName: 'deposit', args: [assets, wallet] })
    },
    redeem: (wallet: Address, shares: bigint) =>
      chain.write({ from: wallet, ...vault, functionName: 'redeem', args: [shares, wallet, wallet] }),
    /** Adds assets without shares. */
    earn: (assets: bigint) => erc20.mint(at.asset, at.vault, assets),
  }
}
