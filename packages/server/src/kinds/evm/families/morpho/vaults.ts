import { type EvmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import { pagesOf } from '../../../../lib/pages.ts'
import type { EvmReader } from '../../reader/evm-reader.ts'
import { eachAlone } from '../each-alone.ts'
import type { Instrument } from '../family.ts'
import { suppliedTo, vaultOf, worthOf } from '../shared/vaults.ts'
import type { Deployment } from './deployment.ts'
import { vaultLens } from './vault-lens.ts'

/** Tokens of one lens call: three factories and a token are four reads of storage. */
const PAGE = 300

type At = { reader: EvmReader; deployment: Deployment }

/** Those of the tokens that a factory of the row says it made. */
export async function madeVaults({ reader, deployment }: At, tokens: readonly EvmAddress[]): Promise<Instrument[]> {
  const found = await Promise.all(
    pagesOf(tokens, PAGE).map(async (page) => {
      const args = [factoriesOf(deployment), page] as const
      const [versions, assets] = await reader.lens(vaultLens, { functionName: 'recognise', args })
      return page.flatMap((address, i) => (versions[i] ? [vaultOf(address, assets[i] ?? NATIVE)] : []))
    }),
  )
  return found.flat()
}

/** Shares as the asset that a withdrawal pays the wallet now. A vault that the row names counts in full. */
export const readVaults = eachAlone<Deployment>(async ({ wallet, ...at }, vault) => ({
  kind: 'yield',
  label: 'Vault',
  pool: vault.address,
  supplied: suppliedTo(vault, await worthOf(at, { vault, shares: vault.balanceRaw }, askWorth(at, vault, wallet))),
  receipts: [vault.address],
}))

/** `owner`: who takes the assets out; gates of a vault may keep some in. */
export const askWorth =
  ({ reader, deployment }: At, { address }: Instrument, owner: EvmAddress) =>
  (shares: bigint) => {
    const args = [deployment.blue, factoriesOf(deployment), address, shares, owner] as const
    return reader.lens(vaultLens, { functionName: 'worth', args })
  }

const factoriesOf = (deployment: Deployment) => ({
  vaults: deployment.vaultFactories,
  vaultsV2: deployment.vaultV2Factories,
  marketAdapters: deployment.marketAdapterFactories,
  vaultAdapters: deployment.vaultAdapterFactories,
})
