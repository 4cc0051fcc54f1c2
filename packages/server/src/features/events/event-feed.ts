import type { Kysely } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import type { Caller } from '../../http/gates.ts'
import type { Logger } from '../../lib/logger.ts'
import { createSampledWarn } from '../../lib/sampled-log.ts'
import { isKeyAlive } from '../keys/keys.ts'
import { findNext, noteListening } from './event-feed-store.ts'
import { eventIdOf, messageIdOf, messageOf } from './message.ts'

const EVERY_MS = 1_000
/** In looks: an hour. */
const NOTED_EVERY = 3_600

type Send = (event: string, data: unknown, id?: string) => void
/** `after` undefined: only new events are wanted. */
type Listener = { accountId: string; after: bigint | undefined; isPlaced: boolean; send: Send }

/** Streams are resumable for 30 days. One query a second serves all listeners; none runs without any. */
export function createEventFeed({ db, log }: { db: Kysely<Tables>; log: Pick<Logger, 'warn'> }) {
  const listeners = new Set<Listener>()
  const warn = createSampledWarn(log)
  let timer: NodeJS.Timeout | undefined
  let looking: Promise<void> | undefined
  let looks = 0

  /** `ready` carries an ID from which a stream without events can resume. */
  async function place(noted: readonly Listener[]): Promise<void> {
    if (noted.length === 0) return
    const accounts = noted.map(({ accountId }) => accountId)
    const newest = await noteListening(db, accounts)
    for (const listener of noted.filter(({ isPlaced }) => !isPlaced)) {
      listener.after = listener.after === undefined || listener.after > newest ? newest : listener.after
      listener.isPlaced = true
      listener.send('ready', {}, messageIdOf(listener.after))
    }
  }

  async function look(): Promise<void> {
    looks += 1
    const all = [...listeners]
    await place(looks % NOTED_EVERY === 0 ? all : all.filter(({ isPlaced }) => !isPlaced))
    const places = all.map(({ accountId, after = 0n }) => ({ accountId, after }))
    const found = await findNext(db, places)
    for (const [index, listener] of all.entries()) {
      for (const event of found[index] ?? []) {
        if (!listeners.has(listener)) break
        listener.send(event.kind, messageOf(event), messageIdOf(event.id))
        listener.after = event.id
      }
    }
  }

  function lookOnce(): Promise<void> {
    looking ??= look()
      .catch((err: unknown) => warn('feed', { err }, 'events could not be read for streams; the service tries again'))
      .finally(() => {
        looking = undefined
      })
    return looking
  }

  return {
    ownerOf: ({ keyId }: Caller) => keyId,
    isAlive: ({ keyId }: Caller) => isKeyAlive(db, keyId),
    listen({ accountId }: Caller, send: Send, lastId: string | undefined): () => void {
      const after = lastId === undefined ? undefined : eventIdOf(lastId)
      const listener = { accountId, after, isPlaced: false, send }
      listeners.add(listener)
      timer ??= setInterval(() => void lookOnce(), EVERY_MS).unref()
      void Promise.resolve(looking).then(lookOnce)
      return () => {
        listeners.delete(listener)
        if (listeners.size > 0) return
        clearInterval(timer)
        timer = undefined
      }
    },
  }
}
