import { expect, test } from 'vitest'
import { sortRows } from './sort-rows.ts'

const rows = [
  { name: 'b', amount: '10' },
  { name: 'A', amount: '9.000000000000000000000000000001' },
  { name: 'a', amount: 'N/A' },
  { name: 'C', amount: '9.000000000000000000000000000002' },
]
const namesOf = (sorted: typeof rows) => sorted.map(({ name }) => name).join('')
const byName = { value: ({ name }: (typeof rows)[number]) => name }
const byAmount = { value: ({ amount }: (typeof rows)[number]) => amount, sort: 'decimal' } as const

test('rows are ordered by text whatever its case, equal ones as they were given, also downwards', () => {
  expect(namesOf(sortRows(rows, byName, false))).toBe('AabC')
  expect(namesOf(sortRows(rows, byName, true))).toBe('CbAa')
  expect(namesOf(rows)).toBe('bAaC')
})

test('rows are ordered by decimals to their last digit, what is none before all', () => {
  expect(namesOf(sortRows(rows, byAmount, false))).toBe('aACb')
  expect(namesOf(sortRows(rows, byAmount, true))).toBe('bCAa')
})
