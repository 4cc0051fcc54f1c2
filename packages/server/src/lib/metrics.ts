import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

/** Upper bounds in seconds: a cached answer to the longest wait for a sync. */
const DURATION_BUCKETS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 45]

/** Counts one route's responses. */
export type RouteMetrics = { observe(status: number, durationMs: number): void }

/** A figure read when the metrics are scraped. */
export type GaugeSource = { name: string; help: string; read(): number | Promise<number> }

export type Metrics = ReturnType<typeof createMetrics>

/** Prometheus metrics of one process: requests by route and status, what is in flight, refusals, and the gauges it is given. */
export function createMetrics({ gauges = [] }: { gauges?: readonly GaugeSource[] } = {}) {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const requests = new Histogram({
    name: 'coffer_http_request_seconds',
    help: 'Requests by endpoint and status',
    labelNames: ['endpoint', 'status'],
    buckets: DURATION_BUCKETS,
    registers: [registry],
  })
  const refusals = new Counter({
    name: 'coffer_http_refusals_total',
    help: 'Requests refused by the rate limit (429) or shed (503)',
    labelNames: ['endpoint', 'status'],
    registers: [registry],
  })
  for (const gauge of gauges) addGauge(gauge)

  function addGauge({ name, help, read }: GaugeSource): void {
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        this.set(await read())
      },
    })
  }

  function route(name: string): RouteMetrics {
    const series = new Map<number, Histogram.Internal<'endpoint' | 'status'>>()
    return {
      observe(status, durationMs) {
        let line = series.get(status)
        if (!line) {
          line = requests.labels(name, String(status))
          series.set(status, line)
        }
        line.observe(durationMs / 1000)
        if (status === 429 || status === 503) refusals.inc({ endpoint: name, status })
      },
    }
  }

  return { registry, route, addGauge }
}
