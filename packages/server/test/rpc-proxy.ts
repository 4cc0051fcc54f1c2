import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { type LocalServer, serveLocally } from './local-server.ts'

export type RpcCall = { id: number; method: string; params: unknown[] }

export type Fault = {
  /** Sent unchanged. */
  raw?: { status: number; body: string; headers?: Record<string, string> }
  /** HTTP status 200 by default. */
  error?: { code: number; message: string }
  status?: number
  /** `stall` never answers, `reset` cuts the connection at once, `cut` in the middle of the body. */
  socket?: 'stall' | 'reset' | 'cut'
  params?: (params: unknown[], call: RpcCall) => unknown[]
  answer?: (envelope: Record<string, unknown>, call: RpcCall) => unknown
  /** E.g. advances the chain. */
  before?: (call: RpcCall) => Promise<void>
}

export type Rule = {
  /** All calls when absent. */
  when?: (call: RpcCall) => boolean
  /** Unlimited by default. */
  times?: number
  fault: Fault
}

/** Sends this, whatever the request. */
export const raw = (status: number, body: string, headers: Record<string, string> = {}): Fault => ({
  raw: { status, body, headers },
})
export const refusal = (code: number, message: string, status = 200): Fault => ({ error: { code, message }, status })
export const result = (value: unknown): Fault => ({ answer: (envelope) => ({ ...envelope, result: value }) })

/** Counts requests and sequential trips, and injects faults. */
export type RpcProxy = LocalServer & {
  /** Since the last `reset`, by arrival; batches as single calls. */
  calls(): readonly RpcCall[]
  /** Since the last `reset`. */
  requests(): number
  pending(): number
  isBatch(call: RpcCall): boolean
  /** Longest chain of requests, each begun after the previous one ended. */
  trips(): number
  /** Without the batch. */
  bytesOf(call: RpcCall): number
  /** In bytes. */
  largestAnswer(): number
  /** Body bytes of counted requests, and of their answers as sent. */
  bytes(): { up: number; down: number }
  reset(): void
  /** Settles once earlier requests were answered or cut. */
  answered(): Promise<void>
  add(...rules: Rule[]): void
}

/** `counts`: selects requests by their last call, which a head or header may precede in a batch; all by default. */
export async function startRpcProxy(
  target: string,
  { counts = () => true }: { counts?: (call: RpcCall) => boolean } = {},
): Promise<RpcProxy> {
  let calls: RpcCall[] = []
  const batched = new WeakSet<RpcCall>()
  const answered = new WeakMap<RpcCall, number>()
  let rules: (Rule & { left: number })[] = []
  let requests = 0
  let ended = 0
  let deepest = 0
  let largest = 0
  let bytes = { up: 0, down: 0 }
  const underWay = new Set<Promise<unknown>>()

  const server = await serveLocally((request, response) => {
    const closed = new Promise<void>((resolve) => response.once('close', resolve))
    underWay.add(closed)
    void closed.then(() => underWay.delete(closed))
    serve(request, response).catch(() => response.destroy())
  })

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const depth = ended + 1
    const sent = await text(request)
    const body = JSON.parse(sent) as RpcCall | RpcCall[]
    const received = Array.isArray(body) ? body : [body]
    calls.push(...received)
    if (Array.isArray(body)) for (const call of received) batched.add(call)
    const last = received.at(-1)
    const fault = pick(received)
    const isCounted = !last || counts(last)
    if (isCounted) {
      requests += 1
      deepest = Math.max(deepest, depth)
      bytes.up += Buffer.byteLength(sent)
    }
    // The client may send more after its answer: one trip further.
    const finish = (text: string) => {
      if (!isCounted) return
      ended = Math.max(ended, depth)
      bytes.down += Buffer.byteLength(text)
    }
    await reply(body, fault, response, finish)
  }

  /** Fault of the first matching rule, for the calls that match. */
  function pick(received: readonly RpcCall[]): Fault & Pick<Rule, 'when'> {
    const rule = rules.find(({ when, left }) => left > 0 && received.some((call) => when?.(call) ?? true))
    if (!rule) return {}
    rule.left -= 1
    return { ...rule.fault, ...(rule.when && { when: rule.when }) }
  }

  async function reply(
    body: RpcCall | RpcCall[],
    fault: ReturnType<typeof pick>,
    response: ServerResponse,
    finish: (text: string) => void,
  ): Promise<void> {
    if (fault.socket === 'stall') return
    if (fault.socket === 'reset') {
      response.socket?.resetAndDestroy()
      return
    }
    const text = fault.raw ? fault.raw.body : await answerOf(body, fault)
    largest = Math.max(largest, text.length)
    finish(text)
    if (fault.socket === 'cut') {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': text.length })
      response.write(text.slice(0, Math.floor(text.length / 2)), () => response.socket?.resetAndDestroy())
      return
    }
    response.writeHead(fault.raw?.status ?? fault.status ?? 200, {
      'content-type': 'application/json',
      ...fault.raw?.headers,
    })
    response.end(text)
  }

  async function answerOf(body: RpcCall | RpcCall[], { when, ...fault }: ReturnType<typeof pick>): Promise<string> {
    if (!Array.isArray(body)) return envelopeOf(body, fault)
    const isMet = (call: RpcCall) => when?.(call) ?? true
    return `[${(await Promise.all(body.map((call) => envelopeOf(call, isMet(call) ? fault : {})))).join(',')}]`
  }

  /** Unchanged without a fault: 64-bit integers would not survive a parse. */
  async function envelopeOf(call: RpcCall, fault: Fault): Promise<string> {
    await fault.before?.(call)
    if (fault.error) return JSON.stringify({ jsonrpc: '2.0', id: call.id, error: fault.error })
    const params = fault.params?.(call.params, call) ?? call.params
    const upstream = await fetch(target, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...call, params }),
    })
    const text = await upstream.text()
    answered.set(call, text.length)
    return fault.answer ? JSON.stringify(fault.answer(JSON.parse(text) as Record<string, unknown>, call)) : text
  }

  return {
    ...server,
    calls: () => calls,
    requests: () => requests,
    pending: () => underWay.size,
    trips: () => deepest,
    isBatch: (call) => batched.has(call),
    bytesOf: (call) => answered.get(call) ?? 0,
    largestAnswer: () => largest,
    bytes: () => bytes,
    reset() {
      calls = []
      rules = []
      requests = 0
      ended = 0
      deepest = 0
      largest = 0
      bytes = { up: 0, down: 0 }
    },
    async answered() {
      await Promise.all(underWay)
      // The client, in this process, sees a cut with its sockets' next events.
      await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
    },
    add(...added) {
      rules.push(...added.map((rule) => ({ ...rule, left: rule.times ?? Number.POSITIVE_INFINITY })))
    },
  }
}
