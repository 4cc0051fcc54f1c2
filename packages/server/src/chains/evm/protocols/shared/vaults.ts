import { parseAbi } from 'viem'
import { type EvmAddress, evmAddress } from '../../../../domain/evm-address.ts'
import type { Backing } from '../../../../domain/liquidity.ts'
import type { TokenAmount } from '../../../../domain/position.ts'
import type { At, ProtocolContract } from '../adapter.ts'
import { isDeployed } from '../deployment.ts'

export const vaultAbi = parseAbi([
  'function asset() view returns (address)',
  'function convertToAssets(uint256 shares) view returns (uint256)',
  'function totalSupply() view returns (uint256)',
])

type AtVaults = At<{ vaults: readonly EvmAddress[] }>

export const vaultOf = (address: EvmAddress, asset: string): ProtocolContract => ({
  address,
  role: 'vault',
  fungible: true,
  underlyings: [evmAddress(asset)],
})

export async function namedVaults({ reader, deployment: { vaults } }: AtVaults): Promise<ProtocolContract[]> {
  const found = await Promise.all(
    vaults.map(async (address) => {
      if (!(await isDeployed(reader, address))) return []
      return [vaultOf(address, await reader.read({ address, abi: vaultAbi, functionName: 'asset' }))]
    }),
  )
  return found.flat()
}

export const isNamed = ({ vaults }: AtVaults['deployment'], { address }: ProtocolContract): boolean =>
  vaults.includes(address)

/**
 * Shares that an unlisted vault could not pay stay shares, which only a market prices. Without an answer of `ask` they
 * are vouched for.
 */
export async function assetsOf(
  { reader, deployment }: AtVaults,
  vault: ProtocolContract,
  shares: bigint,
  ask: () => Promise<Backing['ways'] | undefined>,
): Promise<TokenAmount[]> {
  const {
    address,
    underlyings: [token],
  } = vault
  if (!token) throw new Error(`vault ${address} is stored without its asset`)
  const [amountRaw, ways] = await Promise.all([
    reader.read({ address, abi: vaultAbi, functionName: 'convertToAssets', args: [shares] }),
    isNamed(deployment, vault) ? undefined : ask(),
  ])
  if (!ways) return [{ token, amountRaw }]
  return [{ token, amountRaw, backing: { ways, unpaid: { token: address, amountRaw: shares } } }]
}
