import type { Chain } from '../chains/chain.ts'
import type { ChainType } from '../chains/chain-type.ts'
import type { RpcPool } from '../chains/rpc/rpc-pool.ts'

type Opened = { enabled: readonly Chain[]; pools: ReadonlyMap<string, RpcPool> }

export const poolsOfType =
  ({ enabled, pools }: Opened) =>
  ({ name }: Pick<ChainType, 'name'>): ReadonlyMap<string, RpcPool> => {
    const own = new Set(enabled.filter(({ family }) => family === name).map(({ key }) => key))
    return new Map([...pools].filter(([key]) => own.has(key)))
  }
