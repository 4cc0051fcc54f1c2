import { expect, test } from 'vitest'
import { storedEntry } from '../../../../test/accounting-entries.ts'
import { runEntries } from '../../../../test/run-entries.ts'
import { NO_DOUBTS } from '../../../../test/scopes.ts'
import { emptyState, type State } from '../../../domain/accounting/state.ts'
import { partsBetween } from '../../../domain/accounting/state-json.ts'
import { takeState, toWorkingState } from '../../../domain/accounting/working-state.ts'
import { entryOf, groupEntries } from './accounting-entries.ts'
import { runDays } from './replay.ts'
import { FIRST_DAY, type StoredEntry } from './stored-entries.ts'

const DAY = 86_400
const facts = () => ({ decimals: 0, identity: '0xc0', rebasing: false, listed: true })

const bought = (i: number, wallet: string, time: number) =>
  storedEntry({
    ...{ wallet, block: BigInt(i), time, hash: `0x${i}`, type: 'TRANSFERIN', treatment: 'acquire', plain: true },
    price: String(1 + (i % 7)),
  })

const page = (entries: StoredEntry[]) => ({ since: FIRST_DAY, until: null, entries, facts, doubts: NO_DOUBTS })
const start = () => toWorkingState(emptyState('FIFO'))
const partsOf = (state: State) => partsBetween(emptyState('FIFO'), state)

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
  const working = start()
  const { results } = await runDays(page(entries), { working, days: [] })
  running = false
  const whole = runEntries(
    groupEntries(entries).map((rows) => entryOf(rows, facts, NO_DOUBTS)),
    emptyState('FIFO'),
  )
  expect(partsOf(takeState(working))).toEqual(partsOf(whole.state))
  expect(results).toHaveLength(entries.length)
  expect(turns).toBeGreaterThanOrEqual(4)
})

test('of many days the last eight are kept, and of older months the last', async () => {
  // 1970-01-01 to 1970-03-11, in three pages.
  const all = Array.from({ length: 70 }, (_, i) => bought(i, '0xa', i * DAY))
  const stored = new Set<string>()
  const working = start()
  let days: readonly string[] = []
  for (const entries of [all.slice(0, 21), all.slice(21, 46), all.slice(46)]) {
    const computed = await runDays(page(entries), { working, days })
    for (const { day } of computed.dropped) stored.delete(day)
    for (const { day } of computed.states) stored.add(day)
    days = computed.days
    expect([...stored]).toEqual(days)
  }
  const ofMarch = ['04', '05', '06', '07', '08', '09', '10', '11'].map((day) => `1970-03-${day}`)
  expect([...stored]).toEqual(['1970-01-31', '1970-02-28', ...ofMarch])
})
