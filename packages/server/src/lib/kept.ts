import { BoundedMap } from './bounded-map.ts'
import type { Clock } from './clock.ts'
import { createSingleFlight } from './single-flight.ts'

/** Milliseconds: of every value, or of each. */
type Span<V> = number | ((value: V) => number)

/** Of more than `most` keys those that were read longest ago are forgotten. */
type Options<V> = { most?: number } & (
  | { clock?: undefined; freshMs?: undefined; goodMs?: undefined }
  /** Ages count from the beginning of a read. Values that are no longer fresh may be good enough for `find`. */
  | { clock: Clock; freshMs: Span<V>; goodMs?: Span<V> }
)

/** `before`: the kept value, of any age. A result of undefined is not kept, and the kept value is forgotten. */
type Read<V, T = V> = (before: V | undefined) => Promise<T>

export type Kept<V> = {
  /** The kept value if it is fresh or good; one that is only good is renewed behind, where a failure has no effect. */
  find(key: string, read: Read<V>): V | undefined
  /** The kept value if it is fresh, else a new one. A key stands for one type. */
  get<T extends V>(key: string, read: Read<V, T>): Promise<T>
  /** A new value. */
  renew<T extends V>(key: string, read: Read<V, T>): Promise<T>
}

/**
 * Values by key, read when they are needed, at most once at a time for each key, and kept for a time or for ever. A
 * failed read keeps what was there before.
 */
export function createKept<V>({ most = Number.POSITIVE_INFINITY, clock, freshMs, goodMs }: Options<V> = {}): Kept<V> {
  type Entry = { value: V; readAt: number }
  const entries = new BoundedMap<string, Entry>(most)
  const flights = createSingleFlight<V>()
  const now = () => clock?.now() ?? 0

  const isWithin = (span: Span<V> = Number.POSITIVE_INFINITY, { value, readAt }: Entry) =>
    now() - readAt < (typeof span === 'function' ? span(value) : span)

  const renew = (key: string, read: Read<V>) =>
    flights.run(key, async () => {
      const readAt = now()
      const value = await read(entries.get(key)?.value)
      if (value === undefined) entries.delete(key)
      else entries.set(key, { value, readAt })
      return value
    })

  return {
    renew: <T extends V>(key: string, read: Read<V, T>) => renew(key, read) as Promise<T>,

    async get<T extends V>(key: string, read: Read<V, T>) {
      const entry = entries.get(key)
      return (entry && isWithin(freshMs, entry) ? entry.value : await renew(key, read)) as T
    },

    find(key, read) {
      const entry = entries.get(key)
      if (!entry || isWithin(freshMs, entry)) return entry?.value
      if (goodMs === undefined || !isWithin(goodMs, entry)) return undefined
      // The value is good enough: the caller's read says what failed, and the next call tries again.
      renew(key, read).catch(() => undefined)
      return entry.value
    },
  }
}
