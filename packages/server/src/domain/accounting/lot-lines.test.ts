import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { entry, moved, named } from '../../../test/accounting-entries.ts'
import { randomHistory } from '../../../test/accounting-histories.ts'
import { seededRandom } from '../../../test/random.ts'
import { randomOf } from '../../../test/random-of.ts'
import { runEntries } from '../../../test/run-entries.ts'
import { type Decimal, decimal, formatDecimal, sum, ZERO } from '../decimal.ts'
import { sumKnown } from './apportion.ts'
import type { Entry } from './entry.ts'
import { earnedUnits, openLots, soldLots } from './lot-lines.ts'
import { assetKey, emptyState, type Method } from './state.ts'

const METHODS: readonly Method[] = ['AVG', 'FIFO', 'LIFO', 'HIFO']
const DAY = 86_400
const said = (figure: Decimal | null) => (figure === null ? 'N/A' : formatDecimal(figure))

/** Every lot that entries sold, and the remaining ones. */
function lotsOf(entries: readonly Entry[], method: Method) {
  const { state, results } = runEntries(entries, emptyState(method))
  const keepsLots = method !== 'AVG'
  const multipliers = new Map<string, Decimal>()
  for (const { chain, movements } of entries) {
    for (const { token, multiplier } of movements)
      if (multiplier) multipliers.set(assetKey({ chain, token }), multiplier)
  }
  const pairs = entries.flatMap((entry, i) => (results[i] ? [{ entry, result: results[i] }] : []))
  return {
    state,
    results,
    sold: pairs.flatMap(({ entry, result }) => soldLots(entry, result, keepsLots)),
    earned: pairs.flatMap(({ entry, result }) => earnedUnits(entry, result)),
    open: [...openLots(state, keepsLots, multipliers)],
  }
}

const { seed } = seededRandom('lot lines')
const MESSY = { unpriced: 80, excess: 40 }
const histories = fc
  .record({ random: fc.nat(), length: fc.integer({ min: 1, max: 150 }) })
  .map(({ random, length }) => randomHistory(randomOf(random), length, MESSY))
const parameters = { seed, numRuns: 40 }

test.each(METHODS)('lots add up to the totals to the last digit after any events, by %s', (method) => {
  fc.assert(
    fc.property(histories, (transactions) => {
      const { state, sold, earned, open } = lotsOf(transactions.flat(), method)
      for (const [wallet, totals] of state.wallets) {
        const own = sold.filter((lot) => lot.wallet === wallet)
        const sales = Map.groupBy(
          own,
          ({ disposed, movement }) => `${disposed.chain} ${disposed.transaction} ${movement}`,
        )
        const gains = [...sales.values()].map((lots) => sumKnown(lots.map(({ gain }) => gain)))
        const known = gains.filter((gain) => gain !== null)
        expect(said(sum(known))).toBe(said(totals.closedPnl))
        expect(known.length).toBe(totals.disposals)
        const unknown = Object.values(totals.unknownDisposals).reduce((all, count) => all + count, 0)
        expect(gains.length - known.length).toBe(unknown)
        const worth = earned.filter((units) => units.wallet === wallet).map((units) => units.worth ?? ZERO)
        expect(said(sum(worth))).toBe(said(totals.income))
      }
      const held = open.filter(({ place }) => place !== 'transit')
      const basis = state.pools.flatMap(({ lots, flagged }) => lots.map((lot) => (flagged ? null : lot.basis)))
      expect(held.map(({ cost }) => said(cost))).toEqual(basis.map(said))
    }),
    parameters,
  )
})

test.each(METHODS)('what is not known says why, and nothing else does, by %s', (method) => {
  fc.assert(
    fc.property(histories, (transactions) => {
      const { sold, open } = lotsOf(transactions.flat(), method)
      for (const { gain, missing } of sold) expect(missing.length > 0).toBe(gain === null)
      for (const { cost, missing } of open) expect(missing.length > 0).toBe(cost === null)
    }),
    parameters,
  )
})

test.each(METHODS.slice(1))(
  'a lot is older than its sale, and has an origin unless nobody saw it come, by %s',
  (method) => {
    fc.assert(
      fc.property(histories, (transactions) => {
        for (const { acquired, disposed, daysHeld, missing } of lotsOf(transactions.flat(), method).sold) {
          if (missing.includes('unseen')) expect(acquired).toBeNull()
          else expect(acquired?.time).toBeLessThanOrEqual(disposed.time)
          expect(daysHeld === null).toBe(acquired === null)
        }
      }),
      parameters,
    )
  },
)

const at = (days: number, transaction: string) => ({ time: days * DAY, transaction })

describe('a lot', () => {
  test('keeps its day of purchase through a deposit, and is held by calendar days of UTC', () => {
    const { sold } = lotsOf(
      [
        entry('acquire ETH 2 @10', { time: 100 * DAY + DAY - 1, transaction: '0x1' }),
        entry('move ETH -2 @10, move SHARE 1 @20', at(110, '0x2')),
        entry('WITHDRAW: move SHARE -1 @20, move ETH 2 @10', at(120, '0x3')),
        entry('swap ETH -1 @15, swap USD 15 @1', at(465, '0x4')),
      ],
      'FIFO',
    )
    expect(sold).toMatchObject([
      { acquired: { transaction: '0x1' }, disposed: { transaction: '0x4' }, daysHeld: 365, missing: [] },
    ])
    expect(sold.map(({ quantity, proceeds, cost, gain }) => [quantity, proceeds, cost, gain].map(said))).toEqual([
      ['1', '15', '10', '5'],
    ])
  })

  test('that was sold with unexplained units is left out as the accounting leaves it out', () => {
    const { sold, state } = lotsOf(
      [entry('acquire ETH 1 @10', at(1, '0x1')), entry('swap ETH -4 @15, swap USD 60 @1', at(2, '0x2'))],
      'FIFO',
    )
    expect(
      sold.map(({ quantity, proceeds, cost, gain, missing }) => [
        ...[quantity, proceeds, cost, gain].map(said),
        missing,
      ]),
    ).toEqual([
      ['1', '15', '10', 'N/A', ['sold-with-unknown']],
      ['3', '45', 'N/A', 'N/A', ['unseen']],
    ])
    expect([...state.wallets.values()].map(({ disposals }) => disposals)).toEqual([0])
  })

  test('of a position that was taken whole gets its share of the proceeds by cost', () => {
    const { sold } = lotsOf(
      [
        entry('acquire ETH 1 @30, acquire BTC 1 @10', at(1, '0x1')),
        entry('DEPOSIT: move ETH -1 @30, move BTC -1 @10, move VAULT 0 #7', at(2, '0x2')),
        entry('BORROW: borrow USD 20 @1, borrow VAULT 0 #7', at(3, '0x3')),
        entry('REPAYVAULT: repay VAULT 0 #7, repay USD 8 @1', at(4, '0x4')),
      ],
      'FIFO',
    )
    expect(sold.map(({ proceeds, cost, gain, daysHeld }) => [...[proceeds, cost, gain].map(said), daysHeld])).toEqual([
      ['21', '30', '-9', 3],
      ['7', '10', '-3', 3],
    ])
  })
})

test.each(METHODS)('quantities are in the units that were shown: a split changes no cost, by %s', (method) => {
  const inUnits = (multiplier: string, ...of: Parameters<typeof moved>) => ({
    ...moved(...of),
    multiplier: decimal(multiplier),
  })
  // Ten stored units and one earned, each shown as one; three for one; five stored units are sold.
  const { sold, earned, open } = lotsOf(
    [
      entry([inUnits('1', 'acquire', 'STOCK', '10', '300')], at(1, '0x1')),
      entry([inUnits('2', 'income', 'STOCK', '1', '300')], at(2, '0x2')),
      entry([inUnits('3', 'swap', 'STOCK', '-5', '330'), 'swap USD 1650 @1'], at(3, '0x3')),
    ],
    method,
  )
  const total = (lots: readonly { quantity: Decimal }[]) => said(sum(lots.map(({ quantity }) => quantity)))
  expect([total(sold), total(earned)]).toEqual(['15', '2'])
  const left = open.filter(({ token }) => token === named('STOCK'))
  expect([total(left), said(sumKnown(left.map(({ cost }) => cost)))]).toEqual(['18', '1800'])
})
