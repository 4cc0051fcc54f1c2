import { createBeaconPool } from './beacon/beacon-pool.ts'
import { composePools } from './compose-pools.ts'
import { composeReading } from './compose-reading.ts'
import type { Config } from './config/config.ts'
import type { Database } from './db/database.ts'
import { examine } from './features/doctor/doctor.ts'
import type { Finding } from './features/doctor/findings.ts'
import { byKey } from './kinds/chain-catalog.ts'
import type { ChainKinds } from './kinds/kind.ts'
import { createTokenCatalog } from './knowledge/token-catalog.ts'
import { systemClock } from './lib/clock.ts'
import { createLogger } from './lib/logger.ts'
import { createMetrics } from './lib/metrics.ts'
import type { Secret } from './lib/secret.ts'

/** Checks every endpoint separately, and everything else that the service depends on. */
export function composeDoctor(
  config: Config,
  database: Pick<Database, 'db'>,
  kinds: ChainKinds,
  openSecrets: () => Promise<unknown>,
): Promise<Finding[]> {
  const [clock, logger, metrics] = [systemClock, createLogger({ level: 'silent' }), createMetrics()]
  const chains = byKey(config.chains)
  const endpoints = [...config.endpoints].flatMap(([key, urls]) => {
    const chain = chains.get(key)
    if (!chain) return []
    return urls.map((url, i) => {
      const alone = { endpoints: new Map([[key, [url]]]) }
      const pool = composePools({ config: alone, db: database.db, kinds, chains, metrics, clock, log: logger }).get(key)
      if (!pool) throw new Error(`${key} has no pool`)
      return { name: `${key}#${i + 1}`, host: hostOf(url), chain, kind: kinds.of(chain), pool }
    })
  })
  const beaconNodes = (config.beacon?.urls ?? []).map((url, i) => ({
    ...{ name: `beacon#${i + 1}`, host: hostOf(url) },
    pool: createBeaconPool({ urls: [url.reveal()], clock }),
  }))
  const catalog = createTokenCatalog({ chains: config.chains, configTokens: config.tokens })
  const { rates } = composeReading({ config, database, kinds, catalog, metrics: createMetrics(), clock, logger })
  return examine({
    ...{
      endpoints,
      beaconNodes,
      db: database.db,
      dataDir: config.dataDir,
      usdPerEach: rates.usdPerEach,
      openSecrets,
      clock,
    },
    sources: config.prices.sources,
  })
}

const hostOf = (url: Secret) => URL.parse(url.reveal())?.host ?? ''
