import { type Hex, hexToString, maxUint256, pad, toHex } from 'viem'
import { type EvmAddress, evmAddress } from '../../../../domain/evm-address.ts'
import type { PositionDraft } from '../../../../domain/position.ts'
import type { EvmReader } from '../../reader/evm-reader.ts'
import type { LeftOut, PositionId } from '../adapter.ts'
import type { Deployment } from './deployment.ts'
import { makerLens } from './maker-lens.bytecode.ts'

/** Anyone may create a proxy for anyone. */
const MOST_PROXIES = 32

type Scope = {
  reader: EvmReader
  deployment: Deployment
  wallet: EvmAddress
  keys: readonly PositionId[]
  leftOut: LeftOut
}

/** Own urns share one address: `tokenId` is the collateral type. */
export async function readCdps({ reader, deployment: at, wallet, keys, leftOut }: Scope): Promise<PositionDraft[]> {
  const proxies = proxiesIn(at, keys)
  const left = proxies.slice(MOST_PROXIES)
  if (left.length > 0) leftOut(new Error(`${left.length} proxies of the wallet are more than are read`))
  const own = keysOf(at.vat, keys).map((key) => pad(toHex(key), { size: 32 }))
  const args = [contractsOf(at), wallet, proxies.slice(0, MOST_PROXIES), own] as const
  const { cdps, refused, isCut } = await reader.lens(makerLens, { functionName: 'cdps', args })
  for (const number of refused) leftOut(new Error(`CDP ${number} could not be read`))
  if (isCut) leftOut(new Error('the wallet has more CDPs than are read'))
  return cdps.map((cdp) => draftOf(at, cdp))
}

type Cdp = {
  number: bigint
  ilk: Hex
  urn: string
  gem: string
  locked: bigint
  freed: bigint
  owed: bigint
  health: bigint
}

function draftOf(at: Deployment, { number, ilk, urn, gem, locked, freed, owed, health }: Cdp): PositionDraft {
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
}

export async function readSavings({ reader, deployment: at, wallet, keys }: Scope): Promise<PositionDraft[]> {
  const proxies = proxiesIn(at, keys).slice(0, MOST_PROXIES)
  const args = [contractsOf(at), wallet, proxies] as const
  const [own, managed, loose, byProxy] = await reader.lens(makerLens, { functionName: 'saved', args })
  const draft = (pool: EvmAddress, amountRaw: bigint): PositionDraft => ({
    kind: 'yield',
    label: 'DAI savings',
    pool,
    supplied: [{ token: at.dai, amountRaw }],
  })
  return [
    draft(at.pot, own),
    draft(at.dsrManager, managed),
    { ...draft(at.vat, loose), kind: 'deposit', label: 'DAI in the Vat' },
    ...proxies.map((proxy, i) => draft(proxy, byProxy[i] ?? 0n)),
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
