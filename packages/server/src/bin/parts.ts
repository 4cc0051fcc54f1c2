import { NAV_CURRENCIES } from '@coffer/contract'
import { byKey } from '../chains/chain-catalog.ts'
import type { ChainKind, ChainKinds } from '../chains/chain-type.ts'
import type { RpcPool } from '../chains/rpc/rpc-pool.ts'
import { kindSettingsOf } from '../config/chain-settings.ts'
import type { Config } from '../config/config.ts'
import { rpcVariable } from '../config/env.ts'
import type { Database } from '../db/database.ts'
import { historyStores } from '../features/history/module.ts'
import { systemClock } from '../lib/clock.ts'
import { createLogger } from '../lib/logger.ts'
import { createMetrics } from '../lib/metrics.ts'
import { openPools } from '../wallets/open-pools.ts'
import { openReading } from '../wallets/open-reading.ts'
import { commandKinds } from './command-input.ts'

/** Opens parts of the service that log and measure nothing. */
export function openParts(config: Config, database: Pick<Database, 'db'>, kinds = commandKinds) {
  const common = { ...means(config, kinds), database }
  return { ...common, reading: openReading({ ...common, stores: historyStores(database) }) }
}

/** Opens nodes that prove their chain as in the service. */
export function openPoolsOf(
  kind: ChainKind,
  config: Config,
  { db }: Pick<Database, 'db'>,
): ReadonlyMap<string, RpcPool> {
  const own = config.chains.filter(({ key, family }) => config.endpoints.has(key) && family === kind.name)
  const chains = byKey(own)
  const endpoints = new Map([...config.endpoints].filter(([key]) => chains.has(key)))
  const { logger, ...rest } = means(config, commandKinds)
  return openPools({ ...rest, endpoints, chains, db, log: logger })
}

const means = (config: Config, kinds: ChainKinds) => ({
  config,
  settings: kindSettingsOf(config, NAV_CURRENCIES),
  rpcVariable,
  kinds,
  metrics: createMetrics(),
  clock: systemClock,
  logger: createLogger({ level: 'silent' }),
})
