import { defineEndpoints, type Endpoint, endpoints, integerQuery } from '@coffer/contract'
import type { FastifyRequest } from 'fastify'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { createInputReader, ignoredHeader, readQuery } from './input.ts'
import { openApiDocument } from './openapi.ts'

const { read } = defineEndpoints({
  read: {
    method: 'GET',
    path: '/v1/x',
    summary: 'S',
    tag: 'T',
    status: 200,
    cost: 0,
    bucket: 'default',
    requires: 'key',
    errors: 'titled',
    query: z.object({ n: integerQuery({ min: 0, max: 10_000 }) }),
    response: z.null(),
  },
})
const request = (n: number | string) => ({ url: `/v1/x?n=${n}`, params: {}, query: { n: String(n) } }) as FastifyRequest

const reader = createInputReader(read)

test('what a URL says is remembered, cannot be changed, and is never taken for another', () => {
  const first = reader(request(1))
  expect(reader(request(1))).toBe(first)
  expect(() => Object.assign(first.query as object, { n: 2 })).toThrow(TypeError)
  for (let n = 0; n < 2_000; n++) expect(reader(request(n)).query).toEqual({ n })
  expect(reader(request(1)).query).toEqual({ n: 1 })
})

test('what was refused is refused again', () => {
  for (let n = 0; n < 3; n++) expect(() => reader(request('x'))).toThrow('n: must be a whole number')
})

const schema = z.object({ startDate: z.string(), networks: z.string(), limit: z.string() })

test.each([
  [{ startDate: 'a' }, { startDate: 'a' }, []],
  [{ start_date: 'a' }, { startDate: 'a' }, []],
  [{ 'START-DATE': 'a', Networks: 'b' }, { startDate: 'a', networks: 'b' }, []],
  [{ networks: 'a', Networks: ['b', 'c'] }, { networks: ['a', 'b', 'c'] }, []],
  [{ startDates: 'a', limit: '1' }, { limit: '1' }, ['startDates']],
  [{ constructor: 'a', __proto_: 'b' }, {}, ['constructor', '__proto_']],
  [JSON.parse('{"__proto__":"a"}'), {}, ['__proto__']],
])('%j is %j, and %j says nothing', (given, query, ignored) => {
  expect(readQuery(schema, given)).toEqual({ query, ignored })
})

test('an endpoint without a query ignores every name', () => {
  expect(readQuery(undefined, { page: '1' })).toEqual({ query: {}, ignored: ['page'] })
})

test('the names of every endpoint are those of its description', () => {
  const { paths } = openApiDocument(endpoints) as {
    paths: Record<string, Record<string, { parameters: { in: string; name: string }[] }>>
  }
  for (const endpoint of Object.values<Endpoint>(endpoints)) {
    const operation = paths[endpoint.path.replace(/:(\w+)/g, '{$1}')]?.[endpoint.method.toLowerCase()]
    const names = operation?.parameters.flatMap((each) => (each.in === 'query' ? [each.name] : [])) ?? []
    const capitals = Object.fromEntries(names.map((name) => [name.toUpperCase(), name]))
    const same = Object.fromEntries(names.map((name) => [name, name]))
    expect(readQuery(endpoint.query, capitals)).toEqual({ query: same, ignored: [] })
  }
})

test('the header names what was ignored, encoded and cut', () => {
  expect(ignoredHeader([])).toBeUndefined()
  expect(ignoredHeader(['start date', 'a\r\nb: c'])).toEqual({
    'x-ignored-parameters': 'start%20date, a%0D%0Ab%3A%20c',
  })
  const many = Array.from({ length: 1_000 }, () => 'x'.repeat(1_000))
  expect(ignoredHeader(many)?.['x-ignored-parameters']).toHaveLength(20 * 62 - 2)
  expect(ignoredHeader(['\ud800'])).toEqual({ 'x-ignored-parameters': '%EF%BF%BD' })
})
