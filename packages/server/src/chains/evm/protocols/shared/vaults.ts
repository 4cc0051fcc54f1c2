import { parseAbi } from 'viem'
import { type EvmAddress, evmAddress } from '../../../../domain/evm-address.ts'
import type { Backing } from '../../../../domain/liquidity.ts'
import type { TokenAmount } from '../../../../domain/position.ts'
import type { EvmReader } from '../../reader/evm-reader.ts'
import type { ProtocolContract } from '../adapter.ts'
import { isDeployed } from '../deployment.ts'

export const vaultAbi = parseAbi([
  'function asset() view returns (address)',
  'function convertToAssets(uint256 shares) view returns (uint256)',
  'function totalSupply() view returns (uint256)',
])

type At = { reader: EvmReader; deployment: { vaults: readonly EvmAddress[] } }

/** Undefined: vouched for, counts in full. */
type AskWays = () => Promise<Backing['ways'] | undefined>

export const vaultOf = (address: EvmAddress, asset: string): ProtocolContract => ({
  address,
  role: 'vault',
  fungible: true,
  underlyings: [evmAddress(asset)],
})

export async function namedVaults({ reader, deployment: { vaults } }: At): Promise<ProtocolContract[]> {
  const found = await Promise.all(
    vaults.map(async (address) => {
      if (!(await isDeployed(reader, address))) return []
      return [vaultOf(address, await reader.read({ address, abi: vaultAbi, functionName: 'asset' }))]
    }),
  )
  return found.flat()
}

export const isNamed = ({ vaults }: At['deployment'], { address }: ProtocolContract): boolean =>
  vaults.includes(address)

/** Shares that an unlisted vault could not pay stay shares, which only a market prices. */
export async function assetsOf(
  { reader, deployment }: At,
  vault: ProtocolContract,
  shares: bigint,
  ask: AskWays,
): Promise<TokenAmount[]> {
  const [amountRaw, ways] = await Promise.all([
    convert(reader, vault, shares),
    isNamed(deployment, vault) ? undefined : ask(),
  ])
  const asset = { token: assetOf(vault), amountRaw }
  return [ways ? { ...asset, backing: { ways, unpaid: { token: vault.address, amountRaw: shares } } } : asset]
}

const convert = (reader: EvmReader, { address }: ProtocolContract, shares: bigint): Promise<bigint> =>
  reader.read({ address, abi: vaultAbi, functionName: 'convertToAssets', args: [shares] })

function assetOf({ address, underlyings: [asset] }: ProtocolContract): EvmAddress {
  if (!asset) throw new Error(`vault ${address} is stored without its asset`)
  return asset
}
