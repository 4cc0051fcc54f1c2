import { createBeaconPool } from './beacon/beacon-pool.ts'
import { createRelays } from './beacon/relays.ts'
import { composeValidatorScans, SCAN_JOBS } from './compose-validator-scans.ts'
import type { Config } from './config/config.ts'
import type { Database } from './db/database.ts'
import { createBeaconChain } from './features/validators/beacon-chain.ts'
import { createCountedEpochs } from './features/validators/counted-epochs.ts'
import { createFindValidator } from './features/validators/find-validator.ts'
import { createReadIncome } from './features/validators/indexing/read-income.ts'
import { createRegistry } from './features/validators/indexing/registry.ts'
import { createRegistryEpochs } from './features/validators/indexing/registry-epochs.ts'
import { createTrackedEpochs } from './features/validators/indexing/tracked-epochs.ts'
import { createValidatorIndexer } from './features/validators/indexing/validator-indexer.ts'
import { createRegistryStore } from './features/validators/registry/registry-store.ts'
import { createRewards } from './features/validators/rewards.ts'
import { createSumRewards } from './features/validators/sum-rewards.ts'
import { createTracking } from './features/validators/tracking.ts'
import { createValidatorDetails } from './features/validators/validator-details.ts'
import { createValidatorStore } from './features/validators/validator-store.ts'
import type { Jobs } from './jobs/queue.ts'
import type { RpcPool } from './kinds/rpc/rpc-pool.ts'
import type { Clock } from './lib/clock.ts'
import type { Logger } from './lib/logger.ts'
import type { Metrics } from './lib/metrics.ts'

/** The execution chain whose blocks the validators propose. */
const EXECUTION_CHAIN = 'ethereum'

const INDEX_JOB = 'index-validators'
/** Interval of the search for epochs that became final or could not be read, in seconds. */
const INDEX_SECONDS = 60
/** A run ends by itself before that. */
const INDEX_LIMIT_SECONDS = 3_600

/** Composes validators. Without a beacon node each request fails as if no node answered. */
export function composeValidators({
  config: { beacon },
  database,
  pools,
  jobs,
  metrics,
  clock,
  logger: log,
}: {
  config: Pick<Config, 'beacon'>
  database: Pick<Database, 'db'>
  /** Of the execution chains, by key. */
  pools: ReadonlyMap<string, RpcPool>
  jobs: Pick<Jobs, 'define' | 'every' | 'send'>
  metrics: Pick<Metrics, 'observeNode'>
  clock: Clock
  logger: Logger
}) {
  const execution = pools.get(EXECUTION_CHAIN)
  if (!beacon) log.info('COFFER_BEACON_URL is not set: validators of the beacon chain are not read')
  else if (!execution) log.warn('COFFER_RPC_ETHEREUM is not set: epochs in which a validator proposes cannot be read')
  const urls = beacon?.urls.map((url) => url.reveal()) ?? []
  const pool = createBeaconPool({ urls, clock, observe: metrics.observeNode })
  const chain = createBeaconChain({ pool, rewardsFrom: beacon?.rewardsFrom ?? null })
  const store = createValidatorStore(database.db)
  const countedEpochs = createCountedEpochs({ chain, clock })
  const relays = createRelays(beacon?.relays.map((url) => url.reveal()) ?? [])
  const readIncome = createReadIncome({ pool: execution, relays })
  const indexesAll = beacon?.index === 'all'
  const registryStore = createRegistryStore(database.db)
  const sources = { pool, chain, countedEpochs, clock, log }
  const indexer = indexesAll
    ? createValidatorIndexer({
        ...sources,
        work: createRegistryEpochs({ registry: createRegistry({ pool, store }), store: registryStore, readIncome }),
      })
    : createValidatorIndexer({ ...sources, work: createTrackedEpochs({ store, readIncome }) })
  jobs.define(INDEX_JOB, (signal) => indexer.run(signal), { limitSeconds: INDEX_LIMIT_SECONDS, retryLimit: 0 })
  if (beacon) jobs.every(INDEX_JOB, INDEX_SECONDS)
  const onTracked = () => {
    // Without an execution node nothing is scanned, and there are no such jobs.
    for (const name of [INDEX_JOB, ...(execution ? SCAN_JOBS : [])]) {
      jobs.send(name, {}, { singletonKey: name }).catch((err: unknown) => {
        log.warn({ err, job: name }, 'a validator job could not be enqueued; its schedule starts it within a minute')
      })
    }
  }
  const tracking = createTracking({ store, findValidator: createFindValidator(pool), indexesAll, onTracked })
  const scans = composeValidatorScans({
    ...{ database, beacon: beacon ? pool : undefined, execution, chain, countedEpochs, store, tracking, jobs, log },
    reach: beacon?.index ?? 'tracked',
  })
  return {
    details: createValidatorDetails({ pool, chain, clock }),
    rewards: createRewards({
      sumRewards: createSumRewards({ store, registry: registryStore }),
      chain,
      countedEpochs,
      tracking,
    }),
    ...scans,
    isConfigured: beacon !== null && beacon !== undefined,
  }
}
