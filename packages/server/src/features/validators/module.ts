import { Failure, type validatorEndpoints } from '@coffer/contract'
import { createBeaconPool } from '../../beacon/beacon-pool.ts'
import type { ChainReading } from '../../chains/chain-reading.ts'
import type { ExecutionReading } from '../../chains/execution-reading.ts'
import type { Handlers } from '../../http/mount.ts'
import type { JobDefinition } from '../../jobs/queue.ts'
import type { Metrics } from '../../lib/metrics.ts'
import type { Secret } from '../../lib/secret.ts'
import { StartupError } from '../../lib/startup-error.ts'
import type { Module, Ports } from '../module.ts'
import { createValidatorsContext, type ScanContext, type ValidatorsContext } from './context.ts'
import { listDeposits } from './deposits/deposits.ts'
import { createReadIncome } from './indexing/proposals.ts'
import { createValidatorIndexer } from './indexing/validator-indexer.ts'
import { listRewards } from './rewards.ts'
import { scanDeposits, scanWithdrawals } from './scans/validator-scans.ts'
import type { ValidatorId } from './tracking.ts'
import { findDetails } from './validator-details.ts'
import { checkValidators } from './watched-validators.ts'
import { listWithdrawals } from './withdrawals.ts'

const EXECUTION_CHAIN = 'ethereum'

const INDEX_JOB = 'index-validators'
const WITHDRAWALS_JOB = 'scan-withdrawals'
const DEPOSITS_JOB = 'scan-deposits'
/** A run ends by itself before that. */
const INDEX_LIMIT_SECONDS = 3_600
/** Final blocks appear every six minutes. */
const EVERY_SECONDS = 60
const SCAN_LIMIT_SECONDS = 600
/** 60 s before the job's limit, so that the last piece is still stored. */
const SCAN_MS = (SCAN_LIMIT_SECONDS - 60) * 1_000

type Settings = {
  /** In order of use. */
  urls: readonly Secret[]
  rewardsFrom: number | null
  index: 'tracked' | 'all'
  relays: readonly Secret[]
}

type OwnPorts = Ports & { config: { beacon: Settings | null }; metrics: Metrics }

/** Without a beacon node each request fails as if no node answered. */
export function validatorModule({ config: { beacon }, database: { db }, reading, jobs, metrics, ...ports }: OwnPorts) {
  const { clock, logger: log } = ports
  const execution = openExecution(reading.readingOf(EXECUTION_CHAIN), beacon !== null)
  if (!beacon) {
    log.info('COFFER_BEACON_URL is not set: validators of the beacon chain are not read')
  } else if (!execution) {
    log.warn('COFFER_RPC_ETHEREUM is not set: epochs in which a validator proposes cannot be read')
    log.info('COFFER_RPC_ETHEREUM is not set: withdrawals and deposits of validators are not read')
  }
  const onTracked = () => {
    for (const name of [INDEX_JOB, ...(execution ? [WITHDRAWALS_JOB, DEPOSITS_JOB] : [])]) {
      jobs.send(name, {}, { singletonKey: name }).catch((err: unknown) => {
        log.warn({ err, job: name }, 'a validator job could not be enqueued; its schedule starts it within a minute')
      })
    }
  }
  const context = createValidatorsContext({
    db,
    pool: createBeaconPool({ urls: revealed(beacon?.urls), clock, observe: metrics.observeNode }),
    execution,
    readIncome: createReadIncome(execution, revealed(beacon?.relays)),
    rewardsFrom: beacon?.rewardsFrom ?? null,
    reach: beacon?.index ?? 'tracked',
    clock,
    log,
    onTracked,
  })
  return {
    handlers: validatorRoutes(context, { isConfigured: beacon !== null }),
    jobs: [...indexJobs(context, beacon !== null), ...(beacon && execution ? scanJobs({ ...context, execution }) : [])],
  } satisfies Module
}

function indexJobs(context: ValidatorsContext, isConfigured: boolean): JobDefinition[] {
  const schedule = isConfigured && { everySeconds: EVERY_SECONDS }
  const options = { limitSeconds: INDEX_LIMIT_SECONDS, retryLimit: 0 }
  return [
    { name: INDEX_JOB, handler: createValidatorIndexer(context), options, ...schedule },
    { name: 'watch-validators', handler: () => checkValidators(context), options: { retryLimit: 0 }, ...schedule },
  ]
}

function scanJobs(context: ScanContext): JobDefinition[] {
  const options = { limitSeconds: SCAN_LIMIT_SECONDS, retryLimit: 0, oncePerKey: 'until begun' } as const
  const jobOf = (name: string, scan: typeof scanDeposits): JobDefinition => ({
    name,
    handler: (signal) => scan(context, AbortSignal.any([signal, AbortSignal.timeout(SCAN_MS)])),
    options,
    everySeconds: EVERY_SECONDS,
  })
  return [jobOf(WITHDRAWALS_JOB, scanWithdrawals), jobOf(DEPOSITS_JOB, scanDeposits)]
}

const revealed = (urls: readonly Secret[] = []) => urls.map((url) => url.reveal())

function openExecution(reading: ChainReading | undefined, isNeeded: boolean): ExecutionReading | undefined {
  if (reading && !reading.execution && isNeeded) {
    throw new StartupError(
      `COFFER_BEACON_URL is set, but ${EXECUTION_CHAIN} is of a kind that cannot be read as the execution chain of validators: unset it, or take ${EXECUTION_CHAIN} out of COFFER_CHAINS.`,
    )
  }
  return reading?.execution?.(EXECUTION_CHAIN)
}

export function validatorRoutes(
  context: ValidatorsContext,
  { isConfigured }: { isConfigured: boolean },
): Handlers<typeof validatorEndpoints> {
  /** Costs nothing; clients do not retry NOT_CONFIGURED. */
  const prepare = () => {
    if (!isConfigured) {
      throw new Failure('NOT_CONFIGURED', 'Validators are not read here: the operator has not set COFFER_BEACON_URL')
    }
  }
  type Find<Q, A> = (context: ValidatorsContext, id: ValidatorId, query: Q) => Promise<A>
  type Call<Q> = { params: { index: number } | { pubkey: string }; query: Q }
  const by = <Q, A>(find: Find<Q, A>) => ({
    prepare,
    handle: ({ params, query }: Call<Q>) => find(context, 'index' in params ? params.index : params.pubkey, query),
  })
  return {
    getValidatorDetailsByIndex: by(findDetails),
    getValidatorDetailsByPubkey: by(findDetails),
    listValidatorRewardsByIndex: by(listRewards),
    listValidatorRewardsByPubkey: by(listRewards),
    listValidatorWithdrawalsByIndex: by(listWithdrawals),
    listValidatorWithdrawalsByPubkey: by(listWithdrawals),
    listValidatorDepositsByIndex: by(listDeposits),
    listValidatorDepositsByPubkey: by(listDeposits),
  }
}
