import type { z } from 'zod'
import type { Adapter, Family, ProtocolRow } from './adapter.ts'
import { bindRow } from './bind-row.ts'
import { aave } from './families/aave.ts'
import { compoundV2 } from './families/compound-v2.ts'
import { erc4626 } from './families/erc4626.ts'
import { lido } from './families/lido.ts'
import { uniswapV2 } from './families/uniswap-v2.ts'
import { uniswapV3 } from './families/uniswap-v3.ts'

/** A family as rows know it: its name, the shape of its deployments, and how a row becomes something to read. */
export type RegisteredFamily = {
  readonly name: string
  readonly deployment: z.ZodType
  bind(row: ProtocolRow): Adapter
}

/** Every family, by the name that rows use. */
export const families: ReadonlyMap<string, RegisteredFamily> = new Map(
  [
    register(aave),
    register(compoundV2),
    register(erc4626),
    register(lido),
    register(uniswapV2),
    register(uniswapV3),
  ].map((family) => [family.name, family]),
)

/** Throws for an unknown family and for a deployment that is not what its family needs. */
export function bindProtocol(row: ProtocolRow): Adapter {
  const family = families.get(row.family)
  if (!family) throw new Error(`protocol ${row.key} on ${row.chain}: there is no family ${row.family}`)
  return family.bind(row)
}

function register<D>(family: Family<D>): RegisteredFamily {
  return { name: family.name, deployment: family.deployment, bind: (row) => bindRow(family, row) }
}
