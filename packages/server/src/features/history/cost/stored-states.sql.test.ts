import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { suiteDatabase } from '../../../../test/database.ts'
import { seededRandom } from '../../../../test/random.ts'
import { wholePart } from '../../../../test/scopes.ts'
import { collect, costContextOf, type Moved, playSteps, type Step } from '../../../../test/stored-steps.ts'
import type { Address } from '../../../domain/address.ts'
import { dayOf } from '../../../domain/day.ts'
import type { Scope } from './accounting-store.ts'
import { findCosts } from './cost-accounts.ts'
import { storedEntries } from './stored-entries.ts'

const WALLETS: readonly Address[] = ['1', '2', '3'].map((digit) => `0x${digit.repeat(40)}`)
const COINS: readonly Address[] = ['c', 'd'].map((digit) => `0x${digit.repeat(40)}`)
const VAULT: Address = `0x${'e'.repeat(40)}`
const START = 1_800_000_000
const DAY = 86_400
const DAYS = 75
const TRANSACTIONS = 120
const BATCHES = 12

const database = await suiteDatabase('stored states')
const { db } = database
const random = seededRandom('stored states')

const scopeOf = (key: string): Scope => ({
  key,
  method: 'FIFO',
  parts: WALLETS.map((wallet) => wholePart(wallet)),
  elsewhere: [],
})

function movesAt(coin: Address, units: number, price: string): readonly Moved[] {
  const moves: readonly (readonly Moved[])[] = [
    [['acquire', coin, units, price]],
    [['acquire', coin, units, null]],
    [['income', coin, units, price]],
    [['send', coin, -units, price]],
    [['bridge', coin, -units, price]],
    [['bridge', coin, units, price]],
    [['move', coin, -units, price, VAULT]],
    [['move', coin, units, price, VAULT]],
    [
      ['swap', coin, -units, price],
      ['swap', COINS.find((other) => other !== coin) ?? coin, 2 * units, price],
    ],
  ]
  return random.pick(moves)
}

async function costsOf(key: string) {
  const costContext = costContextOf(db, { scopeOf: async () => scopeOf(key) })
  const found = []
  for (const wallet of WALLETS) {
    const { version: _, ...costs } = (await findCosts(costContext, '1', wallet)) ?? expect.unreachable()
    found.push(costs)
  }
  return found
}

const storedParts = async (key: string) => {
  const { rows } = await sql<{ wallet: string; day: string }>`
    select wallet, day::text from accounting_part where scope = ${key} order by wallet, part, day`.execute(db)
  return rows
}

test('figures that continue from stored states equal those of one run, wherever a history changes', async () => {
  const steps = Array.from({ length: TRANSACTIONS }, (_, i) => {
    const time = START + random.index(DAYS) * DAY + i
    const moves = movesAt(random.pick(COINS), 1 + random.index(5), String(1 + random.index(9)))
    return { wallet: random.pick(WALLETS), step: { block: i + 1, time, type: 'TRANSFERIN', moves } satisfies Step }
  })
  for (let batch = 0; batch < BATCHES; batch += 1) {
    for (const { wallet, step } of steps.filter((_, i) => i % BATCHES === batch)) await playSteps(db, wallet, [step])
    expect(await costsOf('continued')).toEqual(await costsOf(`begun at ${batch}`))
  }
})

test('a new day stores what changed in it, and merges a day that is no longer kept', async () => {
  const [first = '', second = ''] = WALLETS
  const end = START + (DAYS + 40) * DAY
  async function acquire(i: number): Promise<void> {
    const moves: readonly Moved[] = [['acquire', COINS[0] ?? '', 1, '1']]
    await playSteps(db, first, [{ block: 1_000 + i, time: end + i * DAY, type: 'TRANSFERIN', moves }])
    expect(await costsOf('continued')).toEqual(await costsOf(`later ${i}`))
  }
  // Ends what is on its way over a bridge.
  await acquire(0)
  const before = await storedParts('continued')
  for (let i = 1; i <= 9; i += 1) await acquire(i)
  const after = await storedParts('continued')
  const of = (rows: typeof after, wallet: string) => rows.filter((row) => row.wallet === wallet)
  expect(of(after, second).length).toBeLessThanOrEqual(of(before, second).length)
  const kept = [2, 3, 4, 5, 6, 7, 8, 9].map((i) => dayOf(end + i * DAY))
  const daysOf = (wallet: string) => of(after, wallet).map(({ day }) => day)
  expect(daysOf(second).filter((day) => day > (kept[0] ?? ''))).toEqual([])
  const changed = daysOf(first).filter((day) => day >= (kept[0] ?? ''))
  expect([...new Set(changed)].sort()).toEqual(kept)
  // The totals, one pool, and at most two pages of its lots.
  expect(changed.length).toBeLessThanOrEqual(4 * kept.length)
})

test('entries of more wallets than one statement asks for come in one order', async () => {
  const [first = ''] = WALLETS
  await sql`
    insert into history_transaction
    select (jsonb_populate_record(first, jsonb_build_object('wallet', '0xa' || n))).*
    from history_transaction as first, generate_series(1, 600) as n where wallet = ${first} and block = 1000`.execute(
    db,
  )
  await sql`
    insert into history_movement
    select (jsonb_populate_record(first, jsonb_build_object('wallet', '0xa' || n))).*
    from history_movement as first, generate_series(1, 600) as n where wallet = ${first} and block = 1000`.execute(db)
  const wallets = Array.from({ length: 600 }, (_, i) => `0xa${i + 1}`)
  const parts = [...wallets, first].map((wallet) => wholePart(wallet))
  const pages = await collect(storedEntries(db, parts, undefined, 100))
  const entries = pages.flatMap((page) => page.entries)
  const together = entries.filter(({ block }) => block === 1_000n).map(({ wallet }) => wallet)
  expect(together).toEqual([...wallets, first].sort())
  expect(entries.map(({ time }) => time)).toEqual(entries.map(({ time }) => time).sort((a, b) => a - b))
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer from history_movement where wallet = ${first}`.execute(db)
  expect(entries.length).toBe(600 + (rows[0]?.count ?? 0))
})
