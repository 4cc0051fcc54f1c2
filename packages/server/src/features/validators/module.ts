import { createBeaconPool } from '../../beacon/beacon-pool.ts'
import { createRelays } from '../../beacon/relays.ts'
import type { ChainReading } from '../../chains/chain-reading.ts'
import type { ExecutionReading } from '../../chains/execution-reading.ts'
import type { JobDefinition } from '../../jobs/queue.ts'
import type { Metrics } from '../../lib/metrics.ts'
import type { Secret } from '../../lib/secret.ts'
import { StartupError } from '../../lib/startup-error.ts'
import type { Module, Ports } from '../module.ts'
import { createBeaconChain } from './beacon-chain.ts'
import { createCountedEpochs } from './counted-epochs.ts'
import { createReadIncome } from './indexing/proposals.ts'
import { createRegistry } from './indexing/registry.ts'
import { createRegistryEpochs } from './indexing/registry-epochs.ts'
import { createTrackedEpochs } from './indexing/tracked-epochs.ts'
import { createValidatorIndexer } from './indexing/validator-indexer.ts'
import { createRegistryStore } from './registry/registry-store.ts'
import { createRewards, createSumRewards } from './rewards.ts'
import { createScanJobs, SCAN_JOBS } from './scans/scan-jobs.ts'
import { createFindValidator, createTracking } from './tracking.ts'
import { createValidatorDetails } from './validator-details.ts'
import { validatorRoutes } from './validator-routes.ts'
import { createValidatorStore } from './validator-store.ts'
import { createWatchedValidators } from './watched-validators.ts'

const EXECUTION_CHAIN = 'ethereum'

const INDEX_JOB = 'index-validators'
const INDEX_SECONDS = 60
/** A run ends by itself before that. */
const INDEX_LIMIT_SECONDS = 3_600
const WATCH_JOB = 'watch-validators'
const WATCH_SECONDS = 60

type Settings = {
  /** In order of use. */
  urls: readonly Secret[]
  rewardsFrom: number | null
  index: 'tracked' | 'all'
  relays: readonly Secret[]
}

/** Without a beacon node each request fails as if no node answered. */
export function validatorModule({
  config: { beacon },
  database,
  reading,
  jobs,
  metrics,
  clock,
  logger: log,
}: Pick<Ports, 'database' | 'reading' | 'jobs' | 'clock' | 'logger'> & {
  config: { beacon: Settings | null }
  metrics: Pick<Metrics, 'observeNode'>
}) {
  const execution = openExecution(reading.readingOf(EXECUTION_CHAIN), beacon !== null)
  if (!beacon) log.info('COFFER_BEACON_URL is not set: validators of the beacon chain are not read')
  else if (!execution) log.warn('COFFER_RPC_ETHEREUM is not set: epochs in which a validator proposes cannot be read')
  const urls = beacon?.urls.map((url) => url.reveal()) ?? []
  const pool = createBeaconPool({ urls, clock, observe: metrics.observeNode })
  const chain = createBeaconChain({ pool, rewardsFrom: beacon?.rewardsFrom ?? null })
  const store = createValidatorStore(database.db)
  const countedEpochs = createCountedEpochs({ chain, clock })
  const relays = createRelays(beacon?.relays.map((url) => url.reveal()) ?? [])
  const readIncome = createReadIncome({ execution, relays })
  const indexesAll = beacon?.index === 'all'
  const registryStore = createRegistryStore(database.db)
  const sources = { pool, chain, countedEpochs, clock, log }
  const indexer = indexesAll
    ? createValidatorIndexer({
        ...sources,
        work: createRegistryEpochs({ registry: createRegistry({ pool, store }), store: registryStore, readIncome }),
      })
    : createValidatorIndexer({ ...sources, work: createTrackedEpochs({ store, readIncome }) })
  const indexing: JobDefinition = {
    name: INDEX_JOB,
    handler: (signal) => indexer.run(signal),
    options: { limitSeconds: INDEX_LIMIT_SECONDS, retryLimit: 0 },
    ...(beacon && { everySeconds: INDEX_SECONDS }),
  }
  const onTracked = () => {
    for (const name of [INDEX_JOB, ...(execution ? SCAN_JOBS : [])]) {
      jobs.send(name, {}, { singletonKey: name }).catch((err: unknown) => {
        log.warn({ err, job: name }, 'a validator job could not be enqueued; its schedule starts it within a minute')
      })
    }
  }
  const tracking = createTracking({ store, findValidator: createFindValidator(pool), indexesAll, onTracked })
  const scans = createScanJobs({
    database,
    beacon: beacon ? pool : undefined,
    execution,
    chain,
    countedEpochs,
    store,
    tracking,
    log,
    reach: beacon?.index ?? 'tracked',
  })
  const handlers = validatorRoutes({
    details: createValidatorDetails({ pool, chain, clock }),
    rewards: createRewards({
      sumRewards: createSumRewards({ store, registry: registryStore }),
      chain,
      countedEpochs,
      tracking,
    }),
    withdrawals: scans.withdrawals,
    deposits: scans.deposits,
    isConfigured: beacon !== null,
  })
  const watching: JobDefinition = {
    name: WATCH_JOB,
    handler: createWatchedValidators({ db: database.db, pool, tracking, store, log }),
    options: { retryLimit: 0 },
    ...(beacon && { everySeconds: WATCH_SECONDS }),
  }
  return { handlers, jobs: [indexing, watching, ...scans.jobs] } satisfies Module
}

function openExecution(reading: ChainReading | undefined, isNeeded: boolean): ExecutionReading | undefined {
  if (reading && !reading.execution && isNeeded) {
    throw new StartupError(
      `COFFER_BEACON_URL is set, but ${EXECUTION_CHAIN} is of a kind that cannot be read as the execution chain of validators: unset it, or take ${EXECUTION_CHAIN} out of COFFER_CHAINS.`,
    )
  }
  return reading?.execution?.(EXECUTION_CHAIN)
}
