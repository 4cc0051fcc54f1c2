import { sql } from 'kysely'
import { createStatistics } from '../src/db/statistics.ts'
import type { Db } from '../src/db/tables.ts'
import type { Address } from '../src/domain/address.ts'
import type { TransactionType, Treatment, WalletTransaction } from '../src/domain/transaction.ts'
import type { CostContext, SyncContext } from '../src/features/history/context.ts'
import { createHistoryStore } from '../src/features/history/store/history-store.ts'
import { systemClock } from '../src/lib/clock.ts'
import { createLogger } from '../src/lib/logger.ts'
import { createSingleFlight } from '../src/lib/single-flight.ts'

/** One process's context of costs. Every token is listed and has 18 decimals. */
export function costContextOf(db: Db, of: Partial<CostContext>): CostContext {
  return {
    db,
    reads: db,
    scopeOf: async () => undefined,
    methodOf: async () => 'FIFO',
    findTokens: async () => () => undefined,
    factsOf: async () => (_, token) => ({ decimals: 18, identity: token, rebasing: false, listed: true }),
    runs: createSingleFlight(),
    statistics: createStatistics(db, ['accounting_result']),
    log: createLogger({ level: 'silent' }),
    computeLater: async () => undefined,
    ...of,
  }
}

const UNIT = 10n ** 18n

/** `units` of 18 decimals; `price` null: unknown. */
export type Moved = readonly [treatment: Treatment, token: Address, units: number, price: string | null, from?: Address]
export type Step = { block: number; time: number; type: TransactionType; moves: readonly Moved[] }

/** Stores a transaction of the wallet on ethereum for each step, with prices. */
export async function playSteps(db: Db, wallet: Address, steps: readonly Step[]): Promise<void> {
  const transactions = steps.map(({ block, time, type, moves }): WalletTransaction => {
    return {
      ...{ hash: `0x${block}`, block: BigInt(block), blockHash: `0xb${block}`, index: 0, time, from: wallet, to: null },
      ...{ selector: '0x', succeeded: true, feeRaw: 0n, type, protocol: null },
      movements: moves.map(([treatment, token, units, , counterparty = null]) => {
        const leg = treatment === 'fee' ? 9 : 0
        return { token, tokenId: null, amountRaw: BigInt(units) * UNIT, counterparty, debt: false, leg, treatment }
      }),
    }
  })
  const searched = { ranges: [], found: transactions, native: [] }
  await createHistoryStore(db).save({ wallet, chain: 'ethereum' }, transactions, searched, async () => undefined)
  for (const { block, moves } of steps) {
    for (const [place, [, , , price]] of moves.entries()) {
      await sql`
        update history_movement set price = ${price}::numeric, priced_at = now()
        where wallet = ${wallet} and block = ${block} and place = ${place}`.execute(db)
    }
  }
}

/** Stays within the time limit of a statement. */
const REPEATED_AT_ONCE = 1_000

/** Stores the wallet's transaction of block 1 in each block up to `last`: 5,333 a day. */
export async function repeatStep(db: Db, wallet: Address, last: number): Promise<void> {
  for (let from = 2; from <= last; from += REPEATED_AT_ONCE) {
    const blocks = sql`generate_series(${from}::integer, ${Math.min(from + REPEATED_AT_ONCE - 1, last)}::integer)`
    const first = sql`where first.wallet = ${wallet} and first.chain = 'ethereum' and first.block = 1`
    await sql`
      insert into history_transaction
      select later.* from history_transaction as first, ${blocks} as n,
        jsonb_populate_record(first, jsonb_build_object('block', n, 'hash', '0x' || n,
          'block_time', first.block_time + n * interval '16.2 s')) as later ${first}`.execute(db)
    await sql`
      insert into history_movement
      select later.* from history_movement as first, ${blocks} as n,
        jsonb_populate_record(first, jsonb_build_object('block', n)) as later ${first}`.execute(db)
  }
}

/** Syncs on these chains. Nothing is read, priced or enqueued. */
export function syncsOf(db: Db, chains: readonly string[], of: Partial<SyncContext> = {}): SyncContext {
  const unread = () => Promise.reject(new Error('nothing is read here'))
  return {
    ...{ db, store: createHistoryStore(db), enabled: chains.map((key) => ({ key })), clock: systemClock },
    histories: { bringUpToDate: unread, follow: unread },
    hasHistory: () => true,
    chainsOf: () => chains,
    complete: async () => undefined,
    jobs: { send: async () => true, wake: () => undefined, findWithoutJob: async (_, wallets) => [...wallets] },
    log: createLogger({ level: 'silent' }),
    ...of,
  }
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}
