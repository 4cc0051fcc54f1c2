import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { protocolAdapters } from '../../src/chains/evm/protocols/protocols.ts'

const url = new URL('../../../../docs/traps.md', import.meta.url)
const [, , ...lines] = readFileSync(url, 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('|'))

/** Protocol, trap, and its tests by name and file, or the reason for their absence. */
const traps = lines.map((line) => {
  const [, family = '', trap = '', cell = ''] = line.split('|').map((part) => part.trim())
  const tests = [...cell.matchAll(/\[([^\]]+)\]\((\S+?)\)/g)].map(([, name = '', path = '']) => ({ name, path }))
  return { family: family.replaceAll('`', ''), trap, cell, tests }
})

test('every test that the page of traps names is there', () => {
  const missing = traps.flatMap(({ tests }) =>
    tests.filter(({ name, path }) => !readFileSync(new URL(path, url), 'utf8').includes(name)),
  )
  expect(missing).toEqual([])
  expect(traps.filter(({ trap, cell }) => trap === '' || cell === '')).toEqual([])
})

test('the page of traps has every adapter of the EVM, and no other', () => {
  expect(new Set(traps.map(({ family }) => family))).toEqual(new Set(['every family', ...protocolAdapters.keys()]))
})
