// A process of its own that sends requests: answers each `LoadOrder` that its parent sends with a `LoadResult`.
import autocannon from 'autocannon'

/** What to send where: every connection takes the keys in turns, each beginning at another. */
export type LoadOrder = {
  url: string
  requests: readonly { path: string; key: string }[]
  connections: number
  seconds: number
}

/** Latencies in ms, `cpuMs` of the generator. `bad`: answers that are not 2xx, and requests without an answer. */
export type LoadResult = { answers: number; bad: number; rps: number; p50: number; p99: number; cpuMs: number }

process.on('message', (order: LoadOrder) => {
  void run(order).then((result) => process.send?.(result))
})

async function run({ url, requests, connections, seconds }: LoadOrder): Promise<LoadResult> {
  const all = requests.map(({ path, key }) => ({
    method: 'GET' as const,
    path,
    headers: { authorization: `Bearer ${key}` },
  }))
  let clients = 0
  const before = process.cpuUsage()
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    setupClient(client) {
      const first = clients % all.length
      clients += 1
      client.setRequests([...all.slice(first), ...all.slice(0, first)])
    },
  })
  const { user, system } = process.cpuUsage(before)
  const answers = result['2xx']
  return {
    answers,
    bad: result.non2xx + result.errors,
    rps: answers / result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
    cpuMs: (user + system) / 1000,
  }
}
