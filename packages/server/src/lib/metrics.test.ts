import { expect, test } from 'vitest'
import { createMetrics } from './metrics.ts'

test('durations are a cumulative histogram, by endpoint and status', async () => {
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

test('the exposition is one that Prometheus reads: each series belongs to one metric, and histograms add up', async () => {
  const metrics = createMetrics({ gauges: [{ name: 'coffer_holds', help: 'Open holds', read: () => 1 }] })
  for (const status of [200, 401, 503]) metrics.route('getNav').observe(status, 20)
  metrics.observeNode({ chain: 'base', endpoint: 'base#1', outcome: 'ok' })
  const text = await metrics.registry.metrics()
  const types = new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => [name, type]))
  expect(types.get('coffer_http_request_seconds')).toBe('histogram')
  expect([...types.keys()].filter((name) => /_(bucket|sum|count)$/.test(name))).toEqual([])
  expect([...types].filter(([name, type]) => type === 'gauge' && name.endsWith('_total'))).toEqual([])
  const series = [...text.matchAll(/^(\w+)(\{.*\})? (\S+)$/gm)].map(([, name = '', labels = '', value = '']) => {
    const base = name.replace(/_(bucket|sum|count)$/, '')
    const type = types.get(name) ?? types.get(base)
    return { name, labels, value: Number(value), type }
  })
  expect(series.filter(({ type }) => type === undefined)).toEqual([])
  expect(new Set(series.map(({ name, labels }) => name + labels)).size).toBe(series.length)
  const valueAt = (name: string, labels: string) =>
    series.find((one) => one.name === name && one.labels === labels)?.value
  for (const { name, labels, value } of series.filter(
    (one) => one.name.endsWith('_count') && one.type === 'histogram',
  )) {
    const infinite = labels === '' ? '{le="+Inf"}' : labels.replace('}', ',le="+Inf"}')
    expect([labels, valueAt(name.replace('_count', '_bucket'), infinite)]).toEqual([labels, value])
  }
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
