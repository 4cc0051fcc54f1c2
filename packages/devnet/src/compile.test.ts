import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { compileContracts, contractNames } from './compile.ts'

test('our contracts compile to the artifacts that are committed', () => {
  const folder = join(import.meta.dirname, '..', 'contracts')
  const committed = contractNames().map((name) => [
    name,
    JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')) as unknown,
  ])
  expect(compileContracts()).toEqual(Object.fromEntries(committed))
})
