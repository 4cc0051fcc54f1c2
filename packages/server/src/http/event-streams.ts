import type { ServerResponse } from 'node:http'
import { Failure } from '@coffer/contract'
import type { PortalCaller } from './gates.ts'

/** Streams of one session, and of this process. A browser has six connections to a host for everything. */
const PER_SESSION = 4
const IN_ALL = 500
/** Proxies close what is silent for longer. */
const HEARTBEAT_MS = 15_000
/** How often it is looked whether the session still lives. */
const CHECK_MS = 60_000
/** What a client may leave unread, in bytes. */
const MOST_UNREAD = 262_144
const RETRY_AFTER_SECONDS = 30

/** Sends one event; its data is written as JSON. */
export type SendEvent = (event: string, data: unknown) => void

/** Where events come from, and who may go on hearing them. */
export type EventSource = {
  /** Begins to send what concerns the caller's account. Returns a function that ends it. */
  listen(caller: PortalCaller, send: SendEvent): () => void
  /** Whether the session still lives and may see the account. */
  isAlive(caller: PortalCaller): Promise<boolean>
}

type Sink = Pick<ServerResponse, 'write' | 'end' | 'on' | 'writableLength'>
type Stream = { caller: PortalCaller; sink: Sink; close(): void }

/** Tells a client not to ask for its stream again by itself, as it does after any other end. */
const REPLACED = 'event: replaced\ndata: {}\n\n'

export type EventStreams = ReturnType<typeof createEventStreams>

/** The open streams of events of this process, which are bounded, kept awake, and end with their sessions. */
export function createEventStreams({ listen, isAlive }: EventSource) {
  const open = new Set<Stream>()
  let timers: NodeJS.Timeout[] = []
  let ended = false

  function beat(): void {
    for (const { sink } of open) sink.write(':\n\n')
  }

  /** Ends the streams whose session has ended. Without the database they go on: it is asked again. */
  async function check(): Promise<void> {
    for (const stream of [...open]) {
      if (!(await isAlive(stream.caller).catch(() => true))) stream.close()
    }
  }

  function watch(): void {
    if (timers.length > 0) return
    timers = [setInterval(beat, HEARTBEAT_MS).unref(), setInterval(() => void check(), CHECK_MS).unref()]
  }

  function leave(stream: Stream): boolean {
    if (!open.delete(stream)) return false
    if (open.size === 0) {
      for (const timer of timers) clearInterval(timer)
      timers = []
    }
    return true
  }

  /** Ends the oldest stream of a session that has as many as it may: the page that was opened last is the one that is used. */
  function makeRoom({ session }: PortalCaller): void {
    const own = [...open].filter(({ caller }) => caller.session?.id === session?.id)
    if (own.length < PER_SESSION) return
    own[0]?.sink.write(REPLACED)
    own[0]?.close()
  }

  return {
    /** Refuses a stream that would be one too many for the process. */
    admit(): void {
      if (ended) throw new Failure('OVERLOADED', 'The service is shutting down', { retryAfterSeconds: 1 })
      if (open.size < IN_ALL) return
      const extras = { retryAfterSeconds: RETRY_AFTER_SECONDS }
      throw new Failure('OVERLOADED', 'Too many streams of events are open', extras)
    },
    /** Sends events to an answer whose head is written, until it, its session or the service ends, or a newer stream takes its place. */
    begin(caller: PortalCaller, sink: Sink): void {
      makeRoom(caller)
      let stop: () => void = () => undefined
      const stream: Stream = {
        ...{ caller, sink },
        close() {
          if (!leave(stream)) return
          stop()
          sink.end()
        },
      }
      open.add(stream)
      watch()
      sink.on('close', stream.close)
      stop = listen(caller, (event, data) => {
        if (sink.writableLength > MOST_UNREAD) stream.close()
        else sink.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
      })
    },
    beat,
    check,
    count: () => open.size,
    /** Ends them all, and lets none begin. */
    endAll(): void {
      ended = true
      for (const stream of [...open]) stream.close()
    },
  }
}
