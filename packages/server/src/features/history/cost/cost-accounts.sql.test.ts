import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { suiteDatabase } from '../../../../test/database.ts'
import { wholePart } from '../../../../test/scopes.ts'
import { collect, costContextOf, playSteps, repeatStep, type Step } from '../../../../test/stored-steps.ts'
import type { Address } from '../../../domain/address.ts'
import { formatDecimal } from '../../../domain/decimal.ts'
import type { CostsOf } from '../context.ts'
import { findAccounted, type Scope, saveComputed } from './accounting-store.ts'
import { computeCosts, findCosts, StillComputing } from './cost-accounts.ts'
import { type StoredEntry, storedEntries } from './stored-entries.ts'

const ONE: Address = '0x1111111111111111111111111111111111111111'
const TWO: Address = '0x2222222222222222222222222222222222222222'
const COIN: Address = '0xc000000000000000000000000000000000000000'
const USD: Address = '0xd000000000000000000000000000000000000000'
const START = 1_800_000_000
const DAY = 86_400
const DAYS = [START, START + DAY, START + 2 * DAY] as const

/** A coin for 10, a day later one for 30; the day after, one is sold for 40: 30 are earned by FIFO, 10 by LIFO. */
const STEPS: readonly Step[] = [
  { block: 1, time: DAYS[0], type: 'TRANSFERIN', moves: [['acquire', COIN, 1, '10']] },
  { block: 2, time: DAYS[1], type: 'TRANSFERIN', moves: [['acquire', COIN, 1, '30']] },
  {
    ...{ block: 3, time: DAYS[2], type: 'SWAP' },
    moves: [
      ['swap', COIN, -1, '40'],
      ['swap', USD, 40, '1'],
    ],
  },
]

const database = await suiteDatabase('cost accounts')
const { db } = database
for (const wallet of [ONE, TWO]) await playSteps(db, wallet, STEPS)

const scopeBy = (key: string, method: Scope['method'], ...wallets: Address[]): Scope => ({
  ...{ key, method, parts: wallets.map((wallet) => wholePart(wallet)), elsewhere: [] },
})

async function closed(found: ReturnType<typeof findCosts>) {
  const totals = (await found)?.totals
  return totals && formatDecimal(totals.closedPnl)
}

test('callers with other methods or wallets are each answered what they asked, at any moment', async () => {
  const fifo = async () => scopeBy('account 1', 'FIFO', ONE)
  const lifo = async () => scopeBy('account 1', 'LIFO', ONE, TWO)
  const [costContext, others] = [costContextOf(db, {}), costContextOf(db, {})]
  for (let round = 0; round < 10; round += 1) {
    const found = await Promise.allSettled([
      closed(findCosts({ ...costContext, scopeOf: fifo }, '1', ONE)),
      closed(findCosts({ ...costContext, scopeOf: lifo }, '1', TWO)),
      closed(findCosts({ ...others, scopeOf: lifo }, '1', ONE)),
      closed(findCosts({ ...others, scopeOf: fifo }, '1', ONE)),
    ])
    // A caller that loses the race too often is refused. No caller gets another scope's figures.
    const right = ['30', '10', '10', '30']
    const reported = found.map((each, i) => (each.status === 'fulfilled' ? each.value : right[i]))
    expect(reported).toEqual(right)
    expect(found.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThan(0)
  }
})

test('a part that continues from replaced rows is not stored', async () => {
  const scope = scopeBy('account 2', 'FIFO', ONE)
  const costContext = costContextOf(db, { scopeOf: async () => scope })
  await findCosts(costContext, '2', ONE)
  const known = await findAccounted(db, scope.key)
  const outdated = (known?.revision ?? 0n) - 1n
  const computed = { seen: new Map(), lacking: [], days: [], states: [], dropped: [], results: [] }
  expect(await saveComputed(costContext, scope, outdated, { since: '2027-01-16', until: null }, computed)).toBe(false)
  expect(await findAccounted(db, scope.key)).toEqual(known)
})

test('figures that lacked decimals are computed again once these are known', async () => {
  let decimals: number | undefined
  const costContext = costContextOf(db, {
    scopeOf: async () => scopeBy('account 3', 'LIFO', ONE),
    factsOf: async () => (_, token) => ({ decimals, identity: token, rebasing: false, listed: true }),
  })
  const before = await findCosts(costContext, '3', ONE)
  expect(before?.pools.map(({ quantity, lots }) => [formatDecimal(quantity), lots.map(({ basis }) => basis)])).toEqual([
    ['1000000000000000000', [null]],
    ['40000000000000000000', [null]],
  ])
  expect(before?.totals).toMatchObject({ disposals: 0, unknownDisposals: { [`ethereum ${COIN}`]: 1 } })
  decimals = 18
  expect(await closed(findCosts(costContext, '3', ONE))).toBe('10')
})

test('entries come in pages of whole days, in the order in which they come at once', async () => {
  const parts = [ONE, TWO].map((wallet) => wholePart(wallet))
  const pagesOf = async (most: number, from?: string) =>
    (await collect(storedEntries(db, parts, from, most))).flatMap(({ entries }) =>
      entries.length > 0 ? [entries] : [],
    )
  const timesOf = (pages: readonly StoredEntry[][]) => pages.map((page) => page.map(({ time }) => time))
  const [first, second, third] = DAYS
  const [whole] = await pagesOf(1_000)
  expect(timesOf(await pagesOf(1))).toEqual([
    [first, first],
    [second, second],
    [third, third, third, third],
  ])
  expect((await pagesOf(3)).flat()).toEqual(whole)
  expect(timesOf(await pagesOf(3))).toEqual([
    [first, first, second, second],
    [third, third, third, third],
  ])
  expect(await pagesOf(1, new Date(third * 1_000).toISOString().slice(0, 10))).toHaveLength(1)
})

const MANY = 16_000
const BUYER: Address = '0x3333333333333333333333333333333333333333'

test('a long run continues as a job, also after a failure, and two processes share it', async () => {
  await playSteps(db, BUYER, [{ block: 1, time: START, type: 'TRANSFERIN', moves: [['acquire', COIN, 1, '1']] }])
  await repeatStep(db, BUYER, MANY)
  const scope = scopeBy('account 4', 'FIFO', BUYER)
  let pages = 0
  let failsAt = 2
  const jobs = new Map<string, CostsOf>()
  const { signal } = new AbortController()
  const process = () => {
    const costContext = costContextOf(db, {
      scopeOf: async () => scope,
      computeLater: async (key, of) => void jobs.set(key, of),
    })
    return {
      ...costContext,
      factsOf: async (tokens: Parameters<typeof costContext.factsOf>[0]) => {
        if (tokens.length > 0) pages += 1
        if (pages === failsAt) throw new Error('the process ends')
        return costContext.factsOf(tokens)
      },
    }
  }
  const stateOf = async () => {
    const row = await db.selectFrom('accounting').where('scope', '=', scope.key).select(['next', 'leased_until'])
    return row.executeTakeFirst()
  }
  await expect(findCosts(process(), '4', BUYER)).rejects.toThrow(StillComputing)
  const job = { accountId: '4', wallet: BUYER, method: 'FIFO' as const }
  expect([...jobs]).toEqual([[scope.key, job]])
  await expect(computeCosts(process(), signal, job)).rejects.toThrow('the process ends')
  expect(await stateOf()).toEqual({ next: '2027-01-18', leased_until: null })

  failsAt = 0
  pages = 0
  const processes = [process(), process()]
  await Promise.all(processes.map((each) => computeCosts(each, signal, job)))
  expect(pages).toBe(1)
  const [one, other] = await Promise.all(processes.map((costContext) => findCosts(costContext, '4', BUYER)))
  expect(other).toEqual(one)
  expect(one?.pools.map(({ quantity }) => formatDecimal(quantity))).toEqual([String(MANY)])
  const { rows } = await sql<{ results: number; days: number }>`
    select (select count(*)::integer from accounting_result where scope = ${scope.key}) as results,
      (select count(distinct day)::integer from accounting_part where scope = ${scope.key}) as days`.execute(db)
  expect(rows).toEqual([{ results: MANY, days: 2 }])
})
