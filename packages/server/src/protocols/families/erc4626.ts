import { z } from 'zod'
import type { EvmReader } from '../../chains/evm/evm-reader.ts'
import { type EvmAddress, evmAddress } from '../../domain/evm-address.ts'
import type { TokenAmount } from '../../domain/position.ts'
import type { Family, Instrument } from '../adapter.ts'
import { addressSchema, isDeployed } from '../deployment.ts'
import { assetAbi, vaultAbi } from './erc4626.abi.ts'

const deployment = z.strictObject({
  vaults: z.array(addressSchema),
  /** Also take vaults that no row names, found among a wallet's tokens. One row a chain. */
  open: z.boolean().default(false),
})

type Deployment = z.infer<typeof deployment>

/**
 * ERC-4626 vaults. A share is worth what `convertToAssets` says: the rate of the vault as a whole, before fees and limits
 * of one withdrawal, as the standard wants it for display (`previewRedeem` is what leaving would pay, fees taken off).
 */
export const erc4626: Family<Deployment> = {
  name: 'erc4626',
  deployment,

  async discover({ reader, deployment: { vaults } }) {
    const found = await Promise.all(vaults.map((vault) => discoverVault(reader, vault)))
    return found.flat()
  },

  async recognise({ reader, deployment: { open }, tokens }) {
    if (!open) return []
    const found = await Promise.all(tokens.map((token) => recogniseVault(reader, token)))
    return found.flat()
  },

  async positions({ reader, held }) {
    return Promise.all(
      held.map(async (vault) => ({
        kind: 'yield' as const,
        label: 'Vault',
        pool: vault.address,
        supplied: await toAssets(reader, vault, vault.balanceRaw),
        borrowed: [],
        rewards: [],
        receipts: [vault.address],
      })),
    )
  },

  async decompose({ reader, instrument, amountRaw }) {
    return toAssets(reader, instrument, amountRaw)
  },

  history: () => ({ purposes: { vault: 'deposit' } }),
}

async function discoverVault(reader: EvmReader, vault: EvmAddress): Promise<Instrument[]> {
  if (!(await isDeployed(reader, vault))) return []
  const asset = await reader.read({ address: vault, abi: vaultAbi, functionName: 'asset' })
  return [{ address: vault, role: 'vault', fungible: true, underlyings: [evmAddress(asset)] }]
}

/**
 * Anyone can write a token that calls itself a vault full of dollars and send it around. An unknown vault counts only
 * when the assets that all its shares claim lie in it: what it says could be paid.
 */
async function recogniseVault(reader: EvmReader, token: EvmAddress): Promise<Instrument[]> {
  const vault = { address: token, abi: vaultAbi } as const
  const [asset, supply] = await Promise.all([
    reader.tryRead({ ...vault, functionName: 'asset' }),
    reader.tryRead({ ...vault, functionName: 'totalSupply' }),
  ])
  if (asset === undefined || supply === undefined || evmAddress(asset) === token) return []
  const [claimed, kept] = await Promise.all([
    reader.tryRead({ ...vault, functionName: 'convertToAssets', args: [supply] }),
    reader.tryRead({ address: evmAddress(asset), abi: assetAbi, functionName: 'balanceOf', args: [token] }),
  ])
  if (claimed === undefined || kept === undefined || claimed > kept) return []
  return [{ address: token, role: 'vault', fungible: true, underlyings: [evmAddress(asset)] }]
}

async function toAssets(reader: EvmReader, vault: Instrument, shares: bigint): Promise<TokenAmount[]> {
  const functionName = 'convertToAssets'
  const amountRaw = await reader.read({ address: vault.address, abi: vaultAbi, functionName, args: [shares] })
  return vault.underlyings.map((token) => ({ token, amountRaw }))
}
