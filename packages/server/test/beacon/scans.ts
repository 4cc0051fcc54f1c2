import { type BeaconDevnet, type BeaconDevnetOptions, type Scenario, startBeaconDevnet } from '@coffer/beacon-devnet'
import { expect } from 'vitest'
import { createBeaconPool } from '../../src/beacon/beacon-pool.ts'
import { createExecutionReading } from '../../src/chains/evm/execution-reading.ts'
import type { ExecutionReading } from '../../src/chains/execution-reading.ts'
import { createRpcPool } from '../../src/chains/rpc/rpc-pool.ts'
import { createBeaconChain } from '../../src/features/validators/beacon-chain.ts'
import { createCountedEpochs } from '../../src/features/validators/counted-epochs.ts'
import { createDepositStore } from '../../src/features/validators/deposits/deposit-store.ts'
import { createDeposits } from '../../src/features/validators/deposits/deposits.ts'
import type { ScanReach } from '../../src/features/validators/scans/scan-store.ts'
import { createScannedPages } from '../../src/features/validators/scans/scanned-pages.ts'
import { createValidatorScans } from '../../src/features/validators/scans/validator-scans.ts'
import { createFindValidator, createTracking } from '../../src/features/validators/tracking.ts'
import { createValidatorStore } from '../../src/features/validators/validator-store.ts'
import { createWithdrawalStore, createWithdrawals } from '../../src/features/validators/withdrawals.ts'
import { testDatabase } from '../database.ts'

export const ETH = 1_000_000_000
export const GENESIS_TIME = 1_700_000_000
export const SLOTS = 8
export const WEI = 10n ** 9n

export type Database = Awaited<ReturnType<typeof testDatabase>>['db']

export type ScannedChain = Awaited<ReturnType<ReturnType<typeof scannedChains>['startChain']>>

/** `stop` ends all chains. */
export function scannedChains() {
  const running: { stop(): Promise<void> }[] = []

  async function openDatabase(name: string): Promise<Database> {
    const { db, drop } = await testDatabase(name)
    running.push({ stop: drop })
    return db
  }

  async function startChain(
    options: Partial<BeaconDevnetOptions>,
    scenario: Scenario,
    toSlot: number,
    reach: ScanReach = 'tracked',
  ) {
    const devnet = await startBeaconDevnet({
      ...{ validators: 64, genesisTime: GENESIS_TIME, execution: true },
      presetValues: { EPOCHS_PER_ETH1_VOTING_PERIOD: 1 },
      ...options,
    })
    running.push(devnet)
    await devnet.play(scenario, toSlot)
    const db = await openDatabase('validator_scans')
    return { devnet, db, ...serviceOf(devnet, db, reach) }
  }

  async function stop(): Promise<void> {
    for (const one of running.toReversed()) await one.stop()
  }

  return { startChain, openDatabase, stop, keep: (one: { stop(): Promise<void> }) => void running.push(one) }
}

export function executionOf({ execution }: Pick<BeaconDevnet, 'execution'>): ExecutionReading {
  return createExecutionReading(createRpcPool({ chain: 'ethereum', urls: [execution] }))
}

export function serviceOf(
  devnet: Pick<BeaconDevnet, 'beacon' | 'execution'>,
  db: Database,
  reach: ScanReach = 'tracked',
) {
  const clock = { time: 0, now: () => (clock.time += 60_000) }
  const warnings: unknown[] = []
  const beacon = createBeaconPool({ urls: [devnet.beacon] })
  const execution = executionOf(devnet)
  const chain = createBeaconChain({ pool: beacon, rewardsFrom: null })
  const store = createValidatorStore(db)
  const [withdrawals, deposits] = [createWithdrawalStore(db, reach), createDepositStore(db, reach)]
  const tracking = createTracking({
    store,
    findValidator: createFindValidator(beacon),
    indexesAll: reach === 'all',
    onTracked: () => undefined,
  })
  const log = { warn: (...of: unknown[]) => void warnings.push(of) }
  const countedEpochs = createCountedEpochs({ chain, clock })
  const pages = createScannedPages({ tracking, chain, countedEpochs, isScanned: true })
  const scans = createValidatorScans({ reach, tracked: store, withdrawals, deposits, beacon, execution, chain, log })
  const signal = new AbortController().signal
  return {
    warnings,
    tracking,
    withdrawals: createWithdrawals({ store: withdrawals, pages }),
    deposits: createDeposits({ store: deposits, pages, chain }),
    scanWithdrawals: (until = signal) => scans.scanWithdrawals(until),
    scanDeposits: (until = signal) => scans.scanDeposits(until),
  }
}

/** Pages of three; all must agree on the whole. */
export async function allRows<T>(list: ScannedChain['withdrawals' | 'deposits']['list'], validator: number) {
  const rows: T[] = []
  let complete = ''
  for (let offset = 0; ; offset += 3) {
    const { body, headers } = await list(validator, { offset, limit: 3 })
    complete = headers['x-data-complete']
    rows.push(...(body.data as T[]))
    expect([body.offset, body.limit, body.pages]).toEqual([offset, 3, Math.ceil(body.totalRows / 3)])
    if (offset + 3 >= body.totalRows) {
      expect(rows).toHaveLength(body.totalRows)
      return { rows, complete }
    }
  }
}

export type Body = {
  execution_payload: { block_number: string }
  deposits: { data: { pubkey: string; amount: string; withdrawal_credentials: string } }[]
  execution_requests?: { deposits: { pubkey: string; amount: string; withdrawal_credentials: string; index: string }[] }
}

export async function carried({ devnet }: Pick<ScannedChain, 'devnet'>, toSlot: number) {
  const found: { slot: number; pubkey: string; amount: string }[] = []
  for (let slot = 1; slot <= toSlot; slot += 1) {
    const response = await fetch(`${devnet.beacon}/eth/v2/beacon/blocks/${slot}`)
    if (response.status === 404) continue
    const { data } = (await response.json()) as { data: { message: { body: Body } } }
    const { deposits, execution_requests: requests } = data.message.body
    for (const { pubkey, amount } of [...deposits.map((one) => one.data), ...(requests?.deposits ?? [])]) {
      found.push({ slot, pubkey, amount: String(BigInt(amount) * WEI) })
    }
  }
  return found
}

export async function finalSlot({ devnet }: Pick<ScannedChain, 'devnet'>): Promise<number> {
  const response = await fetch(`${devnet.beacon}/eth/v1/beacon/headers/finalized`)
  const { data } = (await response.json()) as { data: { header: { message: { slot: string } } } }
  return Number(data.header.message.slot)
}
