import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { protocolAdapters, protocolRows } from '../../src/chains/evm/protocols/protocols.ts'
import { solanaAdapters } from '../../src/chains/solana/protocols/protocols.ts'

const page = readFileSync(new URL('../../../../docs/protocols.md', import.meta.url), 'utf8')
const [, ofEvm = '', ofSolana = ''] = page.split(/^## /m)

/** Names in the first column of a section's table, and its third column. */
const documented = (section: string) =>
  section.split('\n').flatMap((line) => {
    const [, names = '', , chains = ''] = line.split('|')
    return [...names.matchAll(/`(\w+)`/g)].map(([, name = '']) => ({ name, chains: chains.trim() }))
  })

test('the page of protocols names every adapter of the EVM with the number of its chains', () => {
  const chainsOf = (family: string) =>
    new Set(protocolRows.filter((row) => row.family === family).map(({ chain }) => chain))
  const expected = [...protocolAdapters.keys()].map((name) => ({ name, chains: `${chainsOf(name).size}` }))
  expect(new Set(documented(ofEvm))).toEqual(new Set(expected))
})

test('the page of protocols names every adapter of Solana', () => {
  const names = documented(ofSolana).map(({ name }) => name)
  expect(names.toSorted()).toEqual(solanaAdapters.map(({ key }) => key).toSorted())
})
