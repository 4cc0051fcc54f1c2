import { PassThrough } from 'node:stream'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { createLogger } from '../lib/logger.ts'
import { createMetrics } from '../lib/metrics.ts'
import { createAdminApp } from './health-app.ts'
import { createLoad } from './load.ts'

const metrics = createMetrics()
const admin = createAdminApp({
  metrics,
  load: createLoad({
    limits: { inFlight: 1, workPerKey: 1, workPerAccount: 1, filesPerAccount: 1, files: 1, eventLoopDelayMs: 1 },
    eventLoopDelayMs: () => 0,
  }),
  checkReady: async () => {},
  logger: createLogger({ level: 'silent', stream: new PassThrough() }),
})

test.each([
  ['GET', '/nosuch', 404, 'Not Found'],
  ['GET', '/%zz', 400, 'Bad Request'],
  ['POST', '/metrics', 404, 'Not Found'],
  ['DELETE', '/livez', 404, 'Not Found'],
] as const)('%s %s is refused in the envelope of the API', async (method, url, status, error) => {
  const { statusCode, headers, body } = await admin.inject({ method, url })
  expect([statusCode, JSON.parse(body)]).toEqual([status, { error, message: expect.not.stringMatching(/FST_|Route/) }])
  expect(headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
})

test.each([
  ['POST', '/nosuch', { 'content-type': 'application/json' }, '{broken'],
  ['POST', '/readyz', { 'content-type': 'text/plain' }, 'x'.repeat(2_000_000)],
  ['GET', '/metrics', { 'content-length': '9' }, undefined],
  ['GET', '/livez', { 'transfer-encoding': 'chunked' }, undefined],
] as const)('%s %s with a body is 413', async (method, url, headers, payload) => {
  const answer = await admin.inject({ method, url, headers, ...(payload && { payload }) })
  expect([answer.statusCode, answer.json(), answer.headers.connection]).toEqual([
    413,
    { error: 'Payload Too Large', message: 'This listener accepts no body' },
    'close',
  ])
})

test('metrics are compressed for who takes that, and refusals of callers are counted without buckets of durations', async () => {
  metrics.route('answered').observe(200, 3)
  metrics.route('answered').observe(404, 3)
  const plain = await admin.inject('/metrics')
  const packed = await admin.inject({ url: '/metrics', headers: { 'accept-encoding': 'gzip' } })
  expect(packed.headers['content-encoding']).toBe('gzip')
  expect(String(gunzipSync(packed.rawPayload))).toContain('coffer_http_request_seconds_count')
  const lines = plain.body.split('\n').filter((line) => line.includes('endpoint="answered"'))
  expect(lines.filter((line) => line.includes('_bucket'))).toHaveLength(16)
  expect(lines).toContain('coffer_http_request_seconds_count{endpoint="answered",status="404"} 1')
  expect(lines.filter((line) => /_bucket.*status="404"/.test(line))).toEqual([
    'coffer_http_request_seconds_bucket{endpoint="answered",status="404",le="+Inf"} 1',
  ])
})
