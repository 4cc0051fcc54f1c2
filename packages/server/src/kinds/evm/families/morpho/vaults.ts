import { type EvmAddress, evmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import type { PositionDraft, TokenAmount } from '../../../../domain/position.ts'
import { pagesOf } from '../../../../lib/pages.ts'
import type { EvmReader } from '../../reader/evm-reader.ts'
import { isDeployed } from '../deployment.ts'
import { eachAlone } from '../each-alone.ts'
import type { Instrument } from '../family.ts'
import { vaultAbi } from './abi.ts'
import type { Deployment } from './deployment.ts'
import { vaultLens } from './vault-lens.ts'

/** Tokens of one lens call: three factories and a token are four reads of storage. */
const PAGE = 300

type At = { reader: EvmReader; deployment: Deployment }

const instrumentOf = (address: EvmAddress, asset: string): Instrument => ({
  ...{ address, role: 'vault', fungible: true },
  underlyings: [evmAddress(asset)],
})

/** The vaults that the row names. */
export async function namedVaults({ reader, deployment: { vaults } }: At): Promise<Instrument[]> {
  const found = await Promise.all(
    vaults.map(async (address) => {
      if (!(await isDeployed(reader, address))) return []
      const asset = await reader.read({ address, abi: vaultAbi, functionName: 'asset' })
      return [instrumentOf(address, asset)]
    }),
  )
  return found.flat()
}

/** Those of the tokens that a factory of the row says it made. */
export async function madeVaults({ reader, deployment }: At, tokens: readonly EvmAddress[]): Promise<Instrument[]> {
  const found = await Promise.all(
    pagesOf(tokens, PAGE).map(async (page) => {
      const args = [factoriesOf(deployment), page] as const
      const [versions, assets] = await reader.lens(vaultLens, { functionName: 'recognise', args })
      return page.flatMap((address, i) => (versions[i] ? [instrumentOf(address, assets[i] ?? NATIVE)] : []))
    }),
  )
  return found.flat()
}

export const isNamed = ({ vaults }: Deployment, { address }: Instrument): boolean => vaults.includes(address)

/**
 * Shares as the asset that a withdrawal pays now. What it does not pay stays shares, which nothing but a market prices. A
 * vault that the row names counts in full.
 */
export const readVaults = eachAlone<Deployment>(async ({ reader, deployment, wallet }, vault) => {
  const shares = vault.balanceRaw
  const { claimed, paid } = await worthOf({ reader, deployment }, vault, shares, wallet)
  const unpaid = claimed > paid ? (shares * (claimed - paid)) / claimed : 0n
  return {
    kind: 'yield',
    label: 'Vault',
    pool: vault.address,
    supplied: [
      { token: assetOf(vault), amountRaw: paid },
      { token: vault.address, amountRaw: unpaid },
    ],
    borrowed: [],
    rewards: [],
    receipts: [vault.address],
  } satisfies PositionDraft
})

/** Shares of a vault that could not pay all that is held of it have no price of their own. */
export async function takeApart(
  at: At,
  share: { instrument: Instrument; amountRaw: bigint; heldRaw: bigint },
): Promise<TokenAmount[] | undefined> {
  const { instrument, amountRaw, heldRaw } = share
  const [{ claimed, paid }, whole] = await Promise.all([
    worthOf(at, instrument, heldRaw > 0n ? heldRaw : amountRaw, NATIVE),
    convert(at.reader, instrument, amountRaw),
  ])
  return paid < claimed ? undefined : [{ token: assetOf(instrument), amountRaw: whole }]
}

async function worthOf({ reader, deployment }: At, vault: Instrument, shares: bigint, owner: EvmAddress) {
  if (isNamed(deployment, vault)) {
    const claimed = await convert(reader, vault, shares)
    return { claimed, paid: claimed }
  }
  const args = [deployment.blue, factoriesOf(deployment), vault.address, shares, owner] as const
  const [claimed, paid] = await reader.lens(vaultLens, { functionName: 'worth', args })
  return { claimed, paid }
}

const convert = (reader: EvmReader, { address }: Instrument, shares: bigint): Promise<bigint> =>
  reader.read({ address, abi: vaultAbi, functionName: 'convertToAssets', args: [shares] })

function assetOf({ address, underlyings: [asset] }: Instrument): EvmAddress {
  if (!asset) throw new Error(`vault ${address} is stored without its asset`)
  return asset
}

const factoriesOf = (deployment: Deployment) => ({
  vaults: deployment.vaultFactories,
  vaultsV2: deployment.vaultV2Factories,
  marketAdapters: deployment.marketAdapterFactories,
  vaultAdapters: deployment.vaultAdapterFactories,
})
