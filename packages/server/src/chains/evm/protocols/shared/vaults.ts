import { erc4626Abi } from 'viem'
import { type EvmAddress, evmAddress } from '../../../../domain/evm-address.ts'
import type { Backing } from '../../../../domain/liquidity.ts'
import type { TokenAmount } from '../../../../domain/position.ts'
import type { At, ProtocolContract } from '../adapter.ts'
import { discoverEach } from '../deployment.ts'

type AtVaults = At<{ vaults: readonly EvmAddress[] }>

export const vaultOf = (address: EvmAddress, asset: string): ProtocolContract => ({
  address,
  role: 'vault',
  fungible: true,
  underlyings: [evmAddress(asset)],
})

export const namedVaults = ({ reader, deployment: { vaults } }: AtVaults) =>
  discoverEach(reader, vaults, async (address) =>
    vaultOf(address, await reader.read({ address, abi: erc4626Abi, functionName: 'asset' })),
  )

export const isNamed = ({ vaults }: AtVaults['deployment'], { address }: ProtocolContract): boolean =>
  vaults.includes(address)

/**
 * Shares that an unlisted vault cannot pay stay shares, at market price. Without an answer of `ask` they are vouched
 * for.
 */
export async function assetsOf(
  { reader, deployment }: AtVaults,
  vault: ProtocolContract,
  shares: bigint,
  ask: () => Promise<Backing['ways'] | undefined>,
): Promise<TokenAmount[]> {
  const { address, underlyings } = vault
  const [token] = underlyings
  if (!token) throw new Error(`vault ${address} is stored without its asset`)
  const [amountRaw, ways] = await Promise.all([
    reader.read({ address, abi: erc4626Abi, functionName: 'convertToAssets', args: [shares] }),
    isNamed(deployment, vault) ? undefined : ask(),
  ])
  if (!ways) return [{ token, amountRaw }]
  return [{ token, amountRaw, backing: { ways, unpaid: { token: address, amountRaw: shares } } }]
}
