import { type EvmAddress, evmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import type { TokenAmount } from '../../../../domain/position.ts'
import { pagesOf } from '../../../../lib/pages.ts'
import { isNodeFailure } from '../../../../lib/upstream-error.ts'
import type { EvmReader } from '../../reader/evm-reader.ts'
import { isDeployed } from '../deployment.ts'
import type { HeldInstrument, Instrument, LeftOut } from '../family.ts'
import { vaultAbi } from './abi.ts'
import type { Deployment } from './deployment.ts'
import { vaultLens } from './vault-lens.ts'

/** Tokens of one lens call: two flags, and 10,000 gas for what a stranger's token may answer. */
const PAGE = 100

type At = { reader: EvmReader; deployment: Deployment }

/** Roles by the kinds that the lens tells apart. */
const ROLES: Readonly<Record<number, string>> = { 1: 'vault', 2: 'vault', 3: 'debt' }

const instrumentOf = (address: EvmAddress, role: string, asset: string): Instrument => ({
  ...{ address, role, fungible: role === 'vault' },
  underlyings: [evmAddress(asset)],
})

/** The vaults that the row names. */
export async function namedVaults({ reader, deployment: { vaults } }: At): Promise<Instrument[]> {
  const found = await Promise.all(
    vaults.map(async (address) => {
      if (!(await isDeployed(reader, address))) return []
      return [instrumentOf(address, 'vault', await reader.read({ address, abi: vaultAbi, functionName: 'asset' }))]
    }),
  )
  return found.flat()
}

/** Those of the tokens that a factory of the row made: vaults, and the tokens of their debts, which are no assets. */
export async function madeContracts({ reader, deployment }: At, tokens: readonly EvmAddress[]): Promise<Instrument[]> {
  const found = await Promise.all(
    pagesOf(tokens, PAGE).map(async (page) => {
      const args = [contractsOf(deployment), page] as const
      const [kinds, assets] = await reader.lens(vaultLens, { functionName: 'recognise', args })
      return page.flatMap((address, i) => {
        const role = ROLES[kinds[i] ?? 0]
        return role === undefined ? [] : [instrumentOf(address, role, assets[i] ?? NATIVE)]
      })
    }),
  )
  return found.flat()
}

export const isNamed = ({ vaults }: Deployment, { address }: Instrument): boolean => vaults.includes(address)

/** A vault with what an account has there. */
export type HeldVault = { vault: HeldInstrument; supplied: TokenAmount[] }

/**
 * What an account has in vaults, each alone: the asset as far as the vault could pay it, and the rest as shares, which
 * nothing but a market prices. What the row or a perspective vouches for counts in full.
 */
export async function readShares(at: At, held: readonly HeldInstrument[], leftOut: LeftOut): Promise<HeldVault[]> {
  const vaults = held.filter(({ role, balanceRaw }) => role === 'vault' && balanceRaw > 0n)
  const found = await Promise.all(
    vaults.map(async (vault) => {
      try {
        return [{ vault, supplied: await suppliedTo(at, vault) }]
      } catch (error) {
        if (isNodeFailure(error)) throw error
        leftOut(error, vault)
        return []
      }
    }),
  )
  return found.flat()
}

async function suppliedTo(at: At, vault: HeldInstrument): Promise<TokenAmount[]> {
  const shares = vault.balanceRaw
  const { claimed, paid } = await worthOf(at, vault, shares)
  const unpaid = claimed > paid ? (shares * (claimed - paid)) / claimed : 0n
  return [
    { token: assetOf(vault), amountRaw: paid },
    { token: vault.address, amountRaw: unpaid },
  ]
}

/** Shares of a vault that could not pay all that is held of it have no price of their own. */
export async function takeApart(
  at: At,
  share: { instrument: Instrument; amountRaw: bigint; heldRaw: bigint },
): Promise<TokenAmount[] | undefined> {
  const { instrument, amountRaw, heldRaw } = share
  const [{ claimed, paid }, whole] = await Promise.all([
    worthOf(at, instrument, heldRaw > 0n ? heldRaw : amountRaw),
    convert(at.reader, instrument, amountRaw),
  ])
  return paid < claimed ? undefined : [{ token: assetOf(instrument), amountRaw: whole }]
}

async function worthOf({ reader, deployment }: At, vault: Instrument, shares: bigint) {
  if (isNamed(deployment, vault)) {
    const claimed = await convert(reader, vault, shares)
    return { claimed, paid: claimed }
  }
  const args = [contractsOf(deployment), vault.address, shares] as const
  const [claimed, paid] = await reader.lens(vaultLens, { functionName: 'worth', args })
  return { claimed, paid }
}

const convert = (reader: EvmReader, { address }: Instrument, shares: bigint): Promise<bigint> =>
  reader.read({ address, abi: vaultAbi, functionName: 'convertToAssets', args: [shares] })

function assetOf({ address, underlyings: [asset] }: Instrument): EvmAddress {
  if (!asset) throw new Error(`vault ${address} is stored without its asset`)
  return asset
}

const contractsOf = ({ factory, earnFactories, perspectives }: Deployment) => ({ factory, earnFactories, perspectives })
