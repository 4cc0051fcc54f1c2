import { hexToString, maxUint256, pad, toHex } from 'viem'
import { z } from 'zod'
import { type EvmAddress, evmAddress } from '../../../../domain/evm-address.ts'
import type { PositionDraft } from '../../../../domain/position.ts'
import type { DeploymentRow, PositionId, PositionScope, ProtocolAdapter } from '../adapter.ts'
import { addressSchema } from '../deployment.ts'
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
  /** Further tokens of debts. */
  alsoLent: z.array(addressSchema).default([]),
})

export type Deployment = z.infer<typeof deployment>

/** Sources: Maker's on-chain list of its contracts (ChainLog); its releases, for the proxy factory. */
const makerRows: readonly DeploymentRow[] = [
  {
    key: 'maker',
    name: 'Maker',
    chain: 'ethereum',
    siteUrl: 'https://sky.money',
    deployment: {
      vat: '0x35d1b3f3d7966a1dfe207aa4514c12a259a0492b',
      jug: '0x19c0976f590d67707e62397c87829d896dc0f1f1',
      pot: '0x197e90f9fad81970ba7976f33cbd77088e5d7cf7',
      dsrManager: '0x373238337bfe1146fb49989fc222523f83081ddb',
      cdpManager: '0x5ef30b9986345249bc32d8928b7ee64de9435e39',
      ilkRegistry: '0x5a464c28d19848f44199d003bef5ecc87d090f87',
      proxyFactory: '0xa26e15c895efc0616177b7c1e7270a4c7d51c997',
      dai: '0x6b175474e89094c44da98b954eedeac495271d0f',
      alsoLent: ['0xdc035d45d973e3ec169d2276ddab16f1e407384f'], // USDS
    },
  },
]

/** Maker: CDPs and DAI savings, mostly of a proxy. The chain proves the owner. */
export const maker: ProtocolAdapter<Deployment> = {
  name: 'maker',
  deployment,
  rows: makerRows,
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
