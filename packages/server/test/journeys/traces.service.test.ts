import { text } from 'node:stream/consumers'
import { startDevnet } from '@coffer/devnet'
import { expect, inject, test, vi } from 'vitest'
import { HANGS_MS } from '../hangs.ts'
import { startService } from '../harness.ts'
import { serveLocally } from '../local-server.ts'
import { started } from '../started.ts'

type Span = { traceId: string; spanId: string; parentSpanId?: string; name: string; attributes: { key: string }[] }

const spans: Span[] = []
const receiver = await started(
  serveLocally(async (request, response) => {
    const { resourceSpans } = JSON.parse(await text(request))
    spans.push(...resourceSpans[0].scopeSpans[0].spans)
    response.end('{}')
  }),
)
const devnet = await started(startDevnet({ state: inject('devnetState') }))
const service = await started(startService({ devnet, env: { COFFER_OTEL_URL: receiver.url } }))

test('a first read of a wallet is traced with its requests to nodes, below the trace of the caller; jobs have traces', async () => {
  const [traceId, parent] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7']
  const wallet = devnet.wallets.demo.address
  const { status } = await service.get(`/v1/portfolio?addresses=${wallet}&waitForSync=true`, {
    authorization: `Bearer ${service.ownerKey}`,
    traceparent: `00-${traceId}-${parent}-01`,
  })
  expect(status).toBe(200)
  const named = (name: string) => spans.filter((span) => span.name === name)
  await vi.waitFor(
    () => {
      expect(named('GET /v1/portfolio')).toHaveLength(1)
      expect(spans.some(({ name }) => name.startsWith('job '))).toBe(true)
    },
    { timeout: HANGS_MS },
  )
  const [read] = named('GET /v1/portfolio')
  expect(read).toMatchObject({ traceId, parentSpanId: parent })
  const calls = spans.filter((span) => span.name.startsWith('rpc ') && span.traceId === traceId)
  expect(calls.length).toBeGreaterThan(1)
  expect(calls.every(({ parentSpanId }) => parentSpanId === read?.spanId)).toBe(true)
  expect(JSON.stringify(spans).toLowerCase()).not.toContain(wallet.slice(2).toLowerCase())
})
