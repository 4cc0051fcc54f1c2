import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { compileMessageOrThrow } from '@lingui/message-utils/compileMessage'
import { expect, test } from 'vitest'
import { textsByCatalog } from './texts.ts'

const src = join(import.meta.dirname, '..')
const { texts, unreadable } = textsByCatalog(src)

const read = (catalog: string): Record<string, string> => {
  const file = join(src, catalog)
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
}

type Token = string | [name: string, type?: string, choices?: Record<string, Token[]>]

/** Names of the values in a compiled message, of those inside its choices too. */
const valuesIn = (tokens: readonly Token[]): string[] =>
  tokens.flatMap((token) => {
    if (typeof token === 'string') return []
    const [name, , choices = {}] = token
    return [name, ...Object.values(choices).filter(Array.isArray).flatMap(valuesIn)]
  })

const valuesOf = (message: string): string[] => [...new Set(valuesIn(compileMessageOrThrow(message) as Token[]))].sort()

test('every text is a literal, so that its German can be found', () => {
  expect(unreadable).toEqual([])
})

test.each([...texts].filter(([, wanted]) => wanted.size > 0))(
  '%s has the German of its texts and no others',
  (catalog, wanted) => {
    const german = read(catalog)
    expect(Object.keys(german).sort()).toEqual([...wanted].sort())
    for (const [english, translated] of Object.entries(german)) {
      expect(translated, english).not.toBe('')
      expect(valuesOf(translated), english).toEqual(valuesOf(english))
    }
  },
)

test('an English text has one German: catalogs are laid over each other', () => {
  const all = [...texts.keys()].flatMap((catalog) => Object.entries(read(catalog)))
  const known = new Map(all)
  expect(all.filter(([english, german]) => known.get(english) !== german)).toEqual([])
})
