// Separate process that answers each `LoadOrder` with a `LoadResult`. It uses sockets with prepared requests and only
// measures answers. A general HTTP client takes as much of two shared cores as the bare route and would distort the
// result.
import { connect } from 'node:net'

/** Each connection repeats one request: no caller exceeds its share. */
export type LoadOrder = {
  url: string
  requests: readonly { path: string; key: string }[]
  connections: number
  seconds: number
  /** Between the requests of a connection; a late one counts from its due time. By default as fast as answers arrive. */
  everyMs?: number
  /** Counts 429 and 503 as answers. */
  allowsRefusals?: boolean
}

/** In ms. `cpuMs`: the generator's. `bad`: not 200, unknown length, or broken connection. */
export type LoadResult = { answers: number; bad: number; rps: number; p50: number; p99: number; cpuMs: number }

type Tally = { latencies: number[]; bad: number; stopping: boolean; isGood: RegExp }

const HEAD_END = Buffer.from('\r\n\r\n')
const GOOD = /^HTTP\/1\.1 200 /
const GOOD_OR_REFUSED = /^HTTP\/1\.1 (200|429|503) /

process.on('message', (order: LoadOrder) => {
  void run(order).then((result) => process.send?.(result))
})

async function run({ url, requests, connections, seconds, everyMs, allowsRefusals }: LoadOrder): Promise<LoadResult> {
  const { hostname, port, host } = new URL(url)
  const written = requests.map(({ path, key }) =>
    Buffer.from(`GET ${path} HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${key}\r\n\r\n`),
  )
  const isGood = allowsRefusals ? GOOD_OR_REFUSED : GOOD
  const tally: Tally = { latencies: [], bad: 0, stopping: false, isGood }
  const cpuBefore = process.cpuUsage()
  const startedAt = performance.now()
  setTimeout(() => {
    tally.stopping = true
  }, seconds * 1000)
  const ended = Array.from({ length: connections }, (_, i) =>
    keepAsking({
      address: { host: hostname, port: Number(port) },
      request: written[i % written.length] as Buffer,
      tally,
      pace: everyMs === undefined ? undefined : { everyMs, firstMs: (everyMs * i) / connections },
    }),
  )
  await Promise.all(ended)
  const took = (performance.now() - startedAt) / 1000
  const { user, system } = process.cpuUsage(cpuBefore)
  const sorted = Float64Array.from(tally.latencies).sort()
  const share = (part: number) => Number((sorted[Math.floor(sorted.length * part)] ?? Number.NaN).toFixed(1))
  return {
    answers: sorted.length,
    bad: tally.bad,
    rps: sorted.length / took,
    p50: share(0.5),
    p99: share(0.99),
    cpuMs: (user + system) / 1000,
  }
}

/** Resolves when stopped or broken. */
function keepAsking(options: {
  address: { host: string; port: number }
  request: Buffer
  tally: Tally
  pace: { everyMs: number; firstMs: number } | undefined
}): Promise<void> {
  const { address, request, tally, pace } = options
  return new Promise((resolve) => {
    const socket = connect({ ...address, noDelay: true })
    let askedAt = 0
    /** Bytes to come. 0: before the head. */
    let missing = 0
    let dueAt = 0

    const ask = () => {
      askedAt = performance.now()
      socket.write(request)
    }
    const askNext = () => {
      if (!pace) return ask()
      const now = performance.now()
      dueAt = dueAt === 0 ? now + pace.firstMs : dueAt + pace.everyMs
      if (dueAt > now) return void setTimeout(ask, dueAt - now)
      ask()
      askedAt = dueAt
    }
    const end = (bad: number) => {
      tally.bad += bad
      socket.destroy()
      resolve()
    }
    socket
      .on('connect', askNext)
      .on('error', () => end(1))
      .on('end', () => end(1))
      .on('data', (chunk: Buffer) => {
        missing = (missing || lengthOf(chunk, tally.isGood)) - chunk.length
        if (missing > 0) return
        if (missing !== 0) return end(1)
        tally.latencies.push(performance.now() - askedAt)
        if (tally.stopping) end(0)
        else askNext()
      })
  })
}

/** NaN unless the first chunk has the head of a good answer. */
function lengthOf(chunk: Buffer, isGood: RegExp): number {
  const headEnd = chunk.indexOf(HEAD_END)
  const head = chunk.toString('latin1', 0, Math.max(headEnd, 0))
  if (!isGood.test(head)) return Number.NaN
  const [, bytes] = /\r\ncontent-length: (\d+)/i.exec(head) ?? []
  return bytes === undefined ? Number.NaN : headEnd + HEAD_END.length + Number(bytes)
}
