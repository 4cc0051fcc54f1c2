import type { GainFormat } from '@coffer/contract'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { suiteDatabase } from '../../../../test/database.ts'
import { readCsv } from '../../../../test/read-csv.ts'
import { wholePart } from '../../../../test/scopes.ts'
import { collect, costContextOf, type Moved, playSteps } from '../../../../test/stored-steps.ts'
import { earnedUnits, type OpenLot, type SoldLot, soldLots } from '../../../domain/accounting/lot-lines.ts'
import type { Method } from '../../../domain/accounting/state.ts'
import type { Address } from '../../../domain/address.ts'
import { startOfDay } from '../../../domain/day.ts'
import { type Decimal, decimal, formatDecimal, ZERO } from '../../../domain/decimal.ts'
import type { Token } from '../../../domain/token.ts'
import type { TransactionType } from '../../../domain/transaction.ts'
import { systemClock } from '../../../lib/clock.ts'
import type { Scope } from '../cost/accounting-store.ts'
import { findCosts } from '../cost/cost-accounts.ts'
import { checkGains, openGains } from '../exports/gain-files.ts'
import { findScopes, linesBetween, openLotsAt } from './pnl.ts'
import { sumsBetween } from './pnl-sums.ts'
import { createPnlViews } from './pnl-views.ts'

// Two wallets of one account over two years; every figure was computed by hand.

const ONE: Address = '0x1111111111111111111111111111111111111111'
const TWO: Address = '0x2222222222222222222222222222222222222222'
const NEW: Address = '0x3333333333333333333333333333333333333333'
const token = (letter: string): Address => `0x${letter.repeat(40)}`
const COIN = token('c')
const USD = token('d')
const ODD = token('e')
const LATE = token('f')
const NAMES = new Map([
  [COIN, 'COIN'],
  [USD, 'USD'],
  [ODD, 'ODD'],
  [LATE, 'LATE'],
])
const WALLETS: Readonly<Record<string, Address>> = { ONE, TWO }
const METHODS: readonly Method[] = ['AVG', 'FIFO', 'LIFO', 'HIFO']

/** A transaction of one wallet, or both sides of a transfer: `wallet type: movements`, as in accounting entries. */
const STEPS: readonly (readonly [day: string, ...sides: string[]])[] = [
  ['2026-01-10', 'ONE TRANSFERIN: acquire USD 1000 @1'],
  ['2026-02-01', 'ONE SWAP: swap USD -100 @1, swap COIN 10 @10'],
  ['2026-03-01', 'ONE SWAP: swap USD -300 @1, swap COIN 10 @30, fee USD -1 @1'],
  ['2026-04-01', 'ONE CLAIM: income COIN 5 @20'],
  ['2026-05-01', 'ONE TRANSFEROUT: send COIN -4 @25 to TWO', 'TWO TRANSFERIN: acquire COIN 4 @25 from ONE'],
  ['2026-11-15', 'ONE SWAP: swap COIN -12 @40, swap USD 480 @1'],
  ['2027-02-10', 'TWO SWAP: swap COIN -4 @50, swap USD 200 @1'],
  ['2027-03-01', 'ONE TRANSFERIN: acquire ODD 3'],
  ['2027-03-05', 'ONE SWAP: swap ODD -1, swap USD 7 @1'],
  ['2027-03-06', 'ONE SWAP: swap LATE -2 @3, swap USD 6 @1'],
  ['2027-03-10', 'ONE CLAIM: income ODD 1'],
]

function moveOf(text: string): Moved {
  const [treatment = '', symbol = '', amount, price, , other] = text.split(' ')
  const [token = ''] = [...NAMES].find(([, name]) => name === symbol) ?? []
  const move = [treatment as Moved[0], token, Number(amount), price?.slice(1) ?? null] as const
  return other === undefined ? move : [...move, WALLETS[other] ?? '']
}

function stepOf(day: string, text: string, block: number) {
  const [, wallet = '', type, moves = ''] = /^(\w+) (\w+): (.*)$/.exec(text) ?? []
  const time = startOfDay(day) + 3_600
  return { wallet: WALLETS[wallet], type: type as TransactionType, moves: moves.split(', ').map(moveOf), block, time }
}

const database = await suiteDatabase('pnl')
const { db } = database
const steps = STEPS.flatMap(([day, ...sides], i) => sides.map((side) => stepOf(day, side, i + 1)))
for (const wallet of [ONE, TWO]) {
  await playSteps(
    db,
    wallet,
    steps.filter((step) => step.wallet === wallet),
  )
}

/** `elsewhere`: chains of `ONE` with an incomplete history. */
const createCostContext = (method: Method = 'FIFO', elsewhere: readonly string[] = []) =>
  costContextOf(db, {
    scopeOf: async (_, wallet, by = method): Promise<Scope | undefined> => {
      if (wallet === NEW) return undefined
      const parts = [ONE, TWO].map((each) => wholePart(each))
      return {
        key: `account 1 ${by}`,
        method: by,
        parts,
        elsewhere: elsewhere.map((chain) => ({ wallet: ONE, chain })),
      }
    },
    methodOf: async () => method,
    findTokens: async () => (token) => ({ symbol: NAMES.get(token) ?? '' }) as Token,
  })
const costContext = createCostContext()

const said = (figure: Decimal | null) => (figure === null ? 'N/A' : formatDecimal(figure))
const YEARS = ['2026-01-01', '2027-01-01', '2028-01-01']
const ALL = { from: startOfDay('2026-01-01'), to: startOfDay('2028-01-01') }

const asked = { accountId: '1' }

async function read(method: Method, wallets: readonly Address[], span = ALL, of = costContext) {
  const found = await findScopes(of, '1', wallets, method)
  return {
    sold: (await collect(linesBetween(of, asked, found, span, soldLots))).flat(),
    earned: (await collect(linesBetween(of, asked, found, span, earnedUnits))).flat(),
    open: (await collect(openLotsAt(of, asked, found, span.to))).flat(),
  }
}

const dayOf = (at: { time: number } | null) => (at ? new Date(at.time * 1_000).toISOString().slice(0, 10) : null)
const soldLine = ({ token, quantity, acquired, daysHeld, proceeds, cost, gain }: SoldLot) =>
  [NAMES.get(token), said(quantity), dayOf(acquired), daysHeld, said(proceeds), said(cost), said(gain)].join(' ')

/** By method: the lots of the two sales of COIN. */
const COIN_LOTS: Readonly<Record<string, readonly string[]>> = {
  AVG: ['COIN 12   480 240 240', 'COIN 4   200 80 120'],
  FIFO: ['COIN 6 2026-02-01 287 240 60 180', 'COIN 6 2026-03-01 259 240 180 60', 'COIN 4 2026-02-01 374 200 40 160'],
  LIFO: [
    'COIN 1 2026-04-01 228 40 20 20',
    'COIN 10 2026-03-01 259 400 300 100',
    'COIN 1 2026-02-01 287 40 10 30',
    'COIN 4 2026-04-01 315 200 80 120',
  ],
  HIFO: [
    'COIN 6 2026-03-01 259 240 180 60',
    'COIN 5 2026-04-01 228 200 100 100',
    'COIN 1 2026-02-01 287 40 10 30',
    'COIN 4 2026-03-01 346 200 120 80',
  ],
}

describe.each(METHODS)('by %s', (method) => {
  test('each sale takes the lots that the method says, also those that came from another own wallet', async () => {
    const { sold } = await read(method, [ONE, TWO])
    expect(sold.filter(({ token }) => token === COIN).map(soldLine)).toEqual(COIN_LOTS[method])
    expect(sold.every(({ missing, gain }) => (missing.length === 0) === (gain !== null))).toBe(true)
  })

  test('the sums of lots, of years and of the stored state are the same', async () => {
    const stored = createCostContext(method)
    for (const wallet of [ONE, TWO]) {
      const { sold, open } = await read(method, [wallet])
      const total = (figures: readonly (Decimal | null)[]) =>
        said(figures.reduce<Decimal>((a, b) => (b ? a.plus(b) : a), ZERO))
      const years = await sumsBetween(costContext, '1', await findScopes(costContext, '1', [wallet]), method, YEARS)
      const costs = await findCosts(stored, '1', wallet)
      const closed = said(costs?.totals?.closedPnl ?? null)
      expect(total(sold.map(({ gain }) => gain))).toBe(closed)
      expect(total(years.map(({ realised }) => realised))).toBe(closed)
      const basis = costs?.pools.flatMap(({ lots, flagged }) => lots.map((lot) => (flagged ? null : lot.basis))) ?? []
      expect(open.map(({ cost }) => said(cost))).toEqual(basis.map(said))
    }
  })
})

test('years say what was realised, earned and paid, and how many sales they leave out', async () => {
  const found = await findScopes(costContext, '1', [ONE, TWO])
  const figures = async (method: Method) =>
    (await sumsBetween(costContext, '1', found, method, YEARS)).map(
      ({ realised, sales, unknownSales, income, fees, unpricedFees }) => [
        ...[said(realised), sales, unknownSales, said(income), said(fees), unpricedFees],
      ],
    )
  expect(await figures('AVG')).toEqual([
    ['240', 3, 0, '100', '1', 0],
    ['120', 1, 2, '0', '0', 0],
  ])
  expect((await figures('FIFO')).map(([realised]) => realised)).toEqual(['240', '160'])
  expect((await figures('LIFO')).map(([realised]) => realised)).toEqual(['150', '120'])
  expect((await figures('HIFO')).map(([realised]) => realised)).toEqual(['190', '80'])
})

test('sums up to any day are those of the lots sold and the income earned by then', async () => {
  const found = await findScopes(costContext, '1', [ONE, TWO])
  for (let month = 0; month < 16; month += 1) {
    for (const day of [1, 5, 10, 16]) {
      const end = new Date(Date.UTC(2026, month, day)).toISOString().slice(0, 10)
      const [sums] = await sumsBetween(costContext, '1', found, 'HIFO', ['2026-01-01', end])
      const { sold, earned } = await read('HIFO', [ONE, TWO], { from: ALL.from, to: startOfDay(end) })
      const total = (figures: readonly (Decimal | null)[]) =>
        said(figures.reduce<Decimal>((a, b) => (b ? a.plus(b) : a), ZERO))
      expect([end, said(sums?.realised ?? null), said(sums?.income ?? null)]).toEqual([
        end,
        total(sold.map(({ gain }) => gain)),
        total(earned.map(({ worth }) => worth)),
      ])
    }
  }
})

test('while a history is computed, periods and lots name the day that is reached, and each method has its job', async () => {
  const asked: string[] = []
  const own: typeof costContext = {
    ...costContext,
    scopeOf: async (accountId, wallet, by = 'FIFO') => {
      const scope = await costContext.scopeOf(accountId, wallet, by)
      return scope && { ...scope, key: `computed ${by}` }
    },
    computeLater: async (scope, { method }) => void asked.push(`${scope} ${method}`),
  }
  const views = createPnlViews(own, systemClock)
  const periods = () => views.periods('1', { addresses: [ONE], by: 'YEAR', to: '2028-01-01' })
  const span = { from: '2026-01-01', to: '2028-01-01', offset: 0, limit: 1 }
  const lots = { addresses: [ONE], method: 'LIFO' as const, ...span }
  await sql`
    insert into accounting (scope, method, seen, next, leased_until, computed_at)
    select 'computed ' || method, method, '{}', next, 'infinity', now()
    from (values ('LIFO', date '2026-06-01'), ('HIFO', date '2026-05-01')) as held (method, next)`.execute(db)
  expect(await periods()).toMatchObject({ periods: [], computedTo: '2026-05-01' })
  expect(asked.sort()).toEqual(['computed HIFO HIFO', 'computed LIFO LIFO'])
  const none = { computedTo: '2026-06-01', total: 0, lots: [], method: 'LIFO' }
  expect(await Promise.all([views.sold('1', lots), views.open('1', lots), views.income('1', lots)])).toMatchObject([
    none,
    none,
    none,
  ])
  await sql`update accounting set leased_until = null where scope like 'computed %'`.execute(db)
  const { computedTo, periods: years } = await periods()
  expect(await views.sold('1', lots)).toMatchObject({ computedTo: null, total: 7 })
  expect([computedTo, years.map(({ methods }) => methods.map(({ realised }) => realised))]).toEqual([
    null,
    [['240', '240', '150', '190']],
  ])
})

describe('lots are read from the last stored state', () => {
  const THREE: Address = '0x3333333333333333333333333333333333333333'
  const day = (date: string) => startOfDay(date) + 3_600
  const buy = (units: number): Moved => ['acquire', COIN, units, '10']
  const sell = (units: number): Moved => ['swap', COIN, -units, '15']
  const scope = (method: Method): Scope => ({
    key: `stored ${method}`,
    method,
    parts: [wholePart(THREE)],
    elsewhere: [],
  })
  const stored = costContextOf(db, { scopeOf: async (_, __, by = 'FIFO') => scope(by) })
  const readIn = (year: number) =>
    read('FIFO', [THREE], { from: startOfDay(`${year}-01-01`), to: startOfDay(`${year + 1}-01-01`) }, stored)
  const lines = ({ sold, open }: Awaited<ReturnType<typeof readIn>>) => [
    sold.map((lot) => `${said(lot.quantity)} ${dayOf(lot.acquired)} ${said(lot.gain)}`),
    open.map((lot) => `${said(lot.quantity)} ${dayOf(lot.acquired)} ${said(lot.cost)}`),
  ]

  test('so that a span needs no entry of another month', async () => {
    await playSteps(db, THREE, [
      { block: 1, time: day('2024-03-01'), type: 'TRANSFERIN', moves: [buy(5)] },
      { block: 2, time: day('2025-03-01'), type: 'TRANSFERIN', moves: [buy(7)] },
      { block: 3, time: day('2026-03-01'), type: 'SWAP', moves: [sell(6), ['swap', USD, 90, '1']] },
    ])
    const expected = [
      [
        ['5 2024-03-01 25', '1 2025-03-01 5'],
        ['6 2025-03-01 60', '90 2026-03-01 90'],
      ],
      [[], ['7 2025-03-01 70', '5 2024-03-01 50']],
    ]
    expect([lines(await readIn(2026)), lines(await readIn(2025))]).toEqual(expected)
    await sql`delete from history_transaction where wallet = ${THREE} and block < 3`.execute(db)
    expect([lines(await readIn(2026)), lines(await readIn(2025))]).toEqual(expected)
  })

  test('in the units of the last movement before the end of the span', async () => {
    await sql`
      update history_movement set multiplier = 2 where wallet = ${THREE} and token = ${COIN} and block = 3`.execute(db)
    const quantities = async (year: number) => (await readIn(year)).open.map(({ quantity }) => said(quantity))
    expect([await quantities(2025), await quantities(2026)]).toEqual([
      ['7', '5'],
      ['12', '90'],
    ])
  })

  test('and are read again if a run replaced it meanwhile', async () => {
    let isReplaced = false
    const replaced = costContextOf(db, {
      scopeOf: async () => scope('FIFO'),
      async factsOf() {
        if (!isReplaced)
          await sql`update accounting set revision = revision + 1 where scope = 'stored FIFO'`.execute(db)
        isReplaced = true
        return stored.factsOf([])
      },
    })
    const asked = { addresses: [THREE], method: 'FIFO' as const, from: '2026-01-01', to: '2027-01-01', offset: 0 }
    const { total, lots } = await createPnlViews(replaced, systemClock).sold('1', { ...asked, limit: 1 })
    expect([isReplaced, total, lots.map(({ gain }) => gain)]).toEqual([true, 2, ['25']])
  })
})

test('what is not known says why', async () => {
  const { sold, earned } = await read('FIFO', [ONE], { from: startOfDay('2027-01-01'), to: ALL.to })
  expect(sold.map((lot) => [soldLine(lot), lot.missing])).toEqual([
    ['ODD 1 2027-03-01 4 7 N/A N/A', ['unknown-cost']],
    ['LATE 2   6 N/A N/A', ['unseen']],
  ])
  expect(earned.map(({ worth }) => worth)).toEqual([null])
})

test('holdings at the end of a span are those of that time', async () => {
  const { open, sold } = await read('FIFO', [ONE, TWO], { from: ALL.from, to: startOfDay('2027-01-01') })
  const line = ({ wallet, token, quantity, acquired, cost, place }: OpenLot) =>
    [wallet.slice(2, 3), place, NAMES.get(token), said(quantity), dayOf(acquired), said(cost)].join(' ')
  expect(open.map(line).sort()).toEqual([
    '1 wallet COIN 4 2026-03-01 120',
    '1 wallet COIN 5 2026-04-01 100',
    '1 wallet USD 480 2026-11-15 480',
    '1 wallet USD 599 2026-01-10 599',
    '2 wallet COIN 4 2026-02-01 40',
  ])
  expect(sold.map(({ disposed }) => dayOf(disposed)).at(-1)).toBe('2026-11-15')
})

test('a span ends before its last moment, to the second', async () => {
  const sale = startOfDay('2026-11-15') + 3_600
  const coins = async (from: number, to: number) =>
    (await read('FIFO', [ONE], { from, to })).sold.filter(({ token }) => token === COIN).length
  expect(await Promise.all([coins(sale, sale + 1), coins(sale - 9, sale), coins(sale + 1, ALL.to)])).toEqual([2, 0, 0])
})

describe('the answers', () => {
  const views = () => createPnlViews(costContext, { now: () => startOfDay('2027-06-01') * 1_000 })
  const asked = { addresses: [ONE, NEW], method: 'FIFO' as const, from: '2026-01-01', to: '2028-01-01', limit: 2 }

  test('have every method side by side, the newest period first, and name who is in none', async () => {
    const years = { addresses: [ONE, TWO, NEW], by: 'YEAR' as const, to: '2027-06-02' }
    const { periods, withoutHistory, accountMethod } = await views().periods('1', years)
    expect({ withoutHistory, accountMethod }).toEqual({ withoutHistory: [NEW], accountMethod: 'FIFO' })
    const realisedBy = periods.map(({ methods }) => methods.map(({ method, realised }) => `${method} ${realised}`))
    expect(periods.map(({ from, to }, i) => [from, to, realisedBy[i]])).toEqual([
      ['2027-01-01', '2027-06-02', ['AVG 120', 'FIFO 160', 'LIFO 120', 'HIFO 80']],
      ['2026-01-10', '2027-01-01', ['AVG 240', 'FIFO 240', 'LIFO 150', 'HIFO 190']],
    ])
  })

  test('have no period where nothing is known', async () => {
    expect(await views().periods('1', { addresses: [NEW], by: 'MONTH', to: '2027-06-02' })).toMatchObject({
      ...{ periods: [], withoutHistory: [NEW] },
    })
  })

  test('have the realised sum of nothing but unknown sales as N/A', async () => {
    const march = { addresses: [ONE], by: 'TOTAL' as const, from: '2027-03-01', to: '2027-04-01' }
    const { periods } = await views().periods('1', march)
    const shown = periods.map(({ methods }) => methods.map(({ realised, unknownSales }) => [realised, unknownSales]))
    expect(shown).toEqual([METHODS.map(() => ['N/A', 2])])
  })

  test('come in pages that together are the whole', async () => {
    const pages = await Promise.all([0, 2, 4, 6].map((offset) => views().sold('1', { ...asked, offset })))
    expect(pages.map(({ total, lots }) => [total, lots.length])).toEqual([
      [6, 2],
      [6, 2],
      [6, 2],
      [6, 0],
    ])
    const { sold } = await read('FIFO', [ONE])
    const lots = pages.flatMap((page) => page.lots)
    expect(lots.map(({ symbol, quantity, gain }) => `${symbol} ${quantity} ${gain}`)).toEqual(
      sold.map(({ token, quantity, gain }) => `${NAMES.get(token)} ${said(quantity)} ${said(gain)}`),
    )
  })

  test('say that average cost keeps no lots', async () => {
    const { keepsLots, lots } = await views().open('1', { ...asked, method: 'AVG', limit: 250, offset: 0 })
    expect(keepsLots).toBe(false)
    expect(lots.map(({ acquired }) => acquired)).toEqual(lots.map(() => null))
    expect(lots.find(({ symbol }) => symbol === 'COIN')).toMatchObject({ quantity: '9', cost: '180', unitCost: '20' })
    expect((await views().open('1', { ...asked, offset: 0 })).keepsLots).toBe(true)
  })

  test('show income without a price as unknown', async () => {
    const { lots } = await views().income('1', { ...asked, offset: 0 })
    expect(lots.map(({ worth, missing }) => [worth, missing])).toEqual([
      ['100', []],
      ['N/A', ['unpriced']],
    ])
  })
})

describe('as a file', () => {
  const span = { method: 'FIFO', from: '2026-01-01', to: '2028-01-01' } as const
  const queryOf = (format: GainFormat, query: object = {}) => ({
    ...{ ...span, addresses: [ONE, TWO], partial: true, format, ...query },
  })
  const fileOf = async (format: GainFormat, query: object = {}, of = costContext) =>
    (await collect((await openGains(of, '1', queryOf(format, query))).parts)).join('')

  test.each(METHODS)('the gains of its lots add up to what was realised by %s, to the last digit', async (method) => {
    const lines = readCsv(await fileOf('COFFER', { method }))
    const gains = lines.flatMap(({ gain_usd: gain = '' }) => (gain === 'N/A' ? [] : [decimal(gain)]))
    const years = await sumsBetween(costContext, '1', await findScopes(costContext, '1', [ONE, TWO]), method, YEARS)
    expect(said(gains.reduce((a, b) => a.plus(b), ZERO))).toBe(
      said(years.reduce((sum, { realised }) => sum.plus(realised), ZERO)),
    )
    expect(lines.filter(({ gain_usd: gain }) => gain === 'N/A').map(({ missing }) => missing)).toEqual([
      // Without lots, unseen units cannot be distinguished.
      ...['unknown-cost', method === 'AVG' ? 'unknown-cost' : 'unseen'],
    ])
  })

  test.each([
    ['COFFER', true],
    ['FORM_8949', false],
    ['GERMANY', false],
    ['JSONL', false],
  ] as const)('%s begins with a byte order mark where Excel opens it: %s', async (format, isMarked) => {
    expect((await fileOf(format)).startsWith('\uFEFF')).toBe(isMarked)
  })

  test('Form 8949 has its columns, days as it writes them, and the term', async () => {
    const lines = readCsv(await fileOf('FORM_8949'))
    expect(Object.keys(lines[0] ?? {}).slice(0, 8)).toEqual([
      ...['(a) Description of property', '(b) Date acquired', '(c) Date sold or disposed of', '(d) Proceeds'],
      ...['(e) Cost or other basis', '(f) Code(s)', '(g) Amount of adjustment', '(h) Gain or (loss)'],
    ])
    const coins = lines.filter((line) => line['(a) Description of property']?.endsWith(' COIN'))
    expect(coins.map((line) => [...Object.values(line).slice(0, 5), line['(h) Gain or (loss)'], line['Term']])).toEqual(
      [
        ['6 COIN', '02/01/2026', '11/15/2026', '240', '60', '180', 'short'],
        ['6 COIN', '03/01/2026', '11/15/2026', '240', '180', '60', 'short'],
        ['4 COIN', '02/01/2026', '02/10/2027', '200', '40', '160', 'long'],
      ],
    )
  })

  test('Germany’s holding period is per lot, from the day that another own wallet bought it', async () => {
    const lines = readCsv(await fileOf('GERMANY', { from: '2027-01-01' }))
    expect(
      lines.map((line) => [
        ...[line['Wirtschaftsgut'], line['Anschaffung'], line['Veräußerung']],
        ...[line['Haltefrist von einem Jahr abgelaufen'], line['Gewinn oder Verlust USD'], line['Fehlend']],
      ]),
    ).toEqual([
      ['COIN', '01.02.2026', '10.02.2027', 'ja', '160', ''],
      ['ODD', '01.03.2027', '05.03.2027', 'nein', 'N/A', 'unknown-cost'],
      ['LATE', 'N/A', '06.03.2027', 'N/A', 'N/A', 'unseen'],
    ])
  })

  test('JSON Lines end with who is in none of them', async () => {
    const lines = (await fileOf('JSONL', { addresses: [ONE, TWO, NEW] })).trimEnd().split('\n')
    expect(JSON.parse(lines.at(-1) ?? '')).toEqual({
      ...{ complete: true, rows: lines.length - 1, currency: 'USD', withoutHistory: [NEW], leftOut: [] },
      ...{ method: 'FIFO', from: '2026-01-01', to: '2028-01-01' },
    })
    const last = (await fileOf('JSONL', { addresses: [ONE] }, createCostContext('FIFO', ['base'])))
      .trimEnd()
      .split('\n')
      .at(-1)
    const leftOut = [{ address: ONE, chain: 'base', reason: 'no-history' }]
    expect(JSON.parse(last ?? '')).toMatchObject({ complete: true, withoutHistory: [], leftOut })
  })

  test('is refused where it would leave out a wallet, or a chain of one, unless it is asked for', async () => {
    const check = (of: typeof costContext, addresses: Address[], partial = false) =>
      checkGains(of, '1', { addresses, partial })
    const lacking = createCostContext('FIFO', ['base'])
    await expect(check(costContext, [ONE, NEW])).rejects.toMatchObject({
      ...{ code: 'HISTORY_INCOMPLETE', message: expect.stringContaining(NEW) },
    })
    await expect(check(costContext, [ONE])).resolves.toBeUndefined()
    await expect(check(lacking, [ONE])).rejects.toThrow(`${ONE} on base`)
    await expect(check(lacking, [ONE], true)).resolves.toBeUndefined()
  })

  test.each(['COFFER', 'FORM_8949', 'GERMANY'] as const)(
    '%s has a line for each history it leaves out',
    async (format) => {
      const lacking = createCostContext('FIFO', ['base'])
      const { isComplete } = await openGains(lacking, '1', queryOf(format, { addresses: [ONE, NEW] }))
      const lines = readCsv(await fileOf(format, { addresses: [ONE, NEW] }, lacking))
      const [first, second, third] = lines.map((line) => Object.values(line).filter((value) => value !== ''))
      expect([isComplete, first, second]).toEqual([false, [NEW, 'no-history'], [ONE, 'base', 'no-history']])
      expect(third?.includes('no-history')).toBe(false)
      expect((await openGains(costContext, '1', queryOf(format))).isComplete).toBe(true)
    },
  )

  test('a history that changes meanwhile breaks it off', async () => {
    const { parts } = await openGains(costContext, '1', queryOf('COFFER'))
    const readAll = async () => {
      for await (const _ of parts)
        await sql`insert into history_change (wallet, since) values (${ONE}, now())`.execute(db)
    }
    await expect(readAll()).rejects.toThrow('changed')
  })
})
