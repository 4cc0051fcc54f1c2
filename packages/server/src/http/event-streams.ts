import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { type ErrorStyle, Failure } from '@coffer/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { asFailure, errorBody } from './error-body.ts'
import type { Caller } from './gates.ts'
import { admit, type HttpContext, identify } from './mount.ts'

/** A browser opens six connections to a host. */
const PER_OWNER = 4
const PER_ACCOUNT = 20
const IN_ALL = 500
/** Proxies close what is silent for longer. */
const HEARTBEAT_MS = 15_000
const CHECK_MS = 60_000
const MOST_UNREAD_BYTES = 262_144
const RETRY_AFTER_SECONDS = 30

export type SendEvent = (event: string, data: unknown, id?: string) => void

export type EventSource<C extends Caller> = {
  ownerOf(caller: C): string | undefined
  /** Sends events after `lastId` if given. Returns a function that ends it. */
  listen(caller: C, send: SendEvent, lastId: string | undefined): () => void
  isAlive(caller: C): Promise<boolean>
}

type Stream<C> = { caller: C; sink: ServerResponse; close(): void }

/** Clients reconnect after any other end. */
const REPLACED = 'event: replaced\ndata: {}\n\n'

function replace([oldest]: readonly Stream<unknown>[]): void {
  oldest?.sink.write(REPLACED)
  oldest?.close()
}

export function createEventStreams<C extends Caller>({ ownerOf, listen, isAlive }: EventSource<C>) {
  const open = new Set<Stream<C>>()
  let timers: NodeJS.Timeout[] = []
  let ended = false

  function beat(): void {
    for (const { sink } of open) sink.write(':\n\n')
  }

  /** Keeps streams while the database is unavailable. */
  async function check(): Promise<void> {
    for (const stream of [...open]) {
      if (!(await isAlive(stream.caller).catch(() => true))) stream.close()
    }
  }

  function watch(): void {
    if (timers.length > 0) return
    timers = [setInterval(beat, HEARTBEAT_MS).unref(), setInterval(() => void check(), CHECK_MS).unref()]
  }

  function leave(stream: Stream<C>): boolean {
    if (!open.delete(stream)) return false
    if (open.size === 0) {
      for (const timer of timers) clearInterval(timer)
      timers = []
    }
    return true
  }

  const ofAccount = (accountId: string) => [...open].filter(({ caller }) => caller.accountId === accountId)

  function ofLargestAccount(): Stream<C>[] {
    const byAccount = Map.groupBy(open, ({ caller }) => caller.accountId)
    return [...byAccount.values()].reduce((most, own) => (own.length > most.length ? own : most), [])
  }

  /** After giving one up, the largest account has as many streams as the caller's. */
  const canMakeRoom = (accountId: string) => ofLargestAccount().length >= ofAccount(accountId).length + 2

  function makeRoom(caller: C): void {
    const owner = ownerOf(caller)
    const own = [...open].filter((stream) => ownerOf(stream.caller) === owner)
    const account = ofAccount(caller.accountId)
    if (own.length >= PER_OWNER) replace(own)
    else if (account.length >= PER_ACCOUNT) replace(account)
    else if (open.size >= IN_ALL) replace(ofLargestAccount())
  }

  return {
    admit(caller: C): void {
      if (ended) throw new Failure('OVERLOADED', 'The service is shutting down', { retryAfterSeconds: 1 })
      const isReplacing = ofAccount(caller.accountId).length >= PER_ACCOUNT
      if (open.size < IN_ALL || isReplacing || canMakeRoom(caller.accountId)) return
      const extras = { retryAfterSeconds: RETRY_AFTER_SECONDS }
      throw new Failure('OVERLOADED', 'Too many event streams are open', extras)
    },
    begin(caller: C, sink: ServerResponse, lastId?: string): void {
      makeRoom(caller)
      let stop: () => void = () => undefined
      const stream: Stream<C> = {
        caller,
        sink,
        close() {
          if (!leave(stream)) return
          stop()
          sink.end()
        },
      }
      open.add(stream)
      watch()
      sink.on('close', stream.close)
      const send: SendEvent = (event, data, id) => {
        if (sink.writableLength > MOST_UNREAD_BYTES) stream.close()
        else if (open.has(stream))
          sink.write(`${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
      }
      stop = listen(caller, send, lastId)
    },
    beat,
    check,
    count: () => open.size,
    endAll(): void {
      ended = true
      for (const stream of [...open]) stream.close()
    },
  }
}

const ID = /^evt_(0|[1-9]\d{0,17})$/

export function mountEvents<C extends Caller, R>(
  app: FastifyInstance,
  context: HttpContext<C, R>,
  { path, requires, errors }: { path: string; requires: R; errors: ErrorStyle },
  source: EventSource<C>,
): void {
  const { door, load, deadlines, respond } = context
  const streams = createEventStreams(source)

  async function enter(request: FastifyRequest, reply: FastifyReply): Promise<C> {
    const caller = await identify(context, request, reply)
    admit(respond.rate(reply, await door.limit(caller, 'default')))
    load.admit(caller, false)
    door.authorize(caller, requires)
    return caller
  }

  async function serve(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    load.begin()
    try {
      const caller = await deadlines.within(() => enter(request, reply))
      const lastId = lastIdOf(request)
      streams.admit(caller)
      begin(respond.common(reply))
      streams.begin(caller, reply.raw, lastId)
    } catch (thrown) {
      const failure = asFailure(thrown, context.isUnavailable)
      respond.failure(reply, failure, errorBody(errors, failure))
    } finally {
      load.end()
    }
  }

  app.get(path, (request, reply) => void serve(request, reply))
  app.addHook('preClose', async () => streams.endAll())
}

function lastIdOf({ headers }: FastifyRequest): string | undefined {
  const id = headers['last-event-id'] || undefined
  if (id === undefined || (typeof id === 'string' && ID.test(id))) return id
  throw new Failure('VALIDATION_ERROR', 'Last-Event-ID must be the id of an event, such as evt_17')
}

/** Writes at once: a browser then knows that it is connected. */
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
