import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, expect, test } from 'vitest'
import { startTracing, traced } from './tracing.ts'

type Span = {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: { key: string; value: { stringValue?: string; intValue?: string } }[]
  status?: { code: number }
}

const servers: Server[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})

/** A receiver that answers `status`. */
async function receiver(status = 200) {
  const paths: (string | undefined)[] = []
  const spans: Span[] = []
  const server = createServer(async (request, response) => {
    paths.push(request.url)
    const { resourceSpans } = JSON.parse(await text(request))
    for (const { scopeSpans } of resourceSpans) for (const scope of scopeSpans) spans.push(...scope.spans)
    response.writeHead(status).end('{}')
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, paths, spans }
}

const warnings: object[] = []
afterEach(() => warnings.splice(0))
const log = { warn: (fields: object, message: string) => void warnings.push({ ...fields, message }) }
const start = (url: string) => startTracing({ url, attributes: { 'coffer.role': 'api' }, log })
const request = { name: 'GET /v1/credits', kind: 'server', attributes: {} } as const
const node = { name: 'rpc eth_call', kind: 'client', attributes: { 'coffer.chain': 'ethereum', calls: 3 } } as const

test('a call within a request is its child, with times, numbers and the end of both', async () => {
  const to = await receiver()
  const tracing = start(to.url)
  const result = await traced(
    request,
    async () => traced(node, async () => 7),
    () => ({ 'http.response.status_code': 200 }),
  )
  await tracing.stop()
  expect([result, to.paths]).toEqual([7, ['/v1/traces']])
  const [call, whole] = to.spans
  expect(call).toMatchObject({ name: 'rpc eth_call', kind: 3, traceId: whole?.traceId, parentSpanId: whole?.spanId })
  expect(call?.attributes).toEqual([
    { key: 'coffer.chain', value: { stringValue: 'ethereum' } },
    { key: 'calls', value: { intValue: '3' } },
  ])
  expect(whole).toMatchObject({ name: 'GET /v1/credits', kind: 2 })
  expect(whole?.attributes).toEqual([{ key: 'http.response.status_code', value: { intValue: '200' } }])
  expect(whole).not.toHaveProperty('parentSpanId')
  expect([whole?.traceId, whole?.spanId]).toEqual([
    expect.stringMatching(/^[0-9a-f]{32}$/),
    expect.stringMatching(/^[0-9a-f]{16}$/),
  ])
  const times = [whole, call].map((span) => [BigInt(span?.startTimeUnixNano ?? 0), BigInt(span?.endTimeUnixNano ?? 0)])
  const [[from = 0n, until = 0n] = [], [callFrom = 0n, callUntil = 0n] = []] = times
  expect(from <= callFrom && callFrom <= callUntil && callUntil <= until).toBe(true)
})

test('a failure is marked by its kind, without its message, and reaches the caller', async () => {
  const to = await receiver()
  const tracing = start(to.url)
  const failing = traced(node, async () => {
    throw Object.assign(new Error('secret-key'), { reason: 'timeout' })
  })
  await expect(failing).rejects.toThrow('secret-key')
  await tracing.stop()
  expect(to.spans).toMatchObject([{ status: { code: 2 } }])
  expect(to.spans[0]?.attributes.at(-1)).toEqual({ key: 'error.type', value: { stringValue: 'timeout' } })
  expect(JSON.stringify(to.spans)).not.toContain('secret-key')
})

test.each([
  ['00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', '4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'],
  ['00-00000000000000000000000000000000-00f067aa0ba902b7-01', expect.not.stringMatching(/^0+$/), undefined],
  ['garbled', expect.stringMatching(/^[0-9a-f]{32}$/), undefined],
])('the caller outside that traceparent %s names is the parent', async (traceparent, traceId, parentSpanId) => {
  const to = await receiver()
  const tracing = start(to.url)
  await traced({ ...request, traceparent }, async () => undefined)
  await tracing.stop()
  expect(to.spans[0]).toMatchObject({ traceId })
  expect(to.spans[0]?.parentSpanId).toBe(parentSpanId)
})

test('a receiver that refuses or is away costs spans, never work; their number is bounded', async () => {
  const refusing = start((await receiver(429)).url)
  expect(await traced(request, async () => 1)).toBe(1)
  await refusing.stop()
  const away = start('http://127.0.0.1:9')
  for (let i = 0; i < 2_005; i += 1) await traced(request, async () => 1)
  await away.stop()
  expect(await traced(request, async () => 2)).toBe(2)
  expect(warnings).toMatchObject([
    { spans: 1, status: 429 },
    { spans: 2_000, leftOut: 5, message: 'spans could not be sent and are lost: check COFFER_OTEL_URL' },
  ])
})
