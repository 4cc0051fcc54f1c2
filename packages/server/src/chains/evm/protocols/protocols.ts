import type { Abi } from 'viem'
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
