import { parseAbi } from 'viem'
import { z } from 'zod'
import { type EvmAddress, evmAddress } from '../../../../domain/evm-address.ts'
import { heldBy } from '../../../../domain/liquidity.ts'
import type { TokenAmount } from '../../../../domain/position.ts'
import { isNodeFailure } from '../../../../lib/upstream-error.ts'
import type { EvmReader } from '../../reader/evm-reader.ts'
import { saleProbe } from '../../reader/sale-probe.ts'
import type { HeldContract, ProtocolAdapter, ProtocolContract } from '../adapter.ts'
import { addressSchema } from '../deployment.ts'
import { eachAlone } from '../each-alone.ts'
import { min } from '../shared/v3-math.ts'
import { isNamed, namedVaults, vaultAbi, vaultOf } from '../shared/vaults.ts'
import { redeemLens } from './redeem-lens.bytecode.ts'
import { vaultRows } from './rows.ts'

const assetAbi = parseAbi(['function balanceOf(address account) view returns (uint256)'])

const deployment = z.strictObject({
  vaults: z.array(addressSchema),
  /** Also accepts unlisted vaults of wallets. One row per chain. */
  open: z.boolean().default(false),
})

type Deployment = z.infer<typeof deployment>

/**
 * Shares are worth `convertToAssets`, the standard's display value before fees and limits. Unlisted vaults count as far
 * as they hold assets and `redeem` pays.
 */
export const erc4626: ProtocolAdapter<Deployment> = {
  name: 'erc4626',
  deployment,
  rows: vaultRows,
  lenses: [redeemLens],
  eachAlone: true,
  countsWhereSent: true,

  discover: namedVaults,

  async recognise({ reader, deployment: { open }, tokens, isListed }) {
    if (!open) return []
    // A listed token has its own market.
    const unlisted = tokens.filter((token) => !isListed(token))
    const found = await Promise.all(unlisted.map((token) => recogniseVault(reader, token, isListed)))
    return found.flat()
  },

  vouches: isNamed,

  positions: eachAlone(async ({ reader, deployment, wallet }, vault) => {
    const [assets, paid] = await Promise.all([
      toAssets(reader, deployment, vault, vault.balanceRaw),
      isNamed(deployment, vault) ? undefined : paidFor(reader, vault, wallet),
    ])
    return {
      kind: 'yield',
      label: 'Vault',
      pool: vault.address,
      supplied: assets.map((asset) => ({ ...asset, amountRaw: payable(asset, vault.balanceRaw, paid) })),
      receipts: [vault.address],
    }
  }),

  async decompose({ reader, deployment, protocolContract, amountRaw }) {
    return toAssets(reader, deployment, protocolContract, amountRaw)
  },

  history: () => ({ purposes: { vault: 'deposit' } }),
}

/** Anyone can send shares that claim dollars: an unlisted vault must hold all claims in a listed asset. */
async function recogniseVault(
  reader: EvmReader,
  token: EvmAddress,
  isListed: (token: EvmAddress) => boolean,
): Promise<ProtocolContract[]> {
  const vault = { address: token, abi: vaultAbi } as const
  const [asset, supply] = await Promise.all([
    reader.tryRead({ ...vault, functionName: 'asset' }),
    reader.tryRead({ ...vault, functionName: 'totalSupply' }),
  ])
  if (asset === undefined || !supply || evmAddress(asset) === token || !isListed(evmAddress(asset))) return []
  const [claimed, kept] = await Promise.all([
    reader.tryRead({ ...vault, functionName: 'convertToAssets', args: [supply] }),
    reader.tryRead({ address: evmAddress(asset), abi: assetAbi, functionName: 'balanceOf', args: [token] }),
  ])
  if (claimed === undefined || kept === undefined || claimed > kept) return []
  return [vaultOf(token, asset)]
}

/** An unlisted vault pays at most the shares' part of the assets that it holds. */
async function toAssets(
  reader: EvmReader,
  deployment: Deployment,
  vault: ProtocolContract,
  shares: bigint,
): Promise<TokenAmount[]> {
  const at = { address: vault.address, abi: vaultAbi } as const
  const claim = reader.read({ ...at, functionName: 'convertToAssets', args: [shares] })
  const [token] = vault.underlyings
  if (!token) throw new Error(`vault ${vault.address} is stored without its asset`)
  if (isNamed(deployment, vault)) return [{ token, amountRaw: await claim }]
  const [claimed, supplyRaw, kept] = await Promise.all([
    claim,
    reader.read({ ...at, functionName: 'totalSupply' }),
    reader.read({ address: token, abi: assetAbi, functionName: 'balanceOf', args: [vault.address] }),
  ])
  const part = supplyRaw === 0n ? 0n : (kept * shares) / supplyRaw
  const backing = { ways: [[heldBy(token, vault.address, kept)]], supplyRaw }
  return [{ token, amountRaw: min(claimed, part), backing }]
}

function payable({ amountRaw, backing }: TokenAmount, shares: bigint, paid = amountRaw): bigint {
  if (backing?.supplyRaw !== undefined && shares > backing.supplyRaw) return 0n
  return min(amountRaw, paid)
}

/** In base units. Undefined if a node cannot test it. */
async function paidFor(
  reader: EvmReader,
  { address, underlyings: [asset], balanceRaw }: HeldContract,
  wallet: EvmAddress,
): Promise<bigint | undefined> {
  if (!asset) return undefined
  const read = { functionName: 'redeem', args: [address, asset, balanceRaw, wallet] } as const
  try {
    const [tried, paid] = await reader.lens(redeemLens, read, { at: wallet, lens: saleProbe })
    return tried ? paid : undefined
  } catch (error) {
    if (isNodeFailure(error)) throw error
    return undefined
  }
}
