import { expect, test } from 'vitest'
import { NO_DOUBTS } from '../../../../test/scopes.ts'
import { runEntries } from '../../../domain/accounting/run.ts'
import { emptyState } from '../../../domain/accounting/state.ts'
import { stateToJson } from '../../../domain/accounting/state-json.ts'
import { entryOf, groupEntries } from './accounting-entries.ts'
import type { StoredEntry } from './accounting-store.ts'
import { createDayRun } from './run-days.ts'

const DAY = 86_400
const facts = () => ({ decimals: 0, identity: '0xc0', rebasing: false, listed: true })

function bought(i: number, wallet: string, time: number): StoredEntry {
  return {
    ...{ wallet, chain: 'ethereum', block: BigInt(i), time, tx_index: 0, hash: `0x${i}`, type: 'TRANSFERIN' },
    ...{
      protocol: null,
      place: 0,
      token: '0xc0',
      token_id: null,
      amount: '1',
      counterparty: null,
      debt: false,
      leg: 0,
    },
    ...{ treatment: 'acquire', price: String(1 + (i % 7)), plain: true, native_known: true, multiplier: null },
  }
}

test('a long day lets the event loop turn, and comes to what one run comes to', async () => {
  // Two wallets in one transaction at each multiple of 999: one falls on the end of a part.
  const entries = Array.from({ length: 5_000 }, (_, i) =>
    (i % 999 === 0 ? ['0xa', '0xb'] : ['0xa']).map((wallet) => bought(i, wallet, i)),
  ).flat()
  let turns = 0
  let running = true
  const turn = () => {
    turns += 1
    if (running) setImmediate(turn)
  }
  setImmediate(turn)
  const run = createDayRun(emptyState('FIFO'))
  await run.carry(entries, facts, NO_DOUBTS)
  running = false
  const { state, results } = run.end()
  const whole = runEntries(
    groupEntries(entries).map((rows) => entryOf(rows, facts, NO_DOUBTS)),
    emptyState('FIFO'),
  )
  expect(stateToJson(state)).toEqual(stateToJson(whole.state))
  expect(results).toHaveLength(entries.length)
  expect(turns).toBeGreaterThanOrEqual(4)
})

test('of many days the last eight are kept, and of older months the last', async () => {
  const run = createDayRun(emptyState('FIFO'))
  // 1970-01-01 to 1970-03-11, in three pages.
  for (const [first, last] of [
    [0, 20],
    [21, 45],
    [46, 69],
  ] as const) {
    const days = Array.from({ length: last - first + 1 }, (_, i) => bought(first + i, '0xa', (first + i) * DAY))
    await run.carry(days, facts, NO_DOUBTS)
  }
  const ofMarch = ['04', '05', '06', '07', '08', '09', '10', '11'].map((day) => `1970-03-${day}`)
  expect(run.end().days.map(({ day }) => day)).toEqual(['1970-01-31', '1970-02-28', ...ofMarch])
})
