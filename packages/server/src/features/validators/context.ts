import { type BeaconNode, type BeaconPool, createCheckFresh } from '../../beacon/beacon-pool.ts'
import type { ExecutionReading } from '../../chains/execution-reading.ts'
import type { Db } from '../../db/tables.ts'
import type { Clock } from '../../lib/clock.ts'
import type { WarnLog } from '../../lib/logger.ts'
import { type BeaconChain, createBeaconChain } from './beacon-chain.ts'
import { createDepositStore, type DepositStore } from './deposits/deposit-store.ts'
import type { ReadIncome } from './indexing/proposals.ts'
import { createRegistryStore, type RegistryStore } from './registry/registry-store.ts'
import { type FindValidator, readValidator } from './tracking.ts'
import { createValidatorStore, type Reach, type ValidatorStore } from './validator-store.ts'
import { createWithdrawalStore, type WithdrawalStore } from './withdrawals.ts'

type Sources = {
  db: Db
  pool: BeaconPool
  /** Undefined: no execution node is configured. */
  execution: ExecutionReading | undefined
  readIncome: ReadIncome
  reach: Reach
  clock: Clock
  log: WarnLog
  /** Called after each newly tracked validator. */
  onTracked(): void
}

export type BeaconContext = {
  pool: BeaconPool
  chain: BeaconChain
  /** Rejects with `UpstreamError` while the node syncs far behind the head. */
  checkFresh(node: BeaconNode): Promise<number>
}

export type ValidatorsContext = Sources &
  BeaconContext & {
    findValidator: FindValidator
    store: ValidatorStore
    registry: RegistryStore
    withdrawals: WithdrawalStore
    deposits: DepositStore
  }

export type ScanContext = ValidatorsContext & { execution: ExecutionReading }

export function createValidatorsContext({
  rewardsFrom,
  ...sources
}: Sources & { rewardsFrom: number | null }): ValidatorsContext {
  const { db, pool, reach, clock } = sources
  return {
    ...sources,
    chain: createBeaconChain(pool, rewardsFrom, clock),
    findValidator: (id) => readValidator(pool, id),
    checkFresh: createCheckFresh(clock),
    store: createValidatorStore(db),
    registry: createRegistryStore(db),
    withdrawals: createWithdrawalStore(db, reach),
    deposits: createDepositStore(db, reach),
  }
}
