import type { ServerResponse } from 'node:http'
import { Failure } from '@coffer/contract'
import type { Caller } from './gates.ts'

/** Streams of one session or key, of an account, and of all of this door. A browser opens six connections to a host. */
const PER_OWNER = 4
const PER_ACCOUNT = 20
const IN_ALL = 500
/** Proxies close what is silent for longer. */
const HEARTBEAT_MS = 15_000
/** How often it is looked whether the session still lives. */
const CHECK_MS = 60_000
/** What a client may leave unread, in bytes. */
const MOST_UNREAD = 262_144
const RETRY_AFTER_SECONDS = 30

/** Sends one event; its data is written as JSON. `id`: what a client that comes back gives as the last one that it had. */
export type SendEvent = (event: string, data: unknown, id?: string) => void

/** Where events come from, and who may go on hearing them. */
export type EventSource<C extends Caller> = {
  /** What bounds the number of its streams: its session or key. */
  ownerOf(caller: C): string | undefined
  /** Begins to send what concerns the caller's account, after `lastId` where it is given. Returns a function that ends it. */
  listen(caller: C, send: SendEvent, lastId: string | undefined): () => void
  /** Whether the session or key still lives and may see the account. */
  isAlive(caller: C): Promise<boolean>
}

type Sink = Pick<ServerResponse, 'write' | 'end' | 'on' | 'writableLength'>
type Stream<C> = { caller: C; sink: Sink; close(): void }

/** Tells a client not to ask for its stream again by itself, as it does after any other end. */
const REPLACED = 'event: replaced\ndata: {}\n\n'

function replace([oldest]: readonly Stream<unknown>[]): void {
  oldest?.sink.write(REPLACED)
  oldest?.close()
}

export type EventStreams<C extends Caller> = ReturnType<typeof createEventStreams<C>>

/** The open streams of events of this process, which are bounded, kept awake, and end with their sessions. */
export function createEventStreams<C extends Caller>({ ownerOf, listen, isAlive }: EventSource<C>) {
  const open = new Set<Stream<C>>()
  let timers: NodeJS.Timeout[] = []
  let ended = false

  function beat(): void {
    for (const { sink } of open) sink.write(':\n\n')
  }

  /** Ends the streams whose session or key has ended. Without the database they go on: it is asked again. */
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

  /** The streams of the account that has most, oldest first. */
  function ofLargestAccount(): Stream<C>[] {
    const byAccount = Map.groupBy(open, ({ caller }) => caller.accountId)
    return [...byAccount.values()].reduce((most, own) => (own.length > most.length ? own : most), [])
  }

  /** Whether an account that has more streams can give one up and still has as many as the caller's then. */
  const canMakeRoom = (accountId: string) => ofLargestAccount().length >= ofAccount(accountId).length + 2

  /** Ends the oldest stream of a key or session, an account or the process that has as many as it may. */
  function makeRoom(caller: C): void {
    const owner = ownerOf(caller)
    const own = [...open].filter((stream) => ownerOf(stream.caller) === owner)
    const account = ofAccount(caller.accountId)
    if (own.length >= PER_OWNER) replace(own)
    else if (account.length >= PER_ACCOUNT) replace(account)
    else if (open.size >= IN_ALL) replace(ofLargestAccount())
  }

  return {
    /** Refuses a stream for which no other can give way. */
    admit(caller: C): void {
      if (ended) throw new Failure('OVERLOADED', 'The service is shutting down', { retryAfterSeconds: 1 })
      const isReplacing = ofAccount(caller.accountId).length >= PER_ACCOUNT
      if (open.size < IN_ALL || isReplacing || canMakeRoom(caller.accountId)) return
      const extras = { retryAfterSeconds: RETRY_AFTER_SECONDS }
      throw new Failure('OVERLOADED', 'Too many streams of events are open', extras)
    },
    /** Sends events to an answer whose head is written, until it, its owner or the service ends, or a newer stream takes its place. */
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
    /** Ends them all, and lets none begin. */
    endAll(): void {
      ended = true
      for (const stream of [...open]) stream.close()
    },
  }
}
