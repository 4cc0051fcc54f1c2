import { type Hex, zeroHash } from 'viem'
import { type EvmAddress, evmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import { heldBy, type Limit } from '../../../../domain/liquidity.ts'
import { pagesOf } from '../../../../lib/pages.ts'
import type { EvmReader } from '../../reader/evm-reader.ts'
import type { ProtocolContract } from '../adapter.ts'
import { eachAlone } from '../each-alone.ts'
import { assetsOf, vaultOf } from '../shared/vaults.ts'
import type { Deployment } from './deployment.ts'
import { marketLimit } from './markets.ts'
import { vaultLens } from './vault-lens.bytecode.ts'

/** A token costs four storage reads. */
const PAGE = 300

type At = { reader: EvmReader; deployment: Deployment }

export async function madeVaults(
  { reader, deployment }: At,
  tokens: readonly EvmAddress[],
): Promise<ProtocolContract[]> {
  const found = await Promise.all(
    pagesOf(tokens, PAGE).map(async (page) => {
      const args = [factoriesOf(deployment), page] as const
      const [versions, assets] = await reader.lens(vaultLens, { functionName: 'recognise', args })
      return page.flatMap((address, i) => (versions[i] ? [vaultOf(address, assets[i] ?? NATIVE)] : []))
    }),
  )
  return found.flat()
}

export const readVaults = eachAlone<Deployment>(async ({ wallet, ...at }, vault) => ({
  kind: 'yield',
  label: 'Vault',
  pool: vault.address,
  supplied: await assetsOf(at, vault, vault.balanceRaw, askWays(at, vault, wallet)),
  receipts: [vault.address],
}))

/** Gates of a vault may refuse `owner`. Zero address: no one. */
export const askWays =
  ({ reader, deployment }: At, { address, underlyings: [asset = NATIVE] }: ProtocolContract, owner: EvmAddress) =>
  async () => {
    const args = [deployment.blue, factoriesOf(deployment), address, owner] as const
    const ways = await reader.lens(vaultLens, { functionName: 'ways', args })
    return ways.map((way) => way.map((limit) => limitOf(asset, limit)))
  }

function limitOf(asset: EvmAddress, { at, market, free }: { at: string; market: Hex; free: bigint }): Limit {
  const contract = evmAddress(at)
  return market === zeroHash ? heldBy(asset, contract, free) : marketLimit(contract, market, free)
}

const factoriesOf = (deployment: Deployment) => ({
  vaults: deployment.vaultFactories,
  vaultsV2: deployment.vaultV2Factories,
  marketAdapters: deployment.marketAdapterFactories,
  vaultAdapters: deployment.vaultAdapterFactories,
})
