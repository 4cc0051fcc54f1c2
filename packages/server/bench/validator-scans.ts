// Withdrawals and deposits of all validators, as with `COFFER_BEACON_INDEX=all` on mainnet: time per chunk, size per
// row, page speed. Not part of `npm run bench`: no targets.
// `validator-scans.ts [--days 40] [--validators 30000] [--deposits 2000000]`: as many withdrawals per validator as a
// million have in four years.
import { createHash } from 'node:crypto'
import { parseArgs } from 'node:util'
import type { Database } from '../src/db/database.ts'
import { createDepositStore } from '../src/features/validators/deposits/deposit-store.ts'
import { createWithdrawalStore, WITHDRAWAL_PIECE_BLOCKS } from '../src/features/validators/withdrawals.ts'
import { benchOverDatabase } from './bench-database.ts'

const { values: options } = parseArgs({
  options: {
    days: { type: 'string', default: '40' },
    validators: { type: 'string', default: '30000' },
    deposits: { type: 'string', default: '2000000' },
  },
})
const VALIDATORS = Number(options.validators)
const DAY_BLOCKS = 7_200
const BLOCK_WITHDRAWALS = 16
/** Per commit. 20,000 blocks usually have some thousand. */
const PIECE_DEPOSITS = 10_000
/** Days of deposits that wait for their blocks. */
const WINDOWS = 100
const WINDOW_DEPOSITS = 24
const PAGES = 500

const address = `0x${'ab'.repeat(20)}`
const credentials = `0x01${'0'.repeat(22)}${'ab'.repeat(20)}`
const signature = `0x${'cd'.repeat(96)}`
/** Evenly distributed, like keys. */
const pubkeyOf = (index: number) => {
  const digits = createHash('sha512').update(String(index)).digest('hex')
  return `0x${digits.slice(0, 96)}`
}

async function putWithdrawals({ db }: Database): Promise<number[]> {
  const store = createWithdrawalStore(db, 'all')
  const blocks = Number(options.days) * DAY_BLOCKS
  const piece = Number(WITHDRAWAL_PIECE_BLOCKS)
  await store.scan.begin({ firstBlock: 0n, finalBlock: BigInt(blocks - 1), finalSlot: blocks - 1 })
  const times: number[] = []
  for (let toBlock = blocks - 1; toBlock >= 0; toBlock -= piece) {
    const fromBlock = Math.max(0, toBlock - piece + 1)
    const rows = Array.from({ length: (toBlock - fromBlock + 1) * BLOCK_WITHDRAWALS }, (_, i) => {
      const index = fromBlock * BLOCK_WITHDRAWALS + i
      const slot = fromBlock + Math.floor(i / BLOCK_WITHDRAWALS)
      return { validator: index % VALIDATORS, index: BigInt(index), slot, amountGwei: 19_000_000n, address }
    })
    const found = { fromBlock: BigInt(fromBlock), toBlock: BigInt(toBlock), validators: 'all' as const, rows }
    times.push(await timed(() => store.save(found)))
  }
  return times
}

/** All from before Electra: each waits for its slot. */
async function putDeposits({ db }: Database): Promise<number[]> {
  const store = createDepositStore(db, 'all')
  const count = Number(options.deposits)
  await store.scan.begin({ firstBlock: 0n, finalBlock: BigInt(count - 1), finalSlot: count - 1 })
  const times: number[] = []
  for (let from = 0; from < count; from += PIECE_DEPOSITS) {
    const rows = Array.from({ length: PIECE_DEPOSITS }, (_, i) => ({
      ...{ pubkey: pubkeyOf(from + i), index: BigInt(from + i), amountGwei: 32_000_000_000n, signature },
      ...{ withdrawalCredentials: credentials, slot: null, searchSlot: 1 + Math.floor((from + i) / 5) },
    }))
    const range = { fromBlock: BigInt(from), toBlock: BigInt(from + PIECE_DEPOSITS - 1) }
    times.push(await timed(() => store.save({ ...range, validators: 'all', rows })))
  }
  return times
}

/** Database work per 128 beacon blocks. */
async function placeSome({ db }: Database): Promise<number[]> {
  const store = createDepositStore(db, 'all')
  const times: number[] = []
  for (let i = 0; i < WINDOWS; i += 1) {
    const work = async () => {
      const waiting = await store.listWaiting(2_049)
      const found = waiting.slice(0, WINDOW_DEPOSITS).map(({ index }) => ({ index, slot: i }))
      await store.place(found, [waiting[WINDOW_DEPOSITS]?.index ?? 0n], i + 1)
    }
    times.push(await timed(work))
  }
  return times
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

function reported(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => (sorted[Math.floor(sorted.length * share)] ?? Number.NaN).toFixed(1)
  return `p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, most ${at(1 - 1e-9)} ms`
}

async function bytesOf({ pool }: Database, table: string): Promise<string> {
  const { rows } = await pool.query(
    `select pg_total_relation_size($1::regclass)::float8 as bytes, pg_relation_size($1::regclass)::float8 as own,
      (select count(*) from ${table})::float8 as count`,
    [table],
  )
  const { bytes, own, count } = rows[0]
  return `${count} rows of ${(bytes / count).toFixed(0)} bytes, ${((bytes - own) / count).toFixed(0)} of them keys`
}

async function pages(read: (index: number) => Promise<unknown>): Promise<string> {
  const times: number[] = []
  for (let i = 0; i < PAGES; i += 1) times.push(await timed(() => read((i * 7_919) % VALIDATORS)))
  return reported(times)
}

async function bench(database: Database): Promise<string[]> {
  const place = { offset: 0, limit: 10 }
  console.log(`withdrawals, pieces of ${WITHDRAWAL_PIECE_BLOCKS} blocks: ${reported(await putWithdrawals(database))}`)
  console.log(`  ${await bytesOf(database, 'validator_withdrawal')}`)
  const withdrawals = createWithdrawalStore(database.db, 'all')
  const keyed = (index: number) => ({ index, pubkey: pubkeyOf(index) })
  console.log(`  a page: ${await pages((index) => withdrawals.page(keyed(index), place))}`)
  console.log(`deposits, pieces of ${PIECE_DEPOSITS}: ${reported(await putDeposits(database))}`)
  console.log(`  ${await bytesOf(database, 'validator_deposit')}`)
  const deposits = createDepositStore(database.db, 'all')
  console.log(`  a page: ${await pages((index) => deposits.page(keyed(index), place))}`)
  console.log(`  placing what 128 blocks carry: ${reported(await placeSome(database))}`)
  return []
}

await benchOverDatabase(bench)
