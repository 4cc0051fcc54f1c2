import fc from 'fast-check'
import { expect, inject, test } from 'vitest'
import { ANSWER_CHARS, fitAnswer } from './fit-answer.ts'

const items = (count: number, chars: number) =>
  Array.from({ length: count }, (_, i) => ({ i, text: 'x'.repeat(chars) }))

test('what fits is shown whole', () => {
  const answer = { about: { incomplete: [{ chain: 'base' }] }, items: items(20, 100) }
  expect(fitAnswer(answer, 0)).toEqual({ ...answer, shown: 20, more: 0 })
})

test('what does not fit is counted, and calls that pass over what was shown show every item once, in order', () => {
  const all = items(1_000, 200)
  const seen: unknown[] = []
  let calls = 0
  for (let more = -1; more !== 0; calls += 1) {
    const fitted = fitAnswer({ about: {}, items: all }, seen.length)
    seen.push(...fitted.items)
    more = fitted.more
    expect(fitted.shown + fitted.more).toBe(1_000 - seen.length + fitted.shown)
  }
  expect(seen).toEqual(all)
  // 1,000 items of about 220 characters are 220,000.
  expect(calls).toBe(8)
})

test('a list within an item is cut, and says by how much', () => {
  const { items: shown } = fitAnswer({ about: {}, items: [{ id: 1, assetsIn: items(400, 60) }] }, 0)
  const [item] = shown as { assetsIn: unknown[]; assetsInMore: number }[]
  expect(item?.assetsIn.length).toBeGreaterThan(50)
  expect(item?.assetsIn.length).toBe(400 - (item?.assetsInMore ?? 0))
})

test('ten wallets with all of their gaps keep their totals', () => {
  const incomplete = Array.from({ length: 200 }, (_, i) => ({ chain: `chain-${i}`, reason: 'unreadable' }))
  const wallets = Array.from({ length: 10 }, (_, i) => ({ address: `0x${i}`, networth: '1', incomplete }))
  const { about } = fitAnswer({ about: { wallets }, items: [] }, 0)
  const shown = about['wallets'] as { incomplete: unknown[]; incompleteMore: number }[]
  expect(shown).toHaveLength(10)
  for (const wallet of shown) expect(wallet.incomplete.length + wallet.incompleteMore).toBe(200)
})

test('no answer is larger than its budget, and none that has items shows none', () => {
  const part = fc.object({ maxDepth: 4, maxKeys: 20, values: [fc.string({ maxLength: 256 }), fc.integer()] })
  const answers = fc.record({
    about: part,
    items: fc.array(part, { maxLength: 50 }),
    times: fc.integer({ min: 1, max: 40 }),
  })
  fc.assert(
    fc.property(answers, ({ about, items: few, times }) => {
      const many = Array.from({ length: times }, () => few).flat()
      const fitted = fitAnswer({ about, items: many }, 0)
      expect(JSON.stringify({ ...fitted, next: { skip: fitted.shown } }).length).toBeLessThanOrEqual(ANSWER_CHARS)
      expect(fitted.shown > 0).toBe(many.length > 0)
    }),
    { seed: inject('seed') ?? 21, numRuns: inject('deep') ? 2_000 : 100 },
  )
})
