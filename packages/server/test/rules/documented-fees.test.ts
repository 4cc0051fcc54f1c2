import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { chainRows, type FeeKind } from '../../src/chains/evm/chain-rows.ts'

const page = readFileSync(new URL('../../../../docs/accounting.md', import.meta.url), 'utf8')
const section = page.split(/^## /m).find((part) => part.startsWith('Fees by chain\n')) ?? ''
const kinds: readonly FeeKind[] = ['blobs', 'data', 'operator', 'token']

test('the page of accounting says which fees each chain has', () => {
  const [header, , ...lines] = section.split('\n').filter((line) => line.startsWith('|'))
  expect(header).toBe(`| chain | ${kinds.join(' | ')} |`)
  const expected = chainRows.flatMap(({ key, fees }) =>
    fees ? [`| ${key} | ${kinds.map((kind) => (fees.includes(kind) ? 'yes' : '')).join(' | ')} |`] : [],
  )
  expect(lines).toEqual([...expected, '| all others |  |  |  |  |'])
})
