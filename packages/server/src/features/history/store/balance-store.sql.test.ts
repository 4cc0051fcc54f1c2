import { expect, test } from 'vitest'
import { suiteDatabase } from '../../../../test/database.ts'
import type { Adjustment } from '../../../chains/histories.ts'
import { createBalanceStore } from './balance-store.ts'
import { createHistoryStore } from './history-store.ts'

const TOKEN = '0x2222222222222222222222222222222222222222'
/** A rebasing token's balance at the heads of three searches without movements. */
const BALANCES = new Map([
  [100n, 6n],
  [105n, 7n],
  [110n, 8n],
])

const database = await suiteDatabase('balances')
const history = createHistoryStore(database.db)
const balances = createBalanceStore(database.db)

/** Every possible order of the two steps of each search. */
function interleavings(searches: readonly bigint[]): bigint[][] {
  const orders = new Set<string>()
  const extend = (order: readonly bigint[]): void => {
    const next = searches.filter((head) => order.filter((each) => each === head).length < 2)
    if (next.length === 0) orders.add(order.join())
    for (const head of next) extend([...order, head])
  }
  extend([])
  return [...orders].map((order) => order.split(',').map(BigInt))
}

test('interest is booked once, however searches of one wallet pass each other', async () => {
  const orders = interleavings([...BALANCES.keys()])
  expect(orders).toHaveLength(90)

  for (const [i, order] of orders.entries()) {
    const of = { wallet: `0x${i.toString(16).padStart(40, '0')}`, chain: 'ethereum' } as const
    const read = new Map<bigint, bigint>()
    for (const head of order) {
      const at = read.get(head)
      if (at === undefined) {
        await history.setState(of, { number: head, timestamp: Number(head) })
        read.set(head, (await balances.sums(of))?.block ?? 0n)
      } else {
        await balances.settle(of, at, ({ block, sums }): Adjustment[] => {
          const amountRaw = (BALANCES.get(block) ?? 0n) - (sums.get(TOKEN) ?? 0n)
          return amountRaw === 0n ? [] : [{ token: TOKEN, amountRaw, debt: false, kind: 'interest' }]
        })
      }
    }
    const rows = await database.db
      .selectFrom('history_adjustment')
      .select('amount')
      .where('wallet', '=', of.wallet)
      .execute()
    const amounts = rows.map(({ amount }) => BigInt(amount))
    // The balance grew by 8 in total, and none of it was taken back.
    expect([order, amounts.reduce((sum, amount) => sum + amount, 0n)]).toEqual([order, 8n])
    expect([order, amounts.filter((amount) => amount < 0n)]).toEqual([order, []])
    expect((await balances.sums(of))?.block).toBe(110n)
  }
})

test('a reorganisation alone takes the state back', async () => {
  const of = { wallet: '0x3333333333333333333333333333333333333333', chain: 'ethereum' } as const
  await history.setState(of, { number: 100n, timestamp: 100 })
  await history.setState(of, { number: 90n, timestamp: 90 })
  expect((await balances.sums(of))?.block).toBe(100n)
  await history.rewind(of, 80n)
  await history.setState(of, { number: 90n, timestamp: 90 })
  expect((await balances.sums(of))?.block).toBe(90n)
})

test('a ledger of the largest amounts can be set right', async () => {
  const of = { wallet: '0x4444444444444444444444444444444444444444', chain: 'ethereum' } as const
  await history.setState(of, { number: 5n, timestamp: 5 })
  const amountRaw = -20n * (2n ** 256n - 1n)
  await balances.settle(of, 5n, () => [{ token: TOKEN, amountRaw, debt: false, kind: 'gap' }])
  expect((await balances.sums(of))?.sums.get(TOKEN)).toBe(amountRaw)
})
