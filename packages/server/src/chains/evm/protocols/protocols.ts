import type { Abi } from 'viem'
import type { z } from 'zod'
import type { ProtocolRow } from '../../protocol-row.ts'
import type { Lens } from '../reader/evm-reader.ts'
import { aave } from './aave/adapter.ts'
import type { ProtocolAdapter, ProtocolDeployment } from './adapter.ts'
import { algebra } from './algebra/adapter.ts'
import { balancer } from './balancer/adapter.ts'
import { bindRow } from './bind-row.ts'
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

export type RegisteredAdapter = {
  readonly name: string
  readonly deployment: z.ZodType
  readonly rows: readonly ProtocolRow[]
  readonly lenses: readonly Lens<Abi>[]
  bind(row: ProtocolRow): ProtocolDeployment
}

/** The last entry that recognises a contract owns it. */
const registered: readonly RegisteredAdapter[] = [
  register(aave),
  register(compoundV2),
  register(compoundV3),
  register(uniswapV2),
  register(uniswapV3),
  register(uniswapV4),
  register(algebra),
  register(erc4626),
  // After `erc4626`, which recognises some of these vaults too.
  register(cooldownStakes),
  register(lido),
  register(etherFi),
  register(rateTokens),
  register(eigenLayer),
  register(rocketPool),
  register(symbiotic),
  // After `erc4626`: vaults that both recognise belong to these.
  register(morpho),
  register(eulerV2),
  register(fluid),
  register(stakingRewards),
  register(maker),
  register(lockstake),
  register(pancakeChef),
  register(masterChef),
  register(solidly),
  register(slipstream),
  register(curve),
  register(balancer),
  register(convex),
  // After `erc4626`: some SYs are ERC-4626 vaults.
  register(pendle),
  register(hyperliquid),
  register(entryPointDeposits),
]

export const protocolAdapters: ReadonlyMap<string, RegisteredAdapter> = new Map(
  registered.map((adapter) => [adapter.name, adapter]),
)

export const protocolRows: readonly ProtocolRow[] = registered.flatMap(({ rows }) => rows)

/** A reader needs all of them to send a stored plan ahead. */
export const protocolLenses: readonly Lens<Abi>[] = [codeLens, ...registered.flatMap(({ lenses }) => lenses)]

export function bindProtocol(row: ProtocolRow): ProtocolDeployment {
  const adapter = protocolAdapters.get(row.family)
  if (!adapter) throw new Error(`protocol ${row.key} on ${row.chain}: there is no family ${row.family}`)
  return adapter.bind(row)
}

function register<D>(adapter: ProtocolAdapter<D>): RegisteredAdapter {
  const { name, deployment, rows, lenses = [] } = adapter
  return {
    name,
    deployment,
    lenses,
    rows: rows.map((row) => ({ family: name, ...row })),
    bind: (row) => bindRow(adapter, row),
  }
}
