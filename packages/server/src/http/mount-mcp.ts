import { createCalls } from '@coffer/client'
import { type Endpoint, Failure } from '@coffer/contract'
import { type Calls, createMcp, createMcpHttp, exactFetch } from '@coffer/mcp'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { asBodyFailure, asFailure, errorBody } from './error-body.ts'
import { type ApiContext, admit, identify } from './mount.ts'
import type { Responder } from './respond.ts'

export const MCP_PATHS = ['/mcp', '/mcp/']

/** No such host. */
const INSIDE = 'http://coffer.invalid'
const FORWARDED = ['authorization', 'host', 'forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto']

/** Calls endpoints in this process, counted and charged there. `?writes=true` offers changes too. */
export function mountMcp(
  app: FastifyInstance,
  context: ApiContext,
  endpoints: Readonly<Record<string, Endpoint>>,
): void {
  const mcp = createMcp(endpoints)
  const answer = createMcpHttp(mcp)

  async function serve(request: FastifyRequest, reply: FastifyReply, bodyFault?: Failure): Promise<void> {
    const { load, respond, deadlines, origins } = context
    const { body } = request
    load.begin()
    try {
      const isCall = !bodyFault && mcp.isCall(body, offersWrites(request))
      await deadlines.within(() => enter(context, request, reply, isCall))
      if (bodyFault) throw bodyFault
      if (Array.isArray(body)) throw new Failure('VALIDATION_ERROR', 'Send one JSON-RPC message per request')
      const apart = { baseUrl: INSIDE, apiKey: '', fetch: exactFetch(fetchInside(app, request)) }
      const means = { calls: createCalls(endpoints, apart) as unknown as Calls, writes: offersWrites(request) }
      await send(reply, respond, await answer(webRequest(request, origins.of(request)), body, means))
    } catch (thrown) {
      const failure = asFailure(thrown, context.isUnavailable)
      respond.failure(reply, failure, errorBody('titled', failure))
    } finally {
      load.end()
    }
  }

  for (const url of MCP_PATHS) {
    app.route({
      method: 'POST',
      url,
      handler: (request, reply) => void serve(request, reply),
      errorHandler: (thrown, request, reply) => void serve(request, reply, asBodyFailure(thrown)),
    })
  }
}

async function enter(
  context: ApiContext,
  request: FastifyRequest,
  reply: FastifyReply,
  isCall: boolean,
): Promise<void> {
  const caller = await identify(context, request, reply)
  if (isCall) return
  admit(context.respond.rate(reply, await context.door.limit(caller, 'default')))
  context.load.admit(caller, false)
}

const offersWrites = ({ query }: FastifyRequest) => Object(query)['writes'] === 'true'

function fetchInside(app: FastifyInstance, outer: FastifyRequest): typeof globalThis.fetch {
  const own = Object.fromEntries(
    FORWARDED.flatMap((name) => (name in outer.headers ? [[name, outer.headers[name]]] : [])),
  )
  return async (input, init = {}) => {
    const { pathname, search } = new URL(String(input))
    const { statusCode, headers, body } = await app.inject({
      method: (init.method ?? 'GET') as 'GET',
      url: pathname + search,
      headers: { ...(init.headers as Record<string, string>), ...own },
      ...(typeof init.body === 'string' && { payload: init.body }),
      ...(outer.socket.remoteAddress !== undefined && { remoteAddress: outer.socket.remoteAddress }),
    })
    const lines = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)])
    return new Response(body === '' ? null : body, { status: statusCode, headers: lines })
  }
}

function webRequest({ headers, method, url }: FastifyRequest, origin: string): Request {
  const lines = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)])
  return new Request(new URL(url, origin), { method, headers: lines })
}

async function send(reply: FastifyReply, respond: Responder, response: Response): Promise<void> {
  const text = await response.text()
  const type = response.headers.get('content-type')
  respond
    .common(reply)
    .code(response.status)
    .header('cache-control', 'no-store')
    .header('x-content-type-options', 'nosniff')
  if (type !== null) reply.header('content-type', type)
  reply.send(text)
}
