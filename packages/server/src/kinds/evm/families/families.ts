import type { Abi } from 'viem'
import type { z } from 'zod'
import type { ProtocolRow } from '../../protocol-row.ts'
import type { Lens } from '../reader/evm-reader.ts'
import { aave } from './aave/family.ts'
import { algebra } from './algebra/family.ts'
import { balancer } from './balancer/family.ts'
import { bindRow } from './bind-row.ts'
import { codeLens } from './code-lens.bytecode.ts'
import { compoundV2 } from './compound-v2/family.ts'
import { compoundV3 } from './compound-v3/family.ts'
import { convex } from './convex/family.ts'
import { cooldownStakes } from './cooldown-stakes/family.ts'
import { curve } from './curve/family.ts'
import { eigenLayer } from './eigenlayer/family.ts'
import { entryPointDeposits } from './entry-points/family.ts'
import { erc4626 } from './erc4626/family.ts'
import { etherFi } from './ether-fi/family.ts'
import { eulerV2 } from './euler-v2/family.ts'
import type { Adapter, Family } from './family.ts'
import { fluid } from './fluid/family.ts'
import { hyperliquid } from './hyperliquid/family.ts'
import { lido } from './lido/family.ts'
import { lockstake } from './lockstake/family.ts'
import { maker } from './maker/family.ts'
import { masterChef } from './masterchef/family.ts'
import { morpho } from './morpho/family.ts'
import { pancakeChef } from './pancake-chef/family.ts'
import { pendle } from './pendle/family.ts'
import { rateTokens } from './rate-tokens/family.ts'
import { rocketPool } from './rocket-pool/family.ts'
import { slipstream } from './slipstream/family.ts'
import { solidly } from './solidly/family.ts'
import { stakingRewards } from './staking-rewards/family.ts'
import { symbiotic } from './symbiotic/family.ts'
import { uniswapV2 } from './uniswap-v2/family.ts'
import { uniswapV3 } from './uniswap-v3/family.ts'
import { uniswapV4 } from './uniswap-v4/family.ts'

export type RegisteredFamily = {
  readonly name: string
  readonly deployment: z.ZodType
  readonly rows: readonly ProtocolRow[]
  readonly lenses: readonly Lens<Abi>[]
  bind(row: ProtocolRow): Adapter
}

/** The last entry that recognises a contract owns it. */
const registered: readonly RegisteredFamily[] = [
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

export const families: ReadonlyMap<string, RegisteredFamily> = new Map(
  registered.map((family) => [family.name, family]),
)

export const protocolRows: readonly ProtocolRow[] = registered.flatMap(({ rows }) => rows)

/** A reader needs all of them to send a stored plan ahead. */
export const protocolLenses: readonly Lens<Abi>[] = [codeLens, ...registered.flatMap(({ lenses }) => lenses)]

export function bindProtocol(row: ProtocolRow): Adapter {
  const family = families.get(row.family)
  if (!family) throw new Error(`protocol ${row.key} on ${row.chain}: there is no family ${row.family}`)
  return family.bind(row)
}

function register<D>(family: Family<D>): RegisteredFamily {
  const { name, deployment, rows, lenses = [] } = family
  return {
    name,
    deployment,
    lenses,
    rows: rows.map((row) => ({ family: name, ...row })),
    bind: (row) => bindRow(family, row),
  }
}
