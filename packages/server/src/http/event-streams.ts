import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { type ErrorStyle, Failure } from '@coffer/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Deadlines } from './deadlines.ts'
import { asFailure, errorBody } from './error-body.ts'
import type { Caller, Gates } from './gates.ts'
import type { Load } from './load.ts'
import { admit, type Door } from './mount.ts'
import type { Responder } from './respond.ts'

/** A browser opens six connections to a host. */
const PER_OWNER = 4
const PER_ACCOUNT = 20
const IN_ALL = 500
/** Proxies close what is silent for longer. */
const HEARTBEAT_MS = 15_000
const CHECK_MS = 60_000
/** In bytes. */
const MOST_UNREAD = 262_144
const RETRY_AFTER_SECONDS = 30

/** A reconnecting client returns `id`. */
export type SendEvent = (event: string, data: unknown, id?: string) => void

export type EventSource<C extends Caller> = {
  ownerOf(caller: C): string | undefined
  /** Sends events after `lastId` if given. Returns a function that ends it. */
  listen(caller: C, send: SendEvent, lastId: string | undefined): () => void
  isAlive(caller: C): Promise<boolean>
}

type Sink = Pick<ServerResponse, 'write' | 'end' | 'on' | 'writableLength'>
type Stream<C> = { caller: C; sink: Sink; close(): void }

/** Clients reconnect after any other end. */
const REPLACED = 'event: replaced\ndata: {}\n\n'

function replace([oldest]: readonly Stream<unknown>[]): void {
  oldest?.sink.write(REPLACED)
  oldest?.close()
}

type EventStreams<C extends Caller> = ReturnType<typeof createEventStreams<C>>

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

  /** True if the largest account, after giving one up, has as many streams as the caller's. */
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
    /** The head must be written. */
    begin(caller: C, sink: Sink, lastId?: string): void {
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
        if (sink.writableLength > MOST_UNREAD) stream.close()
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
