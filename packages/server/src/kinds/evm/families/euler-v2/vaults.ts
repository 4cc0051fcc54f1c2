import { type EvmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import type { TokenAmount } from '../../../../domain/position.ts'
import { pagesOf } from '../../../../lib/pages.ts'
import type { EvmReader } from '../../reader/evm-reader.ts'
import { readAlone } from '../each-alone.ts'
import type { HeldInstrument, Instrument, LeftOut } from '../family.ts'
import { suppliedTo, vaultOf, worthOf } from '../shared/vaults.ts'
import type { Deployment } from './deployment.ts'
import { vaultLens } from './vault-lens.ts'

/** Tokens of one lens call: two flags, and 10,000 gas for what a stranger's token may answer. */
const PAGE = 100

type At = { reader: EvmReader; deployment: Deployment }

/** What the lens tells apart: vaults of both kinds, and the tokens of their debts. */
const VAULTS: ReadonlySet<number> = new Set([1, 2])
const DEBT = 3

/** Those of the tokens that a factory of the row made: vaults, and the tokens of their debts, which are no assets. */
export async function madeContracts({ reader, deployment }: At, tokens: readonly EvmAddress[]): Promise<Instrument[]> {
  const found = await Promise.all(
    pagesOf(tokens, PAGE).map(async (page) => {
      const args = [contractsOf(deployment), page] as const
      const [kinds, assets] = await reader.lens(vaultLens, { functionName: 'recognise', args })
      return page.flatMap((address, i) => {
        const [kind = 0, vault] = [kinds[i], vaultOf(address, assets[i] ?? NATIVE)]
        if (VAULTS.has(kind)) return [vault]
        return kind === DEBT ? [{ ...vault, role: 'debt', fungible: false }] : []
      })
    }),
  )
  return found.flat()
}

/** A vault with what an account has there. */
export type HeldVault = { vault: HeldInstrument; supplied: TokenAmount[] }

/** What an account has in vaults, each alone. What the row or a perspective vouches for counts in full. */
export function readShares(at: At, held: readonly HeldInstrument[], leftOut: LeftOut): Promise<HeldVault[]> {
  const vaults = held.filter(({ role, balanceRaw }) => role === 'vault' && balanceRaw > 0n)
  return readAlone(vaults, leftOut, async (vault) => {
    const worth = await worthOf(at, { vault, shares: vault.balanceRaw }, askWorth(at, vault))
    return [{ vault, supplied: suppliedTo(vault, worth) }]
  })
}

export const askWorth =
  ({ reader, deployment }: At, { address }: Instrument) =>
  (shares: bigint) =>
    reader.lens(vaultLens, { functionName: 'worth', args: [contractsOf(deployment), address, shares] })

const contractsOf = ({ factory, earnFactories, perspectives }: Deployment) => ({ factory, earnFactories, perspectives })
