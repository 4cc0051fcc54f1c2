import { z } from 'zod'
import { type EvmAddress, evmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import { heldBy, type Limit } from '../../../../domain/liquidity.ts'
import type { TokenAmount } from '../../../../domain/position.ts'
import { pagesOf } from '../../../../lib/pages.ts'
import type { EvmReader } from '../../reader/evm-reader.ts'
import type { HeldContract, LeftOut, ProtocolContract } from '../adapter.ts'
import { addressSchema } from '../deployment.ts'
import { readAlone } from '../each-alone.ts'
import { assetsOf, vaultOf } from '../shared/vaults.ts'
import { vaultLens } from './vault-lens.bytecode.ts'

export const deployment = z.strictObject({
  /** Connector that keeps accounts. */
  evc: addressSchema,
  /** Makes lending vaults; answers `isProxy`. */
  factory: addressSchema,
  /** Make vaults over vaults; answer `isVault`. */
  earnFactories: z.array(addressSchema).default([]),
  /** Vouch for vaults by `isVerified`: these count in full, even while less could be withdrawn. */
  perspectives: z.array(addressSchema).default([]),
  vaults: z.array(addressSchema).default([]),
})

export type Deployment = z.infer<typeof deployment>

/** An untrusted token gets 10,000 gas. */
const PAGE = 100

type At = { reader: EvmReader; deployment: Deployment }

/** EVK and EulerEarn vaults. */
const VAULTS: ReadonlySet<number> = new Set([1, 2])
const DEBT = 3

export async function madeContracts(
  { reader, deployment }: At,
  tokens: readonly EvmAddress[],
): Promise<ProtocolContract[]> {
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

export type HeldVault = { vault: HeldContract; supplied: TokenAmount[] }

export function readShares(at: At, held: readonly HeldContract[], leftOut: LeftOut): Promise<HeldVault[]> {
  const vaults = held.filter(({ role, balanceRaw }) => role === 'vault' && balanceRaw > 0n)
  return readAlone(vaults, leftOut, async (vault) => {
    return [{ vault, supplied: await assetsOf(at, vault, vault.balanceRaw, askWays(at, vault)) }]
  })
}

export const askWays =
  ({ reader, deployment }: At, { address, underlyings: [asset = NATIVE] }: ProtocolContract) =>
  async () => {
    const read = { functionName: 'ways', args: [contractsOf(deployment), address] } as const
    const [isVerified, ways] = await reader.lens(vaultLens, read)
    return isVerified ? undefined : ways.map((way) => way.map((limit) => limitOf(asset, limit)))
  }

function limitOf(asset: EvmAddress, { at, strategy, free }: { at: string; strategy: string; free: bigint }): Limit {
  const [vault, other] = [evmAddress(at), evmAddress(strategy)]
  return other === NATIVE ? heldBy(asset, vault, free) : { id: `${vault} ${other}`, freeRaw: free }
}

const contractsOf = ({ factory, earnFactories, perspectives }: Deployment) => ({ factory, earnFactories, perspectives })
