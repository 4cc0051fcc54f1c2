import { expect, test } from 'vitest'

type File = { name: string; text: string }
type Values = Readonly<Record<string, number>>
type Budget = { BUDGET: Values; measure(files: readonly File[]): { values: Values } }

const script = new URL('../../../../scripts/budget.mjs', import.meta.url)
const { BUDGET, measure }: Budget = await import(script.href)

const source = (text: string, i = 0): File => ({ name: `packages/server/src/planted-${i}.ts`, text })
const lines = (count: number, line = 'call()') => `${line}\n`.repeat(count)
const many = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i))

/** A chain: each file imports the next. */
function importing(start: string, count: number): File[] {
  const places = [start, ...many(count, (i) => `lib/planted-${i}.ts`)]
  const up = '../'.repeat(start.split('/').length - 1)
  return places.map((place, i) => {
    const path = i === 0 ? `${up}${places[1]}` : `./planted-${i}.ts`
    return { name: `packages/server/src/${place}`, text: i < count ? `import type { A } from '${path}'\n` : '' }
  })
}

/** Exceeds no budget. */
const PLAIN: readonly File[] = [source(`/** In wei. */\n${lines(100)}`), { name: 'docs/how/prices.md', text: 'Prices' }]

const PLANTED: Readonly<Record<string, File[]>> = {
  'files of the server': many(2_000, (i) => source(lines(30), i)),
  'lines of the server': [source(lines(70_000))],
  'files of the server under 20 lines': many(200, (i) => source(lines(10), i)),
  'words of comments per 1,000 lines': [source(`/** ${'word '.repeat(600)} */\n${lines(1_000)}`)],
  'comments that begin with What, Of, Whether, Who or Those': [source('/** Whether it is read. */\n')],
  'unusual words per 1,000 words': [source('// Nobody asks anew, and strangers are told.\n')],
  'literals `...{ a, b }`': [source(lines(20, 'call({ ...{ a, b } })'))],
  '`Parameters<typeof`': [source(lines(3, 'type A = Parameters<typeof call>'))],
  '`Pick<`': [source(lines(80, "type A = Pick<B, 'c'>"))],
  'factories with one caller and no test': many(100, (i) =>
    source(`export function createPlanted${i}() {}\ncreatePlanted${i}()\n`, i),
  ),
  'files behind the EVM collector': importing('chains/evm/collect/collect.ts', 51),
  'files behind the portfolio module': importing('features/portfolio/module.ts', 81),
  'words of docs/how': [{ name: 'docs/how/reading.md', text: 'word '.repeat(14_001) }],
  'decision records': many(21, (i) => ({ name: `docs/records/${i}.md`, text: 'Accepted' })),
  'words of the longest record': [{ name: 'docs/records/1.md', text: 'word '.repeat(251) }],
}

test('plain sources keep within every budget', () => {
  const { values } = measure(PLAIN)
  expect(Object.keys(values)).toEqual(Object.keys(BUDGET))
  for (const [name, value] of Object.entries(values)) expect(value, name).toBeLessThanOrEqual(BUDGET[name] ?? 0)
})

test.each(Object.keys(BUDGET))('a planted violation exceeds the budget: %s', (name) => {
  expect(measure([...PLAIN, ...(PLANTED[name] ?? [])]).values[name]).toBeGreaterThan(BUDGET[name] ?? 0)
})
