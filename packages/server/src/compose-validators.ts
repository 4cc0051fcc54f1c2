import { createBeaconPool } from './beacon/beacon-pool.ts'
import type { Config } from './config/config.ts'
import type { Database } from './db/database.ts'
import { createBeaconChain } from './features/validators/beacon-chain.ts'
import { createCountedEpochs } from './features/validators/counted-epochs.ts'
import { createFindValidator } from './features/validators/find-validator.ts'
import { createRewards } from './features/validators/rewards.ts'
import { createTracking } from './features/validators/tracking.ts'
import { createValidatorDetails } from './features/validators/validator-details.ts'
import { createValidatorStore } from './features/validators/validator-store.ts'
import type { Clock } from './lib/clock.ts'
import type { Logger } from './lib/logger.ts'
import type { Metrics } from './lib/metrics.ts'

/** Everything that tells of validators. Without a beacon node each question fails as one that no node answers. */
export function composeValidators({
  config: { beacon },
  database,
  metrics,
  clock,
  logger: log,
}: {
  config: Pick<Config, 'beacon'>
  database: Pick<Database, 'db'>
  metrics: Pick<Metrics, 'observeNode'>
  clock: Clock
  logger: Logger
}) {
  if (!beacon) log.info('COFFER_BEACON_URL is not set: validators of the beacon chain are not read')
  const urls = beacon?.urls.map((url) => url.reveal()) ?? []
  const pool = createBeaconPool({ urls, clock, observe: metrics.observeNode })
  const chain = createBeaconChain({ pool, rewardsFrom: beacon?.rewardsFrom ?? null })
  const store = createValidatorStore(database.db)
  const countedEpochs = createCountedEpochs({ chain, clock })
  const tracking = createTracking({ store, findValidator: createFindValidator(pool), onTracked: () => undefined })
  return {
    details: createValidatorDetails({ pool, chain, clock }),
    rewards: createRewards({ store, chain, countedEpochs, tracking }),
  }
}
