import { createHash } from 'node:crypto'
import { type EvmAddress, evmAddress } from '../../../domain/evm-address.ts'
import { type PositionDraft, stampPosition } from '../../../domain/position.ts'
import type { ProtocolRow } from '../../protocol-row.ts'
import type { HeldContract, ProtocolAdapter, ProtocolDeployment } from './adapter.ts'

/** Throws if the deployment does not fit: an error of the catalog or the configuration. */
export function bindRow(adapter: ProtocolAdapter<unknown>, row: ProtocolRow): ProtocolDeployment {
  const { key, name, chain } = row
  const deployment = adapter.deployment.parse(row.deployment)
  const impaired = impairedOf(adapter, row)
  return {
    id: `${key} ${hashOf(row.deployment)}`,
    key,
    name,
    chain,
    adapter,
    deployment,
    contracts: adapter.contracts?.(deployment) ?? contractsIn(row.deployment),
    keyLogs: adapter.keyLogs?.(deployment) ?? [],
    history: adapter.history?.(deployment) ?? { purposes: {} },
    poolFactory: adapter.poolFactory?.(deployment),
    async positions(reader, wallet, { further = [], ...found }) {
      const own = apart(found.held, impaired)
      const beside = further.map(({ address, held }) => ({ address, ...apart(held, impaired) }))
      const scope = { reader, deployment, wallet, ...found, held: own.held, further: beside }
      // A sub-account's tokens are none of the wallet's.
      const besideWallet = beside.flatMap(({ hit }) => hit.map((one) => ({ ...asItself(one), receipts: [] })))
      const hit = [...own.hit.map(asItself), ...besideWallet]
      return [...(await adapter.positions(scope)), ...hit].flatMap((draft) => stampPosition(draft, key, chain) ?? [])
    },
    decompose: async (reader, share) =>
      impaired.has(share.protocolContract.address) ? undefined : adapter.decompose?.({ reader, deployment, ...share }),
  }
}

/** Deployments have up to some ten thousand characters, more than a database index takes. */
const hashOf = (deployment: ProtocolRow['deployment']) =>
  createHash('sha256').update(JSON.stringify(deployment)).digest('hex').slice(0, 32)

function impairedOf({ name, eachAlone }: ProtocolAdapter<unknown>, row: ProtocolRow) {
  const { key, chain, impaired = [] } = row
  if (impaired.length > 0 && !eachAlone) {
    throw new Error(`protocol ${key} on ${chain}: contracts of family ${name} cannot be impaired one by one`)
  }
  return new Set(impaired.map(evmAddress))
}

function apart(all: readonly HeldContract[], impaired: ReadonlySet<EvmAddress>) {
  const { hit = [], held = [] } = Object.groupBy(all, ({ address }) => (impaired.has(address) ? 'hit' : 'held'))
  return { hit, held }
}

const asItself = ({ address, balanceRaw }: HeldContract): PositionDraft => ({
  kind: 'yield',
  label: 'Impaired',
  pool: address,
  supplied: [{ token: address, amountRaw: balanceRaw }],
  receipts: [address],
})

const contractsIn = (deployment: ProtocolRow['deployment']): EvmAddress[] => [
  ...new Set(
    JSON.stringify(deployment)
      .match(/\b0x[0-9a-fA-F]{40}\b/g)
      ?.map(evmAddress),
  ),
]
