import { type BeaconDevnet, type BeaconDevnetOptions, type Scenario, startBeaconDevnet } from '@coffer/beacon-devnet'
import { expect } from 'vitest'
import { createBeaconPool } from '../../src/beacon/beacon-pool.ts'
import { createExecutionReading } from '../../src/chains/evm/execution-reading.ts'
import type { ExecutionReading } from '../../src/chains/execution-reading.ts'
import { createRpcPool } from '../../src/chains/rpc/rpc-pool.ts'
import type { Place } from '../../src/domain/reward-buckets.ts'
import { createValidatorsContext } from '../../src/features/validators/context.ts'
import { listDeposits } from '../../src/features/validators/deposits/deposits.ts'
import { scanDeposits, scanWithdrawals } from '../../src/features/validators/scans/validator-scans.ts'
import { trackValidator } from '../../src/features/validators/tracking.ts'
import type { Reach } from '../../src/features/validators/validator-store.ts'
import { listWithdrawals } from '../../src/features/validators/withdrawals.ts'
import { testDatabase } from '../database.ts'

export const ETH = 1_000_000_000
export const GENESIS_TIME = 1_700_000_000
export const SLOTS = 8
export const WEI = 10n ** 9n

/** Validators exit and withdraw at once; their credentials have all prefixes. */
export const QUICK_EXITS = {
  fork: 'fulu',
  validators: Array.from({ length: 64 }, (_, i) => ({ prefix: ([1, 0, 2] as const)[i % 3] ?? 1 })),
  config: { SHARD_COMMITTEE_PERIOD: 0, MIN_VALIDATOR_WITHDRAWABILITY_DELAY: 2 },
} as const

export const exits = { from: 20, exits: [6], withdrawalRequests: [{ validator: 2, amountGwei: ETH / 2 }] }

export const placeOf = (slot: number) => ({
  ...{ slot, epoch: Math.floor(slot / SLOTS), timestamp: GENESIS_TIME + slot * 12 },
})

/** Final withdrawals of the state transition, newest first, as shown. */
export async function paidTo(chain: Pick<ScannedChain, 'devnet'>, index: number) {
  const final = await finalSlot(chain)
  const truth = (await chain.devnet.truth()).flatMap(({ withdrawals }) => withdrawals)
  return truth
    .filter(({ slot, validatorIndex }) => slot <= final && validatorIndex === index)
    .toSorted((a, b) => b.index - a.index)
    .map(({ slot, amountGwei, address }) => ({
      ...{ ...placeOf(slot), amount: String(amountGwei * WEI), address, index },
    }))
}

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
    reach: Reach = 'tracked',
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

export function serviceOf(devnet: Pick<BeaconDevnet, 'beacon' | 'execution'>, db: Database, reach: Reach = 'tracked') {
  const clock = { time: 0, now: () => (clock.time += 60_000) }
  const warnings: unknown[] = []
  const context = {
    ...createValidatorsContext({
      ...{ db, reach, clock, rewardsFrom: null, execution: undefined, onTracked: () => undefined },
      pool: createBeaconPool({ urls: [devnet.beacon] }),
      readIncome: () => Promise.reject(new Error('nothing is indexed here')),
      log: { warn: (...of: unknown[]) => void warnings.push(of) },
    }),
    execution: executionOf(devnet),
  }
  const signal = new AbortController().signal
  return {
    warnings,
    context,
    tracking: { open: (index: number) => trackValidator(context, index) },
    withdrawals: { list: (index: number, place: Place) => listWithdrawals(context, index, place) },
    deposits: { list: (index: number, place: Place) => listDeposits(context, index, place) },
    scanWithdrawals: (until = signal) => scanWithdrawals(context, until),
    scanDeposits: (until = signal) => scanDeposits(context, until),
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
