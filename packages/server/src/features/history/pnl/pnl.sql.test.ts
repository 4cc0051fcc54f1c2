import type { GainFormat } from '@coffer/contract'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testDatabase } from '../../../../test/database.ts'
import { readCsv } from '../../../../test/read-csv.ts'
import { wholePart } from '../../../../test/scopes.ts'
import type { OpenLot, SoldLot } from '../../../domain/accounting/lot-lines.ts'
import type { Method } from '../../../domain/accounting/state.ts'
import type { Address } from '../../../domain/address.ts'
import { startOfDay } from '../../../domain/day.ts'
import { type Decimal, decimal, formatDecimal, ZERO } from '../../../domain/decimal.ts'
import type { TransactionType, Treatment, WalletTransaction } from '../../../domain/transaction.ts'
import { createAccountingStore, type Scope } from '../cost/accounting-store.ts'
import { createCostAccounts } from '../cost/cost-accounts.ts'
import { createGainFiles } from '../exports/gain-files.ts'
import { changedSince, lastChanges } from '../store/history-changes.ts'
import { createHistoryStore } from '../store/history-store.ts'
import { createPnl } from './pnl.ts'
import { createPnlViews } from './pnl-views.ts'

// Two wallets of one account over two years; every figure was computed by hand.

const ONE: Address = '0x1111111111111111111111111111111111111111'
const TWO: Address = '0x2222222222222222222222222222222222222222'
const NEW: Address = '0x3333333333333333333333333333333333333333'
const OUTSIDE: Address = '0x9999999999999999999999999999999999999999'
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
const UNIT = 10n ** 18n
const METHODS: readonly Method[] = ['AVG', 'FIFO', 'LIFO', 'HIFO']

type Move = readonly [treatment: Treatment, token: Address, units: number, price: string | null, counterparty?: Address]
type Step = { day: string; wallet: Address; type: TransactionType; moves: readonly Move[]; beside?: Step }

const STEPS: readonly Step[] = [
  { day: '2026-01-10', wallet: ONE, type: 'TRANSFERIN', moves: [['acquire', USD, 1_000, '1']] },
  {
    ...{ day: '2026-02-01', wallet: ONE, type: 'SWAP' },
    moves: [
      ['swap', USD, -100, '1'],
      ['swap', COIN, 10, '10'],
    ],
  },
  {
    ...{ day: '2026-03-01', wallet: ONE, type: 'SWAP' },
    moves: [
      ['swap', USD, -300, '1'],
      ['swap', COIN, 10, '30'],
      ['fee', USD, -1, '1'],
    ],
  },
  { day: '2026-04-01', wallet: ONE, type: 'CLAIM', moves: [['income', COIN, 5, '20']] },
  {
    ...{ day: '2026-05-01', wallet: ONE, type: 'TRANSFEROUT', moves: [['send', COIN, -4, '25', TWO]] },
    beside: { day: '2026-05-01', wallet: TWO, type: 'TRANSFERIN', moves: [['acquire', COIN, 4, '25', ONE]] },
  },
  {
    ...{ day: '2026-11-15', wallet: ONE, type: 'SWAP' },
    moves: [
      ['swap', COIN, -12, '40'],
      ['swap', USD, 480, '1'],
    ],
  },
  {
    ...{ day: '2027-02-10', wallet: TWO, type: 'SWAP' },
    moves: [
      ['swap', COIN, -4, '50'],
      ['swap', USD, 200, '1'],
    ],
  },
  { day: '2027-03-01', wallet: ONE, type: 'TRANSFERIN', moves: [['acquire', ODD, 3, null]] },
  {
    ...{ day: '2027-03-05', wallet: ONE, type: 'SWAP' },
    moves: [
      ['swap', ODD, -1, null],
      ['swap', USD, 7, '1'],
    ],
  },
  {
    ...{ day: '2027-03-06', wallet: ONE, type: 'SWAP' },
    moves: [
      ['swap', LATE, -2, '3'],
      ['swap', USD, 6, '1'],
    ],
  },
  { day: '2027-03-10', wallet: ONE, type: 'CLAIM', moves: [['income', ODD, 1, null]] },
]

let database: Awaited<ReturnType<typeof testDatabase>>
beforeAll(async () => {
  database = await testDatabase('pnl')
  const steps = STEPS.flatMap((step, i) =>
    [step, ...(step.beside ? [step.beside] : [])].map((each) => ({ ...each, i })),
  )
  for (const wallet of [ONE, TWO])
    await play(
      wallet,
      steps.filter((step) => step.wallet === wallet),
    )
})
afterAll(() => database.drop())

async function play(wallet: Address, steps: readonly (Step & { i: number })[]): Promise<void> {
  const transactions = steps.map(({ day, type, moves, i }): WalletTransaction => {
    return {
      ...{ hash: `0x${i}`, block: BigInt(i + 1), blockHash: `0xb${i}`, index: 0 },
      ...{ time: startOfDay(day) + 3_600, from: wallet, to: OUTSIDE, selector: '0x', succeeded: true, feeRaw: 0n },
      ...{ type, protocol: null },
      movements: moves.map(([treatment, token, units, , counterparty = null]) => {
        const leg = treatment === 'fee' ? 9 : 0
        return { token, tokenId: null, amountRaw: BigInt(units) * UNIT, counterparty, debt: false, leg, treatment }
      }),
    }
  })
  const range = { ranges: [], found: transactions, native: [] }
  await createHistoryStore(database.db).save({ wallet, chain: 'ethereum' }, transactions, range, async () => undefined)
  for (const { moves, i } of steps) {
    for (const [place, [, , , price]] of moves.entries()) {
      await sql`
        update history_movement set price = ${price}::numeric, priced_at = now()
        where wallet = ${wallet} and block = ${i + 1} and place = ${place}`.execute(database.db)
    }
  }
}

const means = (method: Method = 'FIFO') => ({
  store: createAccountingStore(database.db),
  scopeOf: async (_: string, wallet: Address): Promise<Scope | undefined> =>
    wallet === NEW
      ? undefined
      : { key: `account 1 ${method}`, method, parts: [ONE, TWO].map((each) => wholePart(each)), elsewhere: [] },
  methodOf: async () => method,
  lastChanges: (wallets: readonly Address[]) => lastChanges(database.db, wallets),
  changedSince: (wallet: Address, seen: string) => changedSince(database.db, wallet, seen),
  factsOf: async () => (_: string, token: Address) => ({
    decimals: 18,
    identity: token,
    rebasing: false,
    listed: true,
  }),
})

const said = (figure: Decimal | null) => (figure === null ? 'N/A' : formatDecimal(figure))
const YEARS = ['2026-01-01', '2027-01-01', '2028-01-01'].map(startOfDay)
const ALL = { from: startOfDay('2026-01-01'), to: startOfDay('2028-01-01') }

async function read(method: Method, wallets: readonly Address[], span = ALL) {
  const pnl = createPnl(means())
  const parts = { sold: [] as SoldLot[], earned: [] as { worth: Decimal | null }[], open: [] as OpenLot[] }
  for await (const part of pnl.lots(await pnl.findScopes('1', wallets), method, span)) {
    parts.sold.push(...part.sold)
    parts.earned.push(...part.earned)
    parts.open.push(...part.open)
  }
  return parts
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

  test('the sums of lots, of years and of the stored books are the same', async () => {
    const pnl = createPnl(means())
    const accounts = createCostAccounts(means(method))
    for (const wallet of [ONE, TWO]) {
      const { sold, open } = await read(method, [wallet])
      const total = (figures: readonly (Decimal | null)[]) =>
        said(figures.reduce<Decimal>((a, b) => (b ? a.plus(b) : a), ZERO))
      const years = await pnl.sums(await pnl.findScopes('1', [wallet]), method, YEARS)
      const stored = await accounts.find('1', wallet)
      const closed = said(stored?.totals?.closedPnl ?? null)
      expect(total(sold.map(({ gain }) => gain))).toBe(closed)
      expect(total(years.map(({ realised }) => realised))).toBe(closed)
      const basis = stored?.pools.flatMap(({ lots, flagged }) => lots.map((lot) => (flagged ? null : lot.basis))) ?? []
      expect(open.map(({ cost }) => said(cost))).toEqual(basis.map(said))
    }
  })
})

test('years say what was realised, earned and paid, and how many sales they leave out', async () => {
  const pnl = createPnl(means())
  const found = await pnl.findScopes('1', [ONE, TWO])
  const figures = async (method: Method) =>
    (await pnl.sums(found, method, YEARS)).map(({ realised, sales, unknownSales, income, fees, unpricedFees }) => [
      ...[said(realised), sales, unknownSales, said(income), said(fees), unpricedFees],
    ])
  expect(await figures('AVG')).toEqual([
    ['240', 3, 0, '100', '1', 0],
    ['120', 1, 2, '0', '0', 0],
  ])
  expect((await figures('FIFO')).map(([realised]) => realised)).toEqual(['240', '160'])
  expect((await figures('LIFO')).map(([realised]) => realised)).toEqual(['150', '120'])
  expect((await figures('HIFO')).map(([realised]) => realised)).toEqual(['190', '80'])
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
  const views = () =>
    createPnlViews({
      ...means(),
      tokensOf: async () => (token) => ({ symbol: NAMES.get(token)?.toLowerCase() ?? '' }),
      clock: { now: () => startOfDay('2027-06-01') * 1_000 } as never,
    })
  const asked = { addresses: [ONE, NEW], method: 'FIFO', from: '2026-01-01', to: '2028-01-01', limit: 2 } as const

  test('have every method side by side, the newest period first, and name who is in none', async () => {
    const { periods, withoutHistory, accountMethod } = await views().periods('1', {
      ...{ addresses: [ONE, TWO, NEW], by: 'YEAR', to: '2027-06-02' },
    })
    expect({ withoutHistory, accountMethod }).toEqual({ withoutHistory: [NEW], accountMethod: 'FIFO' })
    expect(
      periods.map(({ from, to, methods }) => [
        from,
        to,
        methods.map(({ method, realised }) => `${method} ${realised}`),
      ]),
    ).toEqual([
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
    const { periods } = await views().periods('1', {
      addresses: [ONE],
      by: 'TOTAL',
      from: '2027-03-01',
      to: '2027-04-01',
    })
    expect(periods.map(({ methods }) => methods.map(({ realised, unknownSales }) => [realised, unknownSales]))).toEqual(
      [METHODS.map(() => ['N/A', 2])],
    )
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
    expect(
      pages.flatMap(({ lots }) => lots).map(({ symbol, quantity, gain }) => `${symbol} ${quantity} ${gain}`),
    ).toEqual(
      sold.map(({ token, quantity, gain }) => `${NAMES.get(token)?.toLowerCase()} ${said(quantity)} ${said(gain)}`),
    )
  })

  test('say that average cost keeps no lots', async () => {
    const { keepsLots, lots } = await views().open('1', { ...asked, method: 'AVG', limit: 250, offset: 0 })
    expect(keepsLots).toBe(false)
    expect(lots.map(({ acquired }) => acquired)).toEqual(lots.map(() => null))
    expect(lots.find(({ symbol }) => symbol === 'coin')).toMatchObject({ quantity: '9', cost: '180', unitCost: '20' })
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
  const files = (given: Partial<ReturnType<typeof means>> = {}) =>
    createGainFiles({
      pnl: createPnl({ ...means(), ...given }),
      symbolsOf:
        async () =>
        ({ token }) =>
          NAMES.get(token) ?? '',
    })
  const span = { method: 'FIFO', from: '2026-01-01', to: '2028-01-01' } as const
  const queryOf = (format: GainFormat, query: object = {}) => ({
    ...{ ...span, addresses: [ONE, TWO], partial: true, format, ...query },
  })
  async function fileOf(format: GainFormat, query: object = {}, made = files()) {
    let whole = ''
    for await (const part of (await made.open('1', queryOf(format, query))).parts) whole += part
    return whole
  }

  test.each(METHODS)('the gains of its lots add up to what was realised by %s, to the last digit', async (method) => {
    const lines = readCsv(await fileOf('COFFER', { method }))
    const gains = lines.flatMap(({ gain_usd: gain = '' }) => (gain === 'N/A' ? [] : [decimal(gain)]))
    const pnl = createPnl(means())
    const years = await pnl.sums(await pnl.findScopes('1', [ONE, TWO]), method, YEARS)
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
    const scope = await means().scopeOf('1', ONE)
    const made = files({ scopeOf: async () => scope && { ...scope, elsewhere: [{ wallet: ONE, chain: 'base' }] } })
    const last = (await fileOf('JSONL', { addresses: [ONE] }, made)).trimEnd().split('\n').at(-1)
    const leftOut = [{ address: ONE, chain: 'base', reason: 'no-history' }]
    expect(JSON.parse(last ?? '')).toMatchObject({ complete: true, withoutHistory: [], leftOut })
  })

  test('is refused where it would leave out a wallet, or a chain of one, unless it is asked for', async () => {
    const unasked = (addresses: readonly Address[], made = files()) =>
      made.check('1', { addresses: [...addresses], partial: false })
    await expect(unasked([ONE, NEW])).rejects.toMatchObject({
      ...{ code: 'HISTORY_INCOMPLETE', message: expect.stringContaining(NEW) },
    })
    await expect(unasked([ONE])).resolves.toBeUndefined()
    const scope = await means().scopeOf('1', ONE)
    const scopeOf = async () => scope && { ...scope, elsewhere: [{ wallet: ONE, chain: 'base' }] }
    await expect(unasked([ONE], files({ scopeOf }))).rejects.toMatchObject({
      ...{ message: expect.stringContaining(`${ONE} on base`) },
    })
    await expect(files({ scopeOf }).check('1', { addresses: [ONE], partial: true })).resolves.toBeUndefined()
  })

  test.each(['COFFER', 'FORM_8949', 'GERMANY'] as const)(
    '%s has a line for each history it leaves out',
    async (format) => {
      const scope = await means().scopeOf('1', ONE)
      const scopeOf = async (_: string, wallet: Address) =>
        wallet !== NEW && scope ? { ...scope, elsewhere: [{ wallet: ONE, chain: 'base' }] } : undefined
      const made = files({ scopeOf })
      const { isComplete } = await made.open('1', queryOf(format, { addresses: [ONE, NEW] }))
      const lines = readCsv(await fileOf(format, { addresses: [ONE, NEW] }, made))
      const [first, second, third] = lines.map((line) => Object.values(line).filter((value) => value !== ''))
      expect([isComplete, first, second]).toEqual([false, [NEW, 'no-history'], [ONE, 'base', 'no-history']])
      expect(third?.includes('no-history')).toBe(false)
      expect((await files().open('1', queryOf(format))).isComplete).toBe(true)
    },
  )

  test('a history that changes meanwhile breaks it off', async () => {
    let change = 0
    const lastChanges = async () => {
      change += 1
      return new Map([[ONE, String(change)]])
    }
    await expect(fileOf('COFFER', {}, files({ lastChanges }))).rejects.toThrow('changed')
  })
})
