import { defineEndpoints, integerQuery } from '@coffer/contract'
import type { FastifyRequest } from 'fastify'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { createInputReader } from './input.ts'

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
