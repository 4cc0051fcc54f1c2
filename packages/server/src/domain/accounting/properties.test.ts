import fc from 'fast-check'
import { expect, test } from 'vitest'
import { randomHistory } from '../../../test/accounting-histories.ts'
import { seededRandom } from '../../../test/random.ts'
import { randomOf } from '../../../test/random-of.ts'
import { runEntries } from '../../../test/run-entries.ts'
import { type Decimal, formatDecimal, sum, ZERO } from '../decimal.ts'
import type { Entry } from './entry.ts'
import { emptyState, type Lot, type Method, type State } from './state.ts'
import { partsBetween, stateOfParts } from './state-json.ts'

const { seed } = seededRandom('accounting')
const METHODS: readonly Method[] = ['AVG', 'FIFO', 'LIFO', 'HIFO']

const PRICED = { unpriced: 0, excess: 0 }
const MESSY = { unpriced: 80, excess: 40 }
const history = (options: typeof PRICED) =>
  fc
    .record({ random: fc.nat(), length: fc.integer({ min: 1, max: 150 }) })
    .map(({ random, length }) => randomHistory(randomOf(random), length, options))
const parameters = { seed, numRuns: 30 }

const keyOf = ({ wallet, chain, token }: { wallet: string; chain: string; token: string }) =>
  `${wallet} ${chain} ${token}`
const add = (sums: Map<string, Decimal>, key: string, value: Decimal) =>
  sums.set(key, (sums.get(key) ?? ZERO).plus(value))
const texts = (sums: Map<string, Decimal>) =>
  [...sums]
    .filter(([, value]) => !value.eq(ZERO))
    .map(([key, value]) => `${key} ${formatDecimal(value)}`)
    .sort()

/** Sum of all movements of a pool. */
function moved(entries: readonly Entry[]): string[] {
  const sums = new Map<string, Decimal>()
  for (const entry of entries) {
    for (const { token, quantity } of entry.movements) add(sums, keyOf({ ...entry, token }), quantity)
  }
  return texts(sums)
}

function held(state: State): string[] {
  const sums = new Map<string, Decimal>()
  for (const pool of state.pools) if (pool.position === null) add(sums, keyOf(pool), pool.quantity.minus(pool.short))
  return texts(sums)
}

const lotsOf = (state: State) => [...state.pools, ...state.transit].flatMap(({ lots }) => lots)
const isSound = ({ quantity, basis, backing }: Lot) =>
  quantity.gte(ZERO) && (basis === null || basis.gte(ZERO)) && (backing === null || backing.units.gte(ZERO))

test('quantities are what the movements say, by every method, with prices missing and more leaving than is there', () => {
  fc.assert(
    fc.property(history(MESSY), (transactions) => {
      const entries = transactions.flat().map((entry) => ({
        ...entry,
        movements: entry.movements.filter(({ treatment, quantity }) => treatment !== 'spam' || quantity.gt(ZERO)),
      }))
      for (const method of METHODS) {
        const { state } = runEntries(entries, emptyState(method))
        expect(held(state)).toEqual(moved(entries))
      }
    }),
    parameters,
  )
})

test('lots add up to their pool, none is negative, and a pool is known or unknown as a whole', () => {
  fc.assert(
    fc.property(history(MESSY), fc.constantFrom(...METHODS), (transactions, method) => {
      const { state } = runEntries(transactions.flat(), emptyState(method))
      for (const pool of [...state.pools, ...state.transit]) {
        expect(formatDecimal(sum(pool.lots.map((lot) => lot.quantity)))).toBe(formatDecimal(pool.quantity))
      }
      for (const { lots } of state.pools) {
        expect(new Set(lots.map((lot) => lot.basis === null)).size).toBeLessThanOrEqual(1)
        if (method === 'AVG') expect(lots.length).toBeLessThanOrEqual(1)
      }
      expect(lotsOf(state).filter((lot) => !isSound(lot))).toEqual([])
    }),
    parameters,
  )
})

test('what is held has cost what came in, was earned and realised, less what left, to the last digit', () => {
  fc.assert(
    fc.property(history(PRICED), fc.constantFrom(...METHODS), (transactions, method) => {
      const { state, results } = runEntries(transactions.flat(), emptyState(method))
      const assets = [...state.pools.filter((pool) => !pool.debt), ...state.transit]
      const cost = sum(assets.flatMap(({ lots }) => lots.map((lot) => lot.basis ?? ZERO)))
      const wallets = [...state.wallets.values()]
      const flows = wallets.map((wallet) =>
        sum([wallet.acquired, wallet.borrowed, wallet.income, wallet.closedPnl]).minus(
          sum([wallet.gasBasis, wallet.bridgeFeeBasis, wallet.sentBasis, wallet.repaidBasis]),
        ),
      )
      expect(formatDecimal(cost)).toBe(formatDecimal(sum(flows)))
      expect(formatDecimal(sum(results.map((result) => result.closedPnl ?? ZERO)))).toBe(
        formatDecimal(sum(wallets.map((wallet) => wallet.closedPnl))),
      )
      expect(wallets.flatMap((wallet) => Object.keys(wallet.unknownDisposals))).toEqual([])
      expect(state.pools.filter((pool) => pool.flagged)).toEqual([])
    }),
    parameters,
  )
})

test('going on from a state that was written down is the same as never having stopped', () => {
  fc.assert(
    fc.property(history(MESSY), fc.constantFrom(...METHODS), fc.nat(), (transactions, method, cut) => {
      const at = cut % (transactions.length + 1)
      const before = runEntries(transactions.slice(0, at).flat(), emptyState(method))
      const partsOf = (state: State) => partsBetween(emptyState(method), state)
      const kept = JSON.stringify(partsOf(before.state))
      const after = runEntries(transactions.slice(at).flat(), stateOfParts(method, JSON.parse(kept)))
      const atOnce = runEntries(transactions.flat(), emptyState(method))
      expect(partsOf(after.state)).toEqual(partsOf(atOnce.state))
      expect(JSON.parse(JSON.stringify([...before.results, ...after.results]))).toEqual(
        JSON.parse(JSON.stringify(atOnce.results)),
      )
      expect(partsOf(runEntries(transactions.slice(at).flat(), before.state).state)).toEqual(partsOf(after.state))
      expect(JSON.stringify(partsOf(before.state))).toBe(kept)
    }),
    parameters,
  )
})
