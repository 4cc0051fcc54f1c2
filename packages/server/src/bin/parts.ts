import { NAV_CURRENCIES } from '@coffer/contract'
import { byKey } from '../chains/chain-catalog.ts'
import type { ChainType, ChainTypes } from '../chains/chain-type.ts'
import type { RpcPool } from '../chains/rpc/rpc-pool.ts'
import { type Config, chainTypeSettingsOf } from '../config/config.ts'
import { rpcVariable } from '../config/env.ts'
import type { Db } from '../db/tables.ts'
import { historyStores } from '../features/history/module.ts'
import { systemClock } from '../lib/clock.ts'
import { useProxy } from '../lib/http-client.ts'
import { createLogger } from '../lib/logger.ts'
import { createMetrics } from '../lib/metrics.ts'
import { createPools } from '../wallets/create-pools.ts'
import { createReading } from '../wallets/create-reading.ts'
import { commandChainTypes } from './command-input.ts'

/** Logs and measures nothing. */
export function openParts(config: Config, db: Db, chainTypes = commandChainTypes) {
  const database = { db, reads: db }
  const common = { ...means(config, chainTypes), database }
  return { ...common, reading: createReading({ ...common, stores: historyStores(database.db) }) }
}

/** They prove their chain as in the service. */
export function poolsOf(chainType: ChainType, config: Config, db: Db): ReadonlyMap<string, RpcPool> {
  const own = config.chains.filter(({ key, family }) => config.endpoints.has(key) && family === chainType.name)
  const chains = byKey(own)
  const endpoints = new Map([...config.endpoints].filter(([key]) => chains.has(key)))
  const { logger, ...rest } = means(config, commandChainTypes)
  return createPools({ ...rest, endpoints, chains, db, log: logger })
}

function means(config: Config, chainTypes: ChainTypes) {
  useProxy(config.proxy && { ...config.proxy, url: config.proxy.url.reveal() })
  return {
    config,
    settings: chainTypeSettingsOf(config, NAV_CURRENCIES),
    rpcVariable,
    chainTypes,
    metrics: createMetrics(),
    clock: systemClock,
    logger: createLogger({ level: 'silent' }),
  }
}
