import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total']
const DURATIONS = 'coffer_http_request_seconds'
const DURATIONS_HELP = 'Duration of requests by endpoint and status'
/** In seconds, up to the longest wait for a sync. */
const DURATION_BUCKETS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 45]

export type RouteMetrics = { observe(status: number, durationMs: number): void }

export type GaugeSource = { name: string; help: string; read(): number | Promise<number> }

export type GaugesSource = {
  name: string
  help: string
  labelNames: readonly string[]
  read(): readonly { labels: Readonly<Record<string, string>>; value: number }[]
}

export type AnyGauge = GaugeSource | GaugesSource

export type Metrics = ReturnType<typeof createMetrics>

export function createMetrics({ gauges = [] }: { gauges?: readonly AnyGauge[] } = {}) {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  for (const name of MISNAMED) registry.removeSingleMetric(name)
  const lines: ResponseLine[] = []
  new Durations(registry, lines)
  const refusals = new Counter({
    name: 'coffer_http_refusals_total',
    help: 'Requests refused by the rate limit (429) or shed (503)',
    labelNames: ['endpoint', 'status'],
    registers: [registry],
  })
  const nodeRequests = new Counter({
    name: 'coffer_rpc_requests_total',
    help: 'Requests to nodes by chain, endpoint (its place in the configuration) and outcome',
    labelNames: ['chain', 'endpoint', 'outcome'],
    registers: [registry],
  })
  for (const gauge of gauges) addGauge(gauge)

  function addGauge({ name, help, ...gauge }: AnyGauge): void {
    new Gauge({
      name,
      help,
      labelNames: 'labelNames' in gauge ? [...gauge.labelNames] : [],
      registers: [registry],
      async collect() {
        if (!('labelNames' in gauge)) return this.set(await gauge.read())
        this.reset()
        for (const { labels, value } of gauge.read()) this.set(labels, value)
      },
    })
  }

  function route(name: string): RouteMetrics {
    const byStatus = new Map<number, ResponseLine>()
    return {
      observe(status, durationMs) {
        let line = byStatus.get(status)
        if (!line) {
          const labels = { endpoint: name, status: String(status) }
          line = { labels, buckets: DURATION_BUCKETS.map(() => 0), count: 0, seconds: 0 }
          byStatus.set(status, line)
          lines.push(line)
        }
        record(line, durationMs / 1000)
        if (status === 429 || status === 503) refusals.inc({ endpoint: name, status })
      },
    }
  }

  /** `endpoint`: no secrets. */
  function observeNode({ chain, endpoint, outcome }: { chain: string; endpoint: string; outcome: string }): void {
    nodeRequests.inc({ chain, endpoint, outcome })
  }

  return { registry, route, addGauge, observeNode }
}

/** `buckets[i]`: above the previous bound. */
type ResponseLine = {
  labels: { endpoint: string; status: string }
  buckets: number[]
  count: number
  seconds: number
}

function record(line: ResponseLine, seconds: number): void {
  line.count += 1
  line.seconds += seconds
  const bucket = DURATION_BUCKETS.findIndex((bound) => seconds <= bound)
  if (bucket >= 0) line.buckets[bucket] = (line.buckets[bucket] ?? 0) + 1
}

/** The library's `observe` costs as much as routing a request. 4xx responses have only `+Inf`. */
class Durations extends Histogram<string> {
  readonly #lines: readonly ResponseLine[]

  constructor(registry: Registry, lines: readonly ResponseLine[]) {
    const labelNames = ['endpoint', 'status']
    super({ name: DURATIONS, help: DURATIONS_HELP, labelNames, buckets: DURATION_BUCKETS, registers: [registry] })
    this.#lines = lines
  }

  async getForPromString() {
    return { name: DURATIONS, help: DURATIONS_HELP, type: 'histogram', values: this.#lines.flatMap(seriesOf) }
  }
}

function seriesOf({ labels, buckets, count, seconds }: ResponseLine) {
  const bounds = labels.status.startsWith('4') ? [] : DURATION_BUCKETS
  let atMost = 0
  const ofBounds = bounds.map((bound, index) => {
    atMost += buckets[index] ?? 0
    return { metricName: `${DURATIONS}_bucket`, labels: { ...labels, le: bound }, value: atMost }
  })
  return [
    ...ofBounds,
    { metricName: `${DURATIONS}_bucket`, labels: { ...labels, le: '+Inf' }, value: count },
    { metricName: `${DURATIONS}_sum`, labels, value: seconds },
    { metricName: `${DURATIONS}_count`, labels, value: count },
  ]
}
