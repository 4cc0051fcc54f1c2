import { parseAbi } from 'viem'
import { type EvmAddress, evmAddress } from '../../../../domain/evm-address.ts'
import type { TokenAmount } from '../../../../domain/position.ts'
import type { EvmReader } from '../../reader/evm-reader.ts'
import { isDeployed } from '../deployment.ts'
import type { HeldInstrument, Instrument } from '../family.ts'

/** ERC-4626, the part that is read. */
export const vaultAbi = parseAbi([
  'function asset() view returns (address)',
  'function convertToAssets(uint256 shares) view returns (uint256)',
  'function totalSupply() view returns (uint256)',
])

/** `vaults`: those that the row vouches for; their shares count in full. */
type At = { reader: EvmReader; deployment: { vaults: readonly EvmAddress[] } }

/** What a vault converts shares to, and what of it could be paid out. */
type Worth = { claimed: bigint; paid: bigint }

/** Asks what shares are worth, in this order. */
type AskWorth = (shares: bigint) => Promise<readonly [claimed: bigint, paid: bigint]>

export const vaultOf = (address: EvmAddress, asset: string): Instrument => ({
  ...{ address, role: 'vault', fungible: true },
  underlyings: [evmAddress(asset)],
})

/** The vaults that the row names. */
export async function namedVaults({ reader, deployment: { vaults } }: At): Promise<Instrument[]> {
  const found = await Promise.all(
    vaults.map(async (address) => {
      if (!(await isDeployed(reader, address))) return []
      return [vaultOf(address, await reader.read({ address, abi: vaultAbi, functionName: 'asset' }))]
    }),
  )
  return found.flat()
}

export const isNamed = ({ vaults }: At['deployment'], { address }: Instrument): boolean => vaults.includes(address)

/** A vault that the row names is worth what it converts to; of others the family asks. */
export async function worthOf(
  { reader, deployment }: At,
  { vault, shares }: { vault: Instrument; shares: bigint },
  ask: AskWorth,
): Promise<Worth> {
  if (isNamed(deployment, vault)) {
    const claimed = await convert(reader, vault, shares)
    return { claimed, paid: claimed }
  }
  const [claimed, paid] = await ask(shares)
  return { claimed, paid }
}

/** Shares as the asset, as far as it could be paid. The rest stays shares, which nothing but a market prices. */
export function suppliedTo(vault: HeldInstrument, { claimed, paid }: Worth): TokenAmount[] {
  const unpaid = claimed > paid ? (vault.balanceRaw * (claimed - paid)) / claimed : 0n
  return [
    { token: assetOf(vault), amountRaw: paid },
    { token: vault.address, amountRaw: unpaid },
  ]
}

/** Shares of a vault that could not pay all that is held of it have no price of their own. */
export async function takeApart(
  at: At,
  { instrument, amountRaw, heldRaw }: { instrument: Instrument; amountRaw: bigint; heldRaw: bigint },
  ask: AskWorth,
): Promise<TokenAmount[] | undefined> {
  const [{ claimed, paid }, whole] = await Promise.all([
    worthOf(at, { vault: instrument, shares: heldRaw > 0n ? heldRaw : amountRaw }, ask),
    convert(at.reader, instrument, amountRaw),
  ])
  return paid < claimed ? undefined : [{ token: assetOf(instrument), amountRaw: whole }]
}

const convert = (reader: EvmReader, { address }: Instrument, shares: bigint): Promise<bigint> =>
  reader.read({ address, abi: vaultAbi, functionName: 'convertToAssets', args: [shares] })

function assetOf({ address, underlyings: [asset] }: Instrument): EvmAddress {
  if (!asset) throw new Error(`vault ${address} is stored without its asset`)
  return asset
}
