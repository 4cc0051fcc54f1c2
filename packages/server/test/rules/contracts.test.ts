import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { compileContracts, stampContracts, stampFile } from '../../scripts/compile-contracts.ts'
import { deepTest } from '../sized.ts'

test('the bytes that ship and their sources are those of one run of `npm run contracts`', () => {
  expect(stampContracts()).toBe(readFileSync(stampFile, 'utf8'))
})

deepTest('the bytes that ship are what the sources compile to', () => {
  const compiled = compileContracts()
  expect(compiled.size).toBeGreaterThan(0)
  const hexOf = (text: string) => text.match(/0x[0-9a-f]+/g)
  for (const [path, text] of compiled) expect(hexOf(readFileSync(path, 'utf8')), path).toEqual(hexOf(text))
})
