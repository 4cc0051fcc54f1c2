import { expect, test } from 'vitest'
import { createMetrics } from './metrics.ts'

test('durations are told as a cumulative histogram, by endpoint and status', async () => {
  const metrics = createMetrics()
  const route = metrics.route('getNav')
  // In seconds: on a bound, between two, beyond the last.
  for (const ms of [5, 5.1, 60_000]) route.observe(200, ms)
  route.observe(429, 1)
  const text = await metrics.registry.metrics()
  const line = (series: string, labels: string) =>
    Number(new RegExp(`^coffer_http_${series}{${labels.replace('+', '\\+')}} (.*)$`, 'm').exec(text)?.[1])
  const ok = 'endpoint="getNav",status="200"'
  expect(line('request_seconds_count', ok)).toBe(3)
  expect(line('request_seconds_sum', ok)).toBeCloseTo(60.0101, 9)
  expect(line('request_seconds_bucket', `${ok},le="0.002"`)).toBe(0)
  expect(line('request_seconds_bucket', `${ok},le="0.005"`)).toBe(1)
  expect(line('request_seconds_bucket', `${ok},le="0.01"`)).toBe(2)
  expect(line('request_seconds_bucket', `${ok},le="45"`)).toBe(2)
  expect(line('request_seconds_bucket', `${ok},le="+Inf"`)).toBe(3)
  expect(line('refusals_total', 'endpoint="getNav",status="429"')).toBe(1)
})

test('a gauge is read when it is scraped', async () => {
  let held = 1
  const metrics = createMetrics({ gauges: [{ name: 'coffer_holds', help: 'Open holds', read: async () => held }] })
  expect(await metrics.registry.metrics()).toContain('coffer_holds 1')
  held = 2
  expect(await metrics.registry.metrics()).toContain('coffer_holds 2')
})

test('requests to nodes are counted by how they ended', async () => {
  const metrics = createMetrics()
  for (const outcome of ['ok', 'timeout', 'ok']) metrics.observeNode({ chain: 'base', endpoint: 'base#1', outcome })
  const text = await metrics.registry.metrics()
  expect(text).toContain('coffer_rpc_requests_total{chain="base",endpoint="base#1",outcome="ok"} 2')
  expect(text).toContain('coffer_rpc_requests_total{chain="base",endpoint="base#1",outcome="timeout"} 1')
})
