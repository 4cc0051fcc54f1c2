import { createGenesisStore } from '../catalog/genesis-store.ts'
import type { Chain } from '../chains/chain.ts'
import { ofEnabled } from '../chains/chain-catalog.ts'
import type { ChainType, ChainTypes } from '../chains/chain-type.ts'
import type { RpcEvent } from '../chains/rpc/rpc-endpoint.ts'
import { createRpcPool, type RpcPool, type RpcPoolOptions } from '../chains/rpc/rpc-pool.ts'
import { headBoundsOf } from '../chains/seen-block.ts'
import type { Db } from '../db/tables.ts'
import type { Clock, Timer } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import type { GaugesSource } from '../lib/metrics.ts'
import type { Secret } from '../lib/secret.ts'

export type PoolPorts = {
  endpoints: ReadonlyMap<string, readonly Secret[]>
  rpcVariable(chain: string): string
  db: Db
  chainTypes: ChainTypes
  chains: ReadonlyMap<string, Chain>
  metrics: { observeNode(event: RpcEvent): void }
  clock: Clock
  timer?: Timer
  log: Logger
}

export function createPools(ports: PoolPorts): ReadonlyMap<string, RpcPool> {
  const genesis = createGenesisStore(ports.db)
  const open = (key: string, urls: readonly Secret[]) => {
    const chain = ofEnabled(ports.chains, key)
    const chainType = ports.chainTypes.of(chain)
    const bounds = headBoundsOf(chain)
    return createRpcPool({
      chain: key,
      urls: urls.map((url) => url.reveal()),
      clock: ports.clock,
      ...(ports.timer && { timer: ports.timer }),
      observe: ports.metrics.observeNode,
      ...chainType.poolOptions,
      proof: chainType.proofOf(chain, (shown) => genesis.recall(chain.key, shown)),
      finality: BigInt(chain.finality),
      news: newsOf(chain, ports.rpcVariable(key), ports.log),
      ...(bounds && { headBounds: bounds }),
    })
  }
  return new Map([...ports.endpoints].map(([key, urls]) => [key, open(key, urls)]))
}

function newsOf({ key }: Chain, setting: string, log: Logger): NonNullable<RpcPoolOptions['news']> {
  return {
    onWrong: (endpoint, problem) =>
      log.error(
        { endpoint, problem },
        `an endpoint serves another chain and is not used: correct ${setting}; if the chain was restarted from a new genesis, run "coffer-admin chain forget ${key}"`,
      ),
    onMended: (endpoint) => log.info({ endpoint }, 'an endpoint serves its configured chain again and is used'),
    onStale: (ageSeconds) =>
      log.warn(
        { chain: key, ageSeconds },
        `the newest block of a chain is old, so its answers are marked stale: check the nodes of ${setting}`,
      ),
    onAhead: (endpoint, aheadSeconds) =>
      log.error(
        { endpoint, aheadSeconds },
        'an endpoint returned a block from the future; its answer is not used and others are asked first: check the clocks of the node and of this machine',
      ),
  }
}

export function wrongEndpointsOf(pools: ReadonlyMap<string, RpcPool>) {
  const wrong = [...pools.values()].flatMap((pool) => pool.endpoints()).filter(({ problem }) => problem !== undefined)
  return wrong.length > 0 ? { wrongEndpoints: wrong } : {}
}

export async function proveAll(pools: ReadonlyMap<string, RpcPool>): Promise<void> {
  await Promise.all([...pools.values()].map((pool) => pool.prove()))
}

export function poolGauges(pools: ReadonlyMap<string, RpcPool>): GaugesSource[] {
  const all = () => [...pools.values()]
  return [
    {
      name: 'coffer_endpoint_wrong_chain',
      help: '1 while an endpoint serves another chain than configured and is not used, else 0',
      labelNames: ['chain', 'endpoint'],
      read: () =>
        all().flatMap((pool) =>
          pool.endpoints().map(({ endpoint, problem }) => ({
            labels: { chain: pool.chain, endpoint },
            value: problem === undefined ? 0 : 1,
          })),
        ),
    },
    {
      name: 'coffer_chain_head_age_seconds',
      help: 'Age of the newest block of a chain when it was last read',
      labelNames: ['chain'],
      read: () =>
        all().flatMap((pool) => {
          const age = pool.headAge()
          return age === undefined ? [] : [{ labels: { chain: pool.chain }, value: Math.max(0, Math.round(age)) }]
        }),
    },
  ]
}

export const poolsOfType =
  ({ enabled, pools }: { enabled: readonly Chain[]; pools: ReadonlyMap<string, RpcPool> }) =>
  ({ name }: ChainType): ReadonlyMap<string, RpcPool> => {
    const own = new Set(enabled.filter(({ family }) => family === name).map(({ key }) => key))
    return new Map([...pools].filter(([key]) => own.has(key)))
  }
