import { hexToString, maxUint256, pad, toHex } from 'viem'
import { z } from 'zod'
import { type EvmAddress, evmAddress } from '../../../../domain/evm-address.ts'
import type { PositionDraft } from '../../../../domain/position.ts'
import { type PositionId, type PositionScope, type ProtocolAdapter, rowsByChain } from '../adapter.ts'
import { addressSchema } from '../deployment.ts'
import chains from './chains.json' with { type: 'json' }
import { makerHistory, makerKeys } from './history.ts'
import { makerLens } from './maker-lens.bytecode.ts'

const deployment = z.strictObject({
  /** Holds collateral and debts. */
  vat: addressSchema,
  /** Accrues fees. */
  jug: addressSchema,
  /** Holds savings. */
  pot: addressSchema,
  dsrManager: addressSchema,
  cdpManager: addressSchema,
  ilkRegistry: addressSchema,
  proxyFactory: addressSchema,
  dai: addressSchema,
  /** Further tokens of debts: USDS. */
  alsoLent: z.array(addressSchema).default([]),
})

export type Deployment = z.infer<typeof deployment>

/** Maker: CDPs and DAI savings, mostly of a proxy. The chain proves the owner. */
export const maker: ProtocolAdapter<Deployment> = {
  name: 'maker',
  deployment,
  /** Sources: Maker's on-chain list of its contracts (ChainLog); its releases, for the proxy factory. */
  rows: rowsByChain({ key: 'maker', name: 'Maker', siteUrl: 'https://sky.money' }, chains),
  lenses: [makerLens],

  discover: async () => [],

  keyLogs: makerKeys,

  positions: async (scope) => (await Promise.all([readCdps(scope), readSavings(scope)])).flat(),

  history: makerHistory,
}

/** Anyone may create a proxy for anyone. */
const MOST_PROXIES = 32

type Scope = PositionScope<Deployment>

/** Own urns share one address: `tokenId` is the collateral type. */
async function readCdps({ reader, deployment: at, wallet, keys, leftOut }: Scope): Promise<PositionDraft[]> {
  const proxies = proxiesIn(at, keys)
  const left = proxies.slice(MOST_PROXIES)
  if (left.length > 0) leftOut(new Error(`${left.length} proxies of the wallet are more than are read`))
  const own = keysOf(at.vat, keys).map((key) => pad(toHex(key), { size: 32 }))
  const args = [contractsOf(at), wallet, proxies.slice(0, MOST_PROXIES), own] as const
  const { cdps, refused, isCut } = await reader.lens(makerLens, { functionName: 'cdps', args })
  for (const number of refused) leftOut(new Error(`CDP ${number} could not be read`))
  if (isCut) leftOut(new Error('the wallet has more CDPs than are read'))
  return cdps.map(({ number, ilk, urn, gem, locked, freed, owed, health }) => {
    const kind = hexToString(ilk, { size: 32 })
    return {
      kind: 'lending',
      label: number > 0n ? `Vault ${kind} #${number}` : `Vault ${kind}`,
      pool: evmAddress(urn),
      ...(number === 0n && { tokenId: BigInt(ilk) }),
      supplied: [{ token: evmAddress(gem), amountRaw: locked + freed }],
      borrowed: [{ token: at.dai, amountRaw: owed }],
      ...(owed > 0n && health !== maxUint256 && { healthFactorRaw: health }),
    }
  })
}

async function readSavings({ reader, deployment: at, wallet, keys }: Scope): Promise<PositionDraft[]> {
  const proxies = proxiesIn(at, keys).slice(0, MOST_PROXIES)
  const args = [contractsOf(at), wallet, proxies] as const
  const [own, managed, loose, byProxy] = await reader.lens(makerLens, { functionName: 'saved', args })
  const dai = (amountRaw = 0n) => [{ token: at.dai, amountRaw }]
  const savings = (pool: EvmAddress, amountRaw: bigint | undefined): PositionDraft => {
    return { kind: 'yield', label: 'DAI savings', pool, supplied: dai(amountRaw) }
  }
  return [
    savings(at.pot, own),
    savings(at.dsrManager, managed),
    { kind: 'deposit', label: 'DAI in the Vat', pool: at.vat, supplied: dai(loose) },
    ...proxies.map((proxy, i) => savings(proxy, byProxy[i])),
  ]
}

const keysOf = (contract: EvmAddress, keys: readonly PositionId[]) =>
  keys.filter((key) => key.contract === contract).map(({ key }) => key)

const proxiesIn = ({ proxyFactory }: Deployment, keys: readonly PositionId[]) =>
  keysOf(proxyFactory, keys).map((key) => evmAddress(pad(toHex(key), { size: 20 })))

const contractsOf = ({ vat, jug, pot, cdpManager, ilkRegistry, dsrManager }: Deployment) => ({
  vat,
  jug,
  pot,
  dsrManager,
  manager: cdpManager,
  registry: ilkRegistry,
})
