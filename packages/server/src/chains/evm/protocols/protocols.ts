import { createHash } from 'node:crypto'
import type { Abi } from 'viem'
import { type EvmAddress, evmAddress } from '../../../domain/evm-address.ts'
import { type PositionDraft, stampPosition } from '../../../domain/position.ts'
import type { ProtocolRow } from '../../protocol-row.ts'
import type { Lens } from '../reader/evm-reader.ts'
import { aave } from './aave/adapter.ts'
import type { HeldContract, ProtocolAdapter, ProtocolDeployment } from './adapter.ts'
import { algebra } from './algebra/adapter.ts'
import { balancer } from './balancer/adapter.ts'
import { codeLens } from './code-lens.bytecode.ts'
import { compoundV2 } from './compound-v2/adapter.ts'
import { compoundV3 } from './compound-v3/adapter.ts'
import { convex } from './convex/adapter.ts'
import { cooldownStakes } from './cooldown-stakes/adapter.ts'
import { curve } from './curve/adapter.ts'
import { eigenLayer } from './eigenlayer/adapter.ts'
import { entryPointDeposits } from './entry-points/adapter.ts'
import { erc4626 } from './erc4626/adapter.ts'
import { etherFi } from './ether-fi/adapter.ts'
import { eulerV2 } from './euler-v2/adapter.ts'
import { fluid } from './fluid/adapter.ts'
import { hyperliquid } from './hyperliquid/adapter.ts'
import { lido } from './lido/adapter.ts'
import { lockstake } from './lockstake/adapter.ts'
import { maker } from './maker/adapter.ts'
import { masterChef } from './masterchef/adapter.ts'
import { morpho } from './morpho/adapter.ts'
import { pancakeChef } from './pancake-chef/adapter.ts'
import { pendle } from './pendle/adapter.ts'
import { rateTokens } from './rate-tokens/adapter.ts'
import { rocketPool } from './rocket-pool/adapter.ts'
import { slipstream } from './slipstream/adapter.ts'
import { solidly } from './solidly/adapter.ts'
import { stakingRewards } from './staking-rewards/adapter.ts'
import { symbiotic } from './symbiotic/adapter.ts'
import { uniswapV2 } from './uniswap-v2/adapter.ts'
import { uniswapV3 } from './uniswap-v3/adapter.ts'
import { uniswapV4 } from './uniswap-v4/adapter.ts'

/** The last entry that recognises a contract owns it. */
const adapters: readonly ProtocolAdapter<unknown>[] = [
  aave,
  compoundV2,
  compoundV3,
  uniswapV2,
  uniswapV3,
  uniswapV4,
  algebra,
  erc4626,
  // After `erc4626`, which recognises some of these vaults too.
  cooldownStakes,
  lido,
  etherFi,
  rateTokens,
  eigenLayer,
  rocketPool,
  symbiotic,
  // After `erc4626`: vaults that both recognise belong to these.
  morpho,
  eulerV2,
  fluid,
  stakingRewards,
  maker,
  lockstake,
  pancakeChef,
  masterChef,
  solidly,
  slipstream,
  curve,
  balancer,
  convex,
  // After `erc4626`: some SYs are ERC-4626 vaults.
  pendle,
  hyperliquid,
  entryPointDeposits,
]

export const protocolAdapters: ReadonlyMap<string, ProtocolAdapter<unknown>> = new Map(
  adapters.map((adapter) => [adapter.name, adapter]),
)

export const protocolRows: readonly ProtocolRow[] = adapters.flatMap(({ name, rows }) =>
  rows.map((row) => ({ family: name, ...row })),
)

/** A reader needs all of them to send a stored plan ahead. */
export const protocolLenses: readonly Lens<Abi>[] = [codeLens, ...adapters.flatMap(({ lenses = [] }) => lenses)]

export function bindProtocol(row: ProtocolRow): ProtocolDeployment {
  const adapter = protocolAdapters.get(row.family)
  if (!adapter) throw new Error(`protocol ${row.key} on ${row.chain}: there is no family ${row.family}`)
  return bindRow(adapter, row)
}

/** Throws if the deployment does not fit: an error of the catalog or the configuration. */
function bindRow(adapter: ProtocolAdapter<unknown>, row: ProtocolRow): ProtocolDeployment {
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
