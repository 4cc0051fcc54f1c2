import { expect, test } from 'vitest'
import { entry } from '../../../test/accounting-entries.ts'
import { runEntries } from '../../../test/run-entries.ts'
import { postEntries } from './run.ts'
import { emptyState, type State } from './state.ts'
import { partsBetween, type StatePart, stateOfParts } from './state-json.ts'
import { takeState, toWorkingState } from './working-state.ts'

const LOTS = 3_000

const ofAll = (state: State) => partsBetween(emptyState('FIFO'), state)
const merged = (...changes: readonly StatePart[][]) => [
  ...new Map(changes.flat().map((part) => [`${part.wallet} ${part.part}`, part])).values(),
]

test('a change of one lot among many is stored as a few parts, which lead to the same state', () => {
  const bought = Array.from({ length: LOTS }, () => entry('acquire ETH 1 @1'))
  const working = toWorkingState(runEntries(bought, emptyState('FIFO')).state)
  const before = takeState(working)
  let stored = ofAll(before)
  // Some 64 lots a part.
  expect(stored.length).toBeGreaterThan(LOTS / 128)
  let last = before
  for (const change of [
    'acquire ETH 1 @2',
    'send ETH -1 @3',
    'send ETH -0.5 @3',
    'acquire USD 5 @1',
    'send USD -5 @1',
  ]) {
    postEntries(working, [entry(change)])
    const state = takeState(working)
    const changes = partsBetween(last, state)
    // Without a wallet, of the wallet, the pool, and at most two pages of its lots.
    expect(changes.length, change).toBeLessThanOrEqual(5)
    stored = merged(stored, JSON.parse(JSON.stringify(changes)))
    expect(ofAll(stateOfParts('FIFO', stored)), change).toEqual(ofAll(state))
    last = state
  }
  expect(ofAll(before)).not.toEqual(ofAll(last))
})

test('parts of one lot that come together again are all stored', () => {
  const { state } = runEntries([entry('acquire ETH 8 @1')], emptyState('FIFO'))
  const [pool] = state.pools
  const [lot] = pool?.lots ?? []
  if (!pool || !lot) return expect.unreachable()
  for (let order = 0; order < 256; order += 1) {
    const lots = [lot, { ...lot, order }, { ...lot, order: order + 1 }, { ...lot, order }]
    const whole = { ...state, pools: [{ ...pool, lots }] }
    expect(stateOfParts('FIFO', ofAll(whole)).pools).toEqual(whole.pools)
  }
})
