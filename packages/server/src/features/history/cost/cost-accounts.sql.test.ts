import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testDatabase } from '../../../../test/database.ts'
import { wholePart } from '../../../../test/scopes.ts'
import type { Address } from '../../../domain/address.ts'
import { formatDecimal } from '../../../domain/decimal.ts'
import type { Treatment, WalletTransaction } from '../../../domain/transaction.ts'
import { changedSince, lastChanges } from '../store/history-changes.ts'
import { createHistoryStore } from '../store/history-store.ts'
import { createAccountingStore, type Scope, type StoredEntry } from './accounting-store.ts'
import { createCostAccounts } from './cost-accounts.ts'

const ONE: Address = '0x1111111111111111111111111111111111111111'
const TWO: Address = '0x2222222222222222222222222222222222222222'
const COIN: Address = '0xc000000000000000000000000000000000000000'
const USD: Address = '0xd000000000000000000000000000000000000000'
const UNIT = 10n ** 18n
const START = 1_800_000_000
const DAY = 86_400

let database: Awaited<ReturnType<typeof testDatabase>>
beforeAll(async () => {
  database = await testDatabase('cost accounts')
  for (const wallet of [ONE, TWO]) await playHistory(wallet)
})
afterAll(() => database.drop())

type Step = { treatment: Treatment; amounts: readonly (readonly [token: Address, units: bigint, price: string])[] }

/**
 * A coin for 10, a day later one for 30, and the day after one is sold for 40: 30 are earned by FIFO and 10 by LIFO.
 */
const STEPS: readonly Step[] = [
  { treatment: 'acquire', amounts: [[COIN, 1n, '10']] },
  { treatment: 'acquire', amounts: [[COIN, 1n, '30']] },
  {
    treatment: 'swap',
    amounts: [
      [COIN, -1n, '40'],
      [USD, 40n, '1'],
    ],
  },
]

async function playHistory(wallet: Address): Promise<void> {
  const of = { wallet, chain: 'ethereum' }
  const store = createHistoryStore(database.db)
  const transactions = STEPS.map(({ treatment, amounts }, i): WalletTransaction => {
    return {
      ...{ hash: `0x${wallet.slice(2, 6)}${i}`, block: BigInt(i + 1), blockHash: `0xb${i}`, index: 0 },
      ...{ time: START + i * DAY, from: wallet, to: null, selector: '0x', succeeded: true, feeRaw: 0n },
      ...{ type: treatment === 'swap' ? 'SWAP' : 'TRANSFERIN', protocol: null },
      movements: amounts.map(([token, units]) => {
        const amountRaw = units * UNIT
        return { ...{ token, tokenId: null, amountRaw, counterparty: null, debt: false, leg: 0 }, treatment }
      }),
    }
  })
  await store.save(of, transactions, { ranges: [], found: transactions, native: [] }, async () => undefined)
  for (const [i, { amounts }] of STEPS.entries()) {
    for (const [place, [, , price]] of amounts.entries()) {
      await sql`
        update history_movement set price = ${price}::numeric, priced_at = now()
        where wallet = ${wallet} and block = ${i + 1} and place = ${place}`.execute(database.db)
    }
  }
}

/** One process's cost accounts, for an account with the method and wallets of the scope. */
function accountsFor(scope: () => Scope, decimals: () => number | undefined = () => 18) {
  return createCostAccounts({
    store: createAccountingStore(database.db),
    scopeOf: async () => scope(),
    lastChanges: (wallets) => lastChanges(database.db, wallets),
    changedSince: (wallet, seen) => changedSince(database.db, wallet, seen),
    factsOf: async () => (_, token) => ({ decimals: decimals(), identity: token, rebasing: false, listed: true }),
  })
}

const closed = async (
  found: Promise<{ totals: { closedPnl: Parameters<typeof formatDecimal>[0] } | undefined } | undefined>,
) => {
  const totals = (await found)?.totals
  return totals && formatDecimal(totals.closedPnl)
}

test('callers with other methods or wallets are each answered what they asked, at any moment', async () => {
  const scopes: Record<string, Scope> = {
    fifo: scopeBy('account 1', 'FIFO', ONE),
    lifo: scopeBy('account 1', 'LIFO', ONE, TWO),
  }
  let asked: Scope | undefined
  const accounts = accountsFor(() => asked ?? fail())
  const others = accountsFor(() => asked ?? fail())
  const find = (who: ReturnType<typeof accountsFor>, name: string, wallet: Address) => {
    asked = scopes[name]
    return closed(who.find('1', wallet))
  }
  for (let round = 0; round < 10; round += 1) {
    const found = await Promise.allSettled([
      find(accounts, 'fifo', ONE),
      find(accounts, 'lifo', TWO),
      find(others, 'lifo', ONE),
      find(others, 'fifo', ONE),
    ])
    // A caller that loses the race too often is refused. No caller gets another scope's figures.
    const right = ['30', '10', '10', '30']
    const told = found.map((each, i) => (each.status === 'fulfilled' ? each.value : right[i]))
    expect(told).toEqual(right)
    expect(found.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThan(0)
  }
})

test('a part that continues from replaced rows is not stored', async () => {
  const scope: Scope = scopeBy('account 2', 'FIFO', ONE)
  await closed(accountsFor(() => scope).find('2', ONE))
  const store = createAccountingStore(database.db)
  const known = await store.find(scope.key)
  const nothing = { seen: new Map(), lacking: [], days: [], results: [] }
  const state = (await store.findState(scope.key))?.state ?? fail()
  const goesOn = { from: '2027-01-16', revision: (known?.revision ?? 0n) - 1n }
  expect(await store.save(scope, goesOn, { ...nothing, state })).toBe(false)
  expect(await store.find(scope.key)).toEqual(known)
})

test('figures that lacked decimals are computed again once these are known', async () => {
  const scope: Scope = scopeBy('account 3', 'LIFO', ONE)
  let decimals: number | undefined
  const accounts = accountsFor(
    () => scope,
    () => decimals,
  )
  const before = await accounts.find('3', ONE)
  expect(before?.pools.map(({ quantity, lots }) => [formatDecimal(quantity), lots.map(({ basis }) => basis)])).toEqual([
    ['1000000000000000000', [null]],
    ['40000000000000000000', [null]],
  ])
  expect(before?.totals).toMatchObject({ disposals: 0, unknownDisposals: { [`ethereum ${COIN}`]: 1 } })
  decimals = 18
  expect(await closed(accounts.find('3', ONE))).toBe('10')
})

const scopeBy = (key: string, method: Scope['method'], ...wallets: Address[]): Scope => ({
  key,
  method,
  parts: wallets.map((wallet) => wholePart(wallet)),
  elsewhere: [],
})

function fail(): never {
  throw new Error('not asked for')
}

test('entries come in pages of whole days, in the order in which they come at once', async () => {
  const store = createAccountingStore(database.db)
  const pagesOf = async (most: number, from?: string) => {
    const pages: StoredEntry[][] = []
    for await (const page of store.entries(
      [ONE, TWO].map((wallet) => wholePart(wallet)),
      from,
      most,
    ))
      pages.push(page)
    return pages
  }
  const [whole] = await pagesOf(1_000)
  const timesOf = (pages: Awaited<ReturnType<typeof pagesOf>>) => pages.map((page) => page.map(({ time }) => time))
  const days = STEPS.map((_, i) => START + i * DAY)
  const [first = 0, second = 0, third = 0] = days
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
  expect(timesOf(await pagesOf(1, new Date(third * 1_000).toISOString().slice(0, 10)))).toHaveLength(1)
})
