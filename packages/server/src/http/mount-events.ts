import { EVENTS_PATH, type PortalRequirement } from '@coffer/contract/portal'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Deadlines } from './deadlines.ts'
import { asFailure, errorBody } from './error-body.ts'
import type { EventStreams } from './event-streams.ts'
import type { Gates, PortalCaller } from './gates.ts'
import type { Load } from './load.ts'
import { admit, type Door } from './mount.ts'
import type { Responder } from './respond.ts'

const REQUIRES: PortalRequirement = { who: 'viewer' }

type Parts = {
  door: Door<PortalCaller, PortalRequirement>
  gates: Pick<Gates, 'limitAnonymous'>
  load: Load
  deadlines: Deadlines
  respond: Responder
  streams: EventStreams
  isUnavailable(thrown: unknown): boolean
}

/**
 * The stream of events beside the pipeline: the same gates in the same order, then an answer that stays open. It is no
 * request in flight any more, so that a shutdown does not wait for it.
 */
export function mountEvents(app: FastifyInstance, parts: Parts): void {
  app.get(EVENTS_PATH, (request, reply) => void serve(parts, request, reply))
  app.addHook('preClose', async () => parts.streams.endAll())
}

async function serve(parts: Parts, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const { load, respond, streams } = parts
  load.begin()
  try {
    const caller = await parts.deadlines.within(() => enter(parts, request, reply))
    streams.admit()
    begin(reply)
    streams.begin(caller, reply.raw)
  } catch (thrown) {
    const failure = asFailure(thrown, parts.isUnavailable)
    respond.failure(reply, failure, errorBody('problem', failure))
  } finally {
    load.end()
  }
}

async function enter(parts: Parts, request: FastifyRequest, reply: FastifyReply): Promise<PortalCaller> {
  const { door, gates, load, respond } = parts
  let caller: PortalCaller
  try {
    caller = await door.identify(request)
  } catch (thrown) {
    admit(respond.rate(reply, await gates.limitAnonymous(request.ip)))
    throw thrown
  }
  admit(respond.rate(reply, await door.limit(caller, 'default')))
  load.admit(caller, false)
  door.authorize(caller, REQUIRES)
  return caller
}

/** Writes the head at once, so that a browser knows that it listens. */
function begin(reply: FastifyReply): void {
  const headers = {
    connection: 'close',
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    // Proxies that gather answers would keep events back.
    'x-accel-buffering': 'no',
    'x-request-id': reply.request.id,
  }
  reply.hijack()
  reply.raw.writeHead(200, headers).write(':\n\n')
}
