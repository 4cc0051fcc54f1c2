import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { readJson, writeJson } from './exact-json.ts'
import type { Methods } from './method.ts'
import { configOf, isObject, requireSlot } from './params.ts'
import { RpcError } from './rpc-error.ts'

export type RpcServerOptions = {
  methods: Methods
  slot: () => bigint
  /** 0: a free port. */
  port: number
  maxRequestBytes: number
}

type Reply = { status: number; body: string }

const NOT_ALLOWED = 'Used HTTP Method is not allowed. POST or OPTIONS is required\n'
const WRONG_TYPE = 'Supplied content type is not allowed. Content-Type: application/json is required\n'

const failure = (id: unknown, { code, message, data }: RpcError) => ({
  jsonrpc: '2.0',
  error: { code, message, ...(data !== undefined && { data }) },
  id,
})

const read = async (request: IncomingMessage, limit: number): Promise<string | null> => {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes <= limit) chunks.push(chunk)
  }
  return bytes > limit ? null : Buffer.concat(chunks).toString('utf8')
}

const createAnswer = ({ methods, slot }: Pick<RpcServerOptions, 'methods' | 'slot'>) => {
  const run = async (name: string, given: unknown): Promise<unknown> => {
    const method = Object.hasOwn(methods, name) ? methods[name] : undefined
    if (!method) throw new RpcError('methodNotFound', 'Method not found')
    const params = given ?? []
    if (!Array.isArray(params)) throw new RpcError('invalidParams', 'Invalid params: expected an array')
    const config = method.configAt === undefined ? {} : configOf(params, method.configAt)
    requireSlot(config, slot())
    return await method.run(params, config)
  }

  return async (call: unknown): Promise<unknown> => {
    const id = isObject(call) ? (call['id'] ?? null) : null
    try {
      if (!isObject(call) || call['jsonrpc'] !== '2.0' || typeof call['method'] !== 'string')
        throw new RpcError('invalidRequest', 'Invalid request')
      return { jsonrpc: '2.0', result: await run(call['method'], call['params']), id }
    } catch (error) {
      if (error instanceof RpcError) return failure(id, error)
      return failure(id, new RpcError('internal', 'Internal error', String(error)))
    }
  }
}

const parsed = (body: string): { calls: unknown } | null => {
  try {
    return { calls: readJson(body) }
  } catch {
    return null
  }
}

const createReply = (options: RpcServerOptions) => {
  const answer = createAnswer(options)

  const toBody = async (body: string): Promise<unknown> => {
    const request = parsed(body)
    if (!request) return failure(null, new RpcError('parse', 'Parse error'))
    const { calls } = request
    return Array.isArray(calls) ? Promise.all(calls.map(answer)) : answer(calls)
  }

  return async (request: IncomingMessage): Promise<Reply> => {
    if (request.method === 'GET' && request.url === '/health') return { status: 200, body: 'ok' }
    if (request.method !== 'POST') return { status: 405, body: NOT_ALLOWED }
    if (!request.headers['content-type']?.startsWith('application/json')) return { status: 415, body: WRONG_TYPE }
    const body = await read(request, options.maxRequestBytes)
    if (body === null) return { status: 413, body: '' }
    return { status: 200, body: `${writeJson(await toBody(body))}\n` }
  }
}

const listen = (server: Server, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })

/** JSON-RPC 2.0 over HTTP on loopback, single calls or batches, with the answers and refusals of a Solana node. */
export const startRpcServer = async (options: RpcServerOptions) => {
  const reply = createReply(options)
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { status, body } = await reply(request)
    const type = status === 200 && request.method === 'POST' ? 'application/json; charset=utf-8' : 'text/plain'
    response.writeHead(status, { 'content-type': type }).end(body)
  }
  const server = createServer((request, response) => {
    respond(request, response).catch(() => response.destroy())
  })
  const port = await listen(server, options.port)
  return {
    url: `http://127.0.0.1:${port}`,
    stop: (): Promise<void> =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
