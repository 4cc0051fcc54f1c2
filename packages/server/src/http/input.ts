import { type AnyEndpoint, Failure } from '@coffer/contract'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'

/** Shared by equal requests. */
export type Input = {
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
  readonly ignored: readonly string[]
}

const REMEMBERED_PER_ENDPOINT = 500
const LONGEST_REMEMBERED_CHARS = 1_000

/** Caches by URL: parsing is the most expensive part of an answer from memory. */
export function createInputReader(endpoint: AnyEndpoint): (request: FastifyRequest) => Input {
  const { params, query, body } = endpoint
  const read = (request: FastifyRequest): Input => {
    const named = readQuery(query, request.query)
    return {
      params: parse(params, request.params, 'path'),
      query: parse(query, named.query, 'query'),
      body: parse(body, request.body, 'body'),
      ignored: named.ignored,
    }
  }
  if (body) return read
  const remembered = new Map<string, Input>()
  return (request) => {
    const known = remembered.get(request.url)
    if (known) return known
    const input = read(request)
    if (request.url.length <= LONGEST_REMEMBERED_CHARS) {
      if (remembered.size >= REMEMBERED_PER_ENDPOINT) remembered.clear()
      remembered.set(request.url, freeze(input))
    }
    return input
  }
}

function parse(schema: z.ZodType | undefined, value: unknown, part: string): unknown {
  if (!schema) return undefined
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const [issue] = result.error.issues
  const where = issue && issue.path.length > 0 ? issue.path.join('.') : part
  throw new Failure('VALIDATION_ERROR', `${where}: ${issue ? wordsOf(issue) : 'invalid'}`)
}

const KINDS: Readonly<Record<string, string>> = {
  object: 'a JSON object',
  array: 'a list',
  string: 'a text',
  number: 'a number',
  boolean: 'true or false',
}

function wordsOf({ code, message, ...issue }: z.core.$ZodIssue): string {
  if (code !== 'invalid_type' || !message.startsWith('Invalid input')) return message
  return `must be ${KINDS[String('expected' in issue && issue.expected)] ?? 'of another type'}`
}

function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  for (const part of Object.values(value)) freeze(part)
  return Object.freeze(value)
}

const NAMES_MAX = 20
const NAME_CHARS_MAX = 60

const squash = (name: string) => name.toLowerCase().replace(/[_-]/g, '')

/** Two spellings of one name count as a repeated parameter. */
export function readQuery(schema: z.ZodType | undefined, query: unknown) {
  const known = schema instanceof z.ZodObject ? Object.keys(schema.shape) : []
  const given = Object.entries(query as Record<string, unknown>)
  if (given.every(([name]) => known.includes(name))) return { query, ignored: [] }
  const nameOf = new Map(known.map((name) => [squash(name), name]))
  const ofName = Map.groupBy(given, ([spelled]) => (known.includes(spelled) ? spelled : nameOf.get(squash(spelled))))
  const read = [...ofName].flatMap(([name, same]) => {
    const values = same.flatMap(([, value]) => value)
    return name === undefined ? [] : [[name, values.length === 1 ? values[0] : values]]
  })
  return { query: Object.fromEntries(read), ignored: (ofName.get(undefined) ?? []).map(([spelled]) => spelled) }
}

export function ignoredHeader(ignored: readonly string[]): Readonly<Record<string, string>> | undefined {
  if (ignored.length === 0) return undefined
  const names = ignored
    .slice(0, NAMES_MAX)
    .map((name) => encodeURIComponent(name.slice(0, NAME_CHARS_MAX).toWellFormed()))
  return { 'x-ignored-parameters': names.join(', ') }
}
