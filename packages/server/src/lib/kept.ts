import { BoundedMap } from './bounded-map.ts'
import type { Clock } from './clock.ts'
import { createSingleFlight } from './single-flight.ts'

/** In ms. */
type Span<V> = number | ((value: V) => number)

type Options<V> = { most?: number } & (
  | { clock?: undefined; freshMs?: undefined; goodMs?: undefined }
  /** Ages count from the start of a read. */
  | { clock: Clock; freshMs: Span<V>; goodMs?: Span<V> }
)

type Read<V, T = V> = (before: V | undefined) => Promise<T>

export type Kept<V> = {
  /** Renews a value that is only good in the background. */
  find(key: string, read: Read<V>): V | undefined
  /** A key stands for one type. */
  get<T extends V>(key: string, read: Read<V, T>): Promise<T>
  renew<T extends V>(key: string, read: Read<V, T>): Promise<T>
}

/** Runs one read per key at a time. A failed read keeps the value. */
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
      // The next call tries again.
      renew(key, read).catch(() => undefined)
      return entry.value
    },
  }
}
