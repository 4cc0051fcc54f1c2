import type { Config } from './config/config.ts'
import { rpcVariable } from './config/env.ts'
import type { Database } from './db/database.ts'
import { createGenesisStore, type GenesisStore } from './features/chains/genesis-store.ts'
import type { Chain } from './kinds/chain.ts'
import { createEvmChainProof } from './kinds/evm/evm-chain-proof.ts'
import type { ChainProof } from './kinds/rpc/endpoint-proofs.ts'
import { headBoundsOf } from './kinds/rpc/head-bounds.ts'
import type { RpcPool, RpcPoolOptions } from './kinds/rpc/rpc-pool.ts'
import { createRpcPools } from './kinds/rpc/rpc-pools.ts'
import { SOLANA_POOL } from './kinds/solana/reader/solana-pool.ts'
import { createSolanaChainProof } from './kinds/solana/solana-chain-proof.ts'
import type { Clock } from './lib/clock.ts'
import type { Logger } from './lib/logger.ts'
import type { GaugesSource, Metrics } from './lib/metrics.ts'

type Dependencies = {
  config: Pick<Config, 'endpoints'>
  db: Database['db']
  /** Those that are enabled, by key. */
  chains: ReadonlyMap<string, Chain>
  metrics: Pick<Metrics, 'observeNode'>
  clock: Clock
  log: Logger
}

/** The endpoints of each enabled chain; every one proves its chain before it is used. */
export function composePools({ config, db, chains, metrics, clock, log }: Dependencies): ReadonlyMap<string, RpcPool> {
  const genesis = createGenesisStore(db)
  return createRpcPools(config.endpoints, {
    ...{ clock, observe: metrics.observeNode },
    of(key) {
      const chain = chains.get(key)
      if (!chain) throw new Error(`${key} is not enabled`)
      const bounds = headBoundsOf(chain)
      return {
        ...(chain.family === 'solana' && SOLANA_POOL),
        ...{ finality: BigInt(chain.finality), proof: proofOf(chain, genesis), news: newsOf(chain, log) },
        ...(bounds && { headBounds: bounds }),
      }
    },
  })
}

function proofOf(chain: Chain, genesis: GenesisStore): ChainProof {
  if (chain.family === 'solana') return createSolanaChainProof(chain)
  return createEvmChainProof(chain, (shown) => genesis.recall(chain.key, shown))
}

function newsOf({ key }: Chain, log: Logger): NonNullable<RpcPoolOptions['news']> {
  const setting = rpcVariable(key)
  return {
    onWrong: (endpoint, problem) =>
      log.error(
        { endpoint, problem },
        `an endpoint is of another chain and is not asked: correct ${setting}, or run "coffer-admin chain forget ${key}" if the chain was begun anew`,
      ),
    onMended: (endpoint) => log.info({ endpoint }, 'an endpoint has proved its chain and is asked again'),
    onStale: (ageSeconds) =>
      log.warn(
        { chain: key, ageSeconds },
        `the newest block of a chain is old; answers from it are marked stale: check the nodes of ${setting}`,
      ),
    onAhead: (endpoint, aheadSeconds) =>
      log.error(
        { endpoint, aheadSeconds },
        "an endpoint shows a block of the future and is not believed: check the node, and this machine's clock",
      ),
  }
}

/** What an operator should mend: endpoints that are not asked. */
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
      help: '1 while an endpoint shows another chain than the one it is configured for, and is not asked',
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
      read: () => all().flatMap((pool) => ageOf(pool)),
    },
  ]
}

function ageOf(pool: RpcPool) {
  const age = pool.headAge()
  return age === undefined ? [] : [{ labels: { chain: pool.chain }, value: Math.max(0, Math.round(age)) }]
}
