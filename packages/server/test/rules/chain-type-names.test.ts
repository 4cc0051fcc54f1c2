import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { chainTypes } from '../../src/chains/chain-types.ts'

// The import rules keep files from importing a chain type. This test keeps them from naming one.

const root = join(import.meta.dirname, '../../../..')

/** Allowed files, and the meaning of the word there. */
const ALLOWED: Readonly<Record<string, string>> = {
  'packages/contract/src/address-families.ts': 'how addresses of each kind are written',
  'packages/server/src/http/docs/docs-routes.ts': 'the name of a guide',
  'packages/server/src/prices/sources/price-api.ts': 'ids of coins at CoinGecko',
}

/**
 * Lines with a chain type's name as a literal, or with SQL that distinguishes chain types by the spelling of addresses.
 */
function linesNaming(names: readonly string[], text: string): string[] {
  const literal = new RegExp(`(['"\`])(${names.join('|')})\\1|like '0x%'`)
  return text.split('\n').filter((line) => literal.test(line))
}

const names = chainTypes.list.map(({ name }) => name)

describe('chain types', () => {
  it('are named by nothing outside of chains/', () => {
    const files = globSync('packages/{server,contract}/src/**/*.ts', { cwd: root }).filter(
      (file) => !/^packages\/server\/src\/chains\/|[.]test[.]ts$/.test(file),
    )
    expect(files.length).toBeGreaterThan(300)
    const naming = files.flatMap((file) => {
      const lines = linesNaming(names, readFileSync(join(root, file), 'utf8'))
      return lines.map((line) => ({ file, line: line.trim() }))
    })
    expect(naming.filter(({ file }) => ALLOWED[file] === undefined)).toEqual([])
    expect([...new Set(naming.map(({ file }) => file))].sort()).toEqual(Object.keys(ALLOWED).sort())
  })

  it.each([
    "  if (chain.family === 'evm') return true",
    '  if (family !== "solana") throw new Error()',
    "  families: readonly Chain['family'][] = ['evm'],",
    '  const CHAIN = `solana`',
    "  where address not like '0x%'",
  ])('are found where they are: %s', (line) => {
    expect(linesNaming(names, `const before = 1\n${line}\n`)).toEqual([line])
  })

  it.each([
    "  link: 'https://solana.example/evm'",
    "  chain.family === kind.name ? 'solana_like' : 'an EVM chain'",
    '  /** On Solana, and on the evm. */',
  ])('are not seen where they are not: %s', (line) => {
    expect(linesNaming(names, line)).toEqual([])
  })
})
