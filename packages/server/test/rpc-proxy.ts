import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type RpcCall = { id: number; method: string; params: unknown[] }

/** What a fault does to a request: answers by itself, changes it on its way, or changes the node's answer. */
export type Fault = {
  /** Sent as it is. */
  raw?: { status: number; body: string; headers?: Record<string, string> }
  /** A JSON-RPC error, and the HTTP status that it comes with; 200 unless given. */
  error?: { code: number; message: string }
  status?: number
  /** `stall` never answers, `reset` cuts the connection at once, `cut` in the middle of the body. */
  socket?: 'stall' | 'reset' | 'cut'
  /** Changes the parameters on their way to the node. */
  params?: (params: unknown[], call: RpcCall) => unknown[]
  /** Changes the whole JSON-RPC answer on its way back. */
  answer?: (envelope: Record<string, unknown>, call: RpcCall) => unknown
  /** Runs before the request is passed on, e.g. to make the chain move. */
  before?: (call: RpcCall) => Promise<void>
}

export type Rule = {
  /** All calls when absent. */
  when?: (call: RpcCall) => boolean
  /** For so many matching requests, then the rule is used up. */
  times?: number
  fault: Fault
}

/** A loopback proxy before a node: counts requests and sequential trips, and breaks what its rules say. */
export type RpcProxy = {
  url: string
  /** Calls seen since the last `reset`, in order of arrival; the calls of a batch one by one. */
  calls(): readonly RpcCall[]
  /** HTTP requests since the last `reset`. */
  requests(): number
  /** HTTP requests that are not answered yet. */
  pending(): number
  /** Whether a call came in a batch. */
  isBatch(call: RpcCall): boolean
  /** Longest chain of requests of which each began after the one before had ended. */
  trips(): number
  /** Bytes of a call's answer, without the batch around it. */
  bytesOf(call: RpcCall): number
  /** Bytes of the largest answer. */
  largestAnswer(): number
  /** Bytes of all bodies that count: of requests, and of their answers as they leave. */
  bytes(): { up: number; down: number }
  /** Forgets counts and rules. */
  reset(): void
  /** Settles once all that was asked before has been answered or cut. */
  answered(): Promise<void>
  add(...rules: Rule[]): void
  stop(): Promise<void>
}

/** `counts`: which requests count, by their last call, before which a batch may have a head or header; all unless given. */
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

  const server = createServer((request, response) => {
    const closed = new Promise<void>((resolve) => response.once('close', resolve))
    underWay.add(closed)
    void closed.then(() => underWay.delete(closed))
    serve(request, response).catch(() => response.destroy())
  })

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const depth = ended + 1
    const sent = await bodyOf(request)
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
    // Once the client has the answer it may ask on: what ends here is one trip behind whatever starts from now on.
    const finish = (text: string) => {
      if (!isCounted) return
      ended = Math.max(ended, depth)
      bytes.down += Buffer.byteLength(text)
    }
    await reply(body, fault, response, finish)
  }

  /** The fault of the first rule that a call of the request meets, for the calls that meet it. */
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

  /** Answers call by call; a batch in, a batch out. */
  async function answerOf(body: RpcCall | RpcCall[], { when, ...fault }: ReturnType<typeof pick>): Promise<string> {
    if (!Array.isArray(body)) return envelopeOf(body, fault)
    const isMet = (call: RpcCall) => when?.(call) ?? true
    return `[${(await Promise.all(body.map((call) => envelopeOf(call, isMet(call) ? fault : {})))).join(',')}]`
  }

  /** As the node wrote it unless a fault changes it: integers of 64 bits would not survive a parse. */
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

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
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
      // What is cut reaches the client, which is in this process, with the next events of its sockets.
      await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
    },
    add(...added) {
      rules.push(...added.map((rule) => ({ ...rule, left: rule.times ?? Number.POSITIVE_INFINITY })))
    },
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts).toString('utf8')
}
