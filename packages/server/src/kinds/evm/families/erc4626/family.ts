import { parseAbi } from 'viem'
import { z } from 'zod'
import { type EvmAddress, evmAddress } from '../../../../domain/evm-address.ts'
import { heldBy } from '../../../../domain/liquidity.ts'
import type { TokenAmount } from '../../../../domain/position.ts'
import { isNodeFailure } from '../../../../lib/upstream-error.ts'
import type { EvmReader } from '../../reader/evm-reader.ts'
import { saleProbe } from '../../reader/sale-probe.ts'
import { addressSchema } from '../deployment.ts'
import { eachAlone } from '../each-alone.ts'
import type { Family, HeldInstrument, Instrument } from '../family.ts'
import { isNamed, namedVaults, vaultAbi, vaultOf } from '../shared/vaults.ts'
import { redeemLens } from './redeem-lens.bytecode.ts'
import { vaultRows } from './rows.ts'

/** ERC-20 balance of the vault itself. */
const assetAbi = parseAbi(['function balanceOf(address account) view returns (uint256)'])

const deployment = z.strictObject({
  vaults: z.array(addressSchema),
  /** Also take vaults that no row names, found among a wallet's tokens. One row a chain. */
  open: z.boolean().default(false),
})

type Deployment = z.infer<typeof deployment>

/**
 * ERC-4626 vaults. A share is worth `convertToAssets`: the rate of the whole vault, before the fees and limits of a
 * withdrawal, as the standard intends for display (`previewRedeem` is the payout after fees). An unlisted vault counts
 * only as far as it holds its assets, at every read, and a wallet's shares of it only as far as `redeem` pays the wallet.
 */
export const erc4626: Family<Deployment> = {
  name: 'erc4626',
  deployment,
  rows: vaultRows,
  lenses: [redeemLens],
  eachAlone: true,
  countsWhereSent: true,

  discover: namedVaults,

  async recognise({ reader, deployment: { open }, tokens, isListed }) {
    if (!open) return []
    // A listed token has a market of its own, which knows it better than its own answers do.
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

  async decompose({ reader, deployment, instrument, amountRaw }) {
    return toAssets(reader, deployment, instrument, amountRaw)
  },

  history: () => ({ purposes: { vault: 'deposit' } }),
}

/**
 * Anyone can write a token that claims to be a vault full of dollars and send it around. An unlisted vault counts only
 * if it holds the assets that all its shares claim. Its asset must be a listed token, because an unlisted one may
 * report any balance.
 */
async function recogniseVault(
  reader: EvmReader,
  token: EvmAddress,
  isListed: (token: EvmAddress) => boolean,
): Promise<Instrument[]> {
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

/** An unlisted vault pays no more than the part of the shares in the assets that it holds, and all of them together. */
async function toAssets(
  reader: EvmReader,
  deployment: Deployment,
  vault: Instrument,
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
  return [{ token, amountRaw: claimed < part ? claimed : part, backing }]
}

/** Nothing where the wallet has more shares than exist. `paid`: what a redemption of all its shares pays, if that is known. */
function payable({ amountRaw, backing }: TokenAmount, shares: bigint, paid = amountRaw): bigint {
  if (backing?.supplyRaw !== undefined && shares > backing.supplyRaw) return 0n
  return amountRaw < paid ? amountRaw : paid
}

/** What the vault pays the wallet if it redeems all its shares, in base units. Undefined if a node cannot test it. */
async function paidFor(
  reader: EvmReader,
  { address, underlyings: [asset], balanceRaw }: HeldInstrument,
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
