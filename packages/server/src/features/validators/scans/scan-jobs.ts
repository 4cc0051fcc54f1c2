import type { BeaconPool } from '../../../beacon/beacon-pool.ts'
import type { ExecutionReading } from '../../../chains/execution-reading.ts'
import type { Database } from '../../../db/database.ts'
import type { JobDefinition, JobHandler } from '../../../jobs/queue.ts'
import type { Logger } from '../../../lib/logger.ts'
import type { BeaconChain } from '../beacon-chain.ts'
import type { CountedEpochs } from '../counted-epochs.ts'
import { createDepositStore } from '../deposits/deposit-store.ts'
import { createDeposits } from '../deposits/deposits.ts'
import type { Tracking } from '../tracking.ts'
import type { ValidatorStore } from '../validator-store.ts'
import { createWithdrawalStore, createWithdrawals } from '../withdrawals.ts'
import type { ScanReach } from './scan-store.ts'
import { createScannedPages } from './scanned-pages.ts'
import { createValidatorScans } from './validator-scans.ts'

const WITHDRAWALS_JOB = 'scan-withdrawals'
const DEPOSITS_JOB = 'scan-deposits'
export const SCAN_JOBS = [WITHDRAWALS_JOB, DEPOSITS_JOB]
/** Final blocks appear every six minutes. */
const SCAN_SECONDS = 60
const SCAN_LIMIT_SECONDS = 600

export function createScanJobs({
  database: { db },
  execution,
  beacon,
  chain,
  countedEpochs,
  reach,
  store,
  tracking,
  log,
}: {
  database: Pick<Database, 'db'>
  execution: ExecutionReading | undefined
  beacon: BeaconPool | undefined
  chain: BeaconChain
  countedEpochs: CountedEpochs
  reach: ScanReach
  store: ValidatorStore
  tracking: Tracking
  log: Logger
}) {
  const withdrawals = createWithdrawalStore(db, reach)
  const deposits = createDepositStore(db, reach)
  const jobs: JobDefinition[] = []
  if (beacon && execution) {
    const stores = { tracked: store, withdrawals, deposits }
    const scans = createValidatorScans({ ...stores, reach, beacon, execution, chain, log })
    const options = { limitSeconds: SCAN_LIMIT_SECONDS, retryLimit: 0, oncePerKey: 'until begun' } as const
    const repeated = { options, everySeconds: SCAN_SECONDS }
    jobs.push({ name: WITHDRAWALS_JOB, handler: untilLate(scans.scanWithdrawals), ...repeated })
    jobs.push({ name: DEPOSITS_JOB, handler: untilLate(scans.scanDeposits), ...repeated })
  } else if (beacon) {
    log.info('COFFER_RPC_ETHEREUM is not set: withdrawals and deposits of validators are not read')
  }
  const pages = createScannedPages({ tracking, chain, countedEpochs, isScanned: execution !== undefined })
  return {
    jobs,
    withdrawals: createWithdrawals({ store: withdrawals, pages }),
    deposits: createDeposits({ store: deposits, pages, chain }),
  }
}

/** Ends 60 s before the job's limit, so that the last piece is still stored. */
function untilLate(round: (signal: AbortSignal) => Promise<void>): JobHandler<object> {
  const MARGIN_MS = 60_000
  return (signal) => round(AbortSignal.any([signal, AbortSignal.timeout(SCAN_LIMIT_SECONDS * 1_000 - MARGIN_MS)]))
}
