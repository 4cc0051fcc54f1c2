import type { AnyEndpoint } from '@coffer/contract'
import { z } from 'zod'

export type NamedQuery = { query: unknown; ignored: readonly string[] }

const NAMES_MAX = 20
const NAME_CHARS_MAX = 60

/** Case, `_` and `-` do not count. */
const squash = (name: string) => name.toLowerCase().replace(/[_-]/g, '')

/** Two spellings of one name count as a repeated parameter. */
export function createQueryNames({ query: schema }: Pick<AnyEndpoint, 'query'>): (query: unknown) => NamedQuery {
  const known = schema instanceof z.ZodObject ? Object.keys(schema.shape) : []
  const nameOf = new Map(known.map((name) => [squash(name), name]))
  return (query) => {
    const given = Object.entries(query as Record<string, unknown>)
    if (given.every(([name]) => known.includes(name))) return { query, ignored: [] }
    const named = given.map(
      ([name, value]) => [known.includes(name) ? name : nameOf.get(squash(name)), name, value] as const,
    )
    const ofName = Map.groupBy(named, ([name]) => name)
    const read = [...ofName].flatMap(([name, same]) => {
      const values = same.flatMap(([, , value]) => value)
      return name === undefined ? [] : [[name, values.length === 1 ? values[0] : values]]
    })
    return { query: Object.fromEntries(read), ignored: (ofName.get(undefined) ?? []).map(([, spelled]) => spelled) }
  }
}

export function ignoredHeader(ignored: readonly string[]): Readonly<Record<string, string>> | undefined {
  if (ignored.length === 0) return undefined
  const names = ignored
    .slice(0, NAMES_MAX)
    .map((name) => encodeURIComponent(name.slice(0, NAME_CHARS_MAX).toWellFormed()))
  return { 'x-ignored-parameters': names.join(', ') }
}
