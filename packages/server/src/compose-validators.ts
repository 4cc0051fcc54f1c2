import { createBeaconPool } from './beacon/beacon-pool.ts'
import type { Config } from './config/config.ts'
import { createBeaconChain } from './features/validators/beacon-chain.ts'
import { createValidatorDetails } from './features/validators/validator-details.ts'
import type { Clock } from './lib/clock.ts'
import type { Logger } from './lib/logger.ts'
import type { Metrics } from './lib/metrics.ts'

/** Everything that tells of validators. Without a beacon node each question fails as one that no node answers. */
export function composeValidators({
  config: { beacon },
  metrics,
  clock,
  logger: log,
}: {
  config: Pick<Config, 'beacon'>
  metrics: Pick<Metrics, 'observeNode'>
  clock: Clock
  logger: Logger
}) {
  if (!beacon) log.info('COFFER_BEACON_URL is not set: validators of the beacon chain are not read')
  const urls = beacon?.urls.map((url) => url.reveal()) ?? []
  const pool = createBeaconPool({ urls, clock, observe: metrics.observeNode })
  const chain = createBeaconChain({ pool, rewardsFrom: beacon?.rewardsFrom ?? null })
  return { details: createValidatorDetails({ pool, chain, clock }) }
}
