import { PassThrough } from 'node:stream'
import { endpoints } from '@coffer/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createMemoryGates } from '../../test/memory-gates.ts'
import { createLogger } from '../lib/logger.ts'
import { createMetrics } from '../lib/metrics.ts'
import { createApp, type Service } from './app.ts'

let service: Service
beforeAll(async () => {
  service = await createApp({
    endpoints: { getCredits: endpoints.getCredits },
    handlers: { getCredits: () => 1 },
    gates: createMemoryGates().gates,
    logger: createLogger({ level: 'silent', stream: new PassThrough() }),
    metrics: createMetrics(),
    publicRoutes: [
      {
        path: '/icons/:name',
        read: ({ name }) => (name === 'a.svg' ? { contentType: 'image/svg+xml', body: '<svg/>' } : undefined),
      },
    ],
  })
})
afterAll(() => service.app.close())

test('/openapi.json needs no key', async () => {
  const response = await service.app.inject('/openapi.json')
  expect([response.statusCode, response.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8'])
  expect(Object.keys(response.json().paths)).toEqual(['/v1/credits'])
  expect(response.headers).toMatchObject({ 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '60' })
})

test('/docs needs no key and loads nothing from elsewhere', async () => {
  const redirect = await service.app.inject('/docs')
  expect([redirect.statusCode, redirect.headers.location]).toEqual([301, '/docs/'])
  const page = await service.app.inject('/docs/')
  expect([page.statusCode, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
  expect(page.body).toContain('/openapi.json')
  expect(page.body).not.toMatch(/https?:\/\//)
  expect(page.body).toMatch(/"proxyUrl":\s*""/)
  expect(page.headers).toMatchObject({ 'x-ratelimit-limit': '60', 'access-control-allow-origin': '*' })
  const script = await service.app.inject('/docs/js/scalar.js')
  expect([script.statusCode, script.body.length > 1_000_000]).toEqual([200, true])
})

test('a public file is served without a key, one that is not there is 404', async () => {
  const icon = await service.app.inject('/icons/a.svg')
  expect([icon.statusCode, icon.headers['content-type'], icon.body]).toEqual([200, 'image/svg+xml', '<svg/>'])
  const missing = await service.app.inject('/icons/b.svg')
  expect([missing.statusCode, missing.json()]).toEqual([404, { error: 'Not Found', message: 'No such file' }])
})
