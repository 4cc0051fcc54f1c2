import type { OutgoingHttpHeaders } from 'node:http'
import { type ErrorStyle, Failure } from '@coffer/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Deadlines } from './deadlines.ts'
import { asFailure, errorBody } from './error-body.ts'
import type { EventStreams } from './event-streams.ts'
import type { Caller, Gates } from './gates.ts'
import type { Load } from './load.ts'
import { admit, type Door } from './mount.ts'
import type { Responder } from './respond.ts'

const ID = /^evt_(0|[1-9]\d{0,17})$/

type Parts<C extends Caller, R> = {
  path: string
  requires: R
  errors: ErrorStyle
  door: Door<C, R>
  gates: Pick<Gates, 'limitAnonymous'>
  load: Load
  deadlines: Deadlines
  respond: Responder
  streams: EventStreams<C>
  isUnavailable(thrown: unknown): boolean
}

/** A shutdown does not wait for streams. */
export function mountEvents<C extends Caller, R>(app: FastifyInstance, parts: Parts<C, R>): void {
  app.get(parts.path, (request, reply) => void serve(parts, request, reply))
  app.addHook('preClose', async () => parts.streams.endAll())
}

async function serve<C extends Caller, R>(
  parts: Parts<C, R>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const { load, respond, streams } = parts
  load.begin()
  try {
    const caller = await parts.deadlines.within(() => enter(parts, request, reply))
    const lastId = lastIdOf(request)
    streams.admit(caller)
    begin(respond.common(reply))
    streams.begin(caller, reply.raw, lastId)
  } catch (thrown) {
    const failure = asFailure(thrown, parts.isUnavailable)
    respond.failure(reply, failure, errorBody(parts.errors, failure))
  } finally {
    load.end()
  }
}

async function enter<C extends Caller, R>(
  parts: Parts<C, R>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<C> {
  const { door, gates, load, respond } = parts
  let caller: C
  try {
    caller = await door.identify(request)
  } catch (thrown) {
    admit(respond.rate(reply, await gates.limitAnonymous(request.ip)))
    throw thrown
  }
  admit(respond.rate(reply, await door.limit(caller, 'default')))
  load.admit(caller, false)
  door.authorize(caller, parts.requires)
  return caller
}

function lastIdOf({ headers }: FastifyRequest): string | undefined {
  const id = headers['last-event-id'] || undefined
  if (id === undefined || (typeof id === 'string' && ID.test(id))) return id
  throw new Failure('VALIDATION_ERROR', 'Last-Event-ID must be the id of an event, such as evt_17')
}

/** Writes at once, so that a browser knows that it is connected. */
function begin(reply: FastifyReply): void {
  const headers = {
    connection: 'close',
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    // Buffering proxies would hold events back.
    'x-accel-buffering': 'no',
  }
  reply.hijack()
  reply.raw.writeHead(200, { ...reply.getHeaders(), ...headers } as OutgoingHttpHeaders).write(':\n\n')
}
