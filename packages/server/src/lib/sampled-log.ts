import { BoundedMap } from './bounded-map.ts'

/** Lines of one kind at most once in this many ms. */
const EVERY_MS = 10_000
/** Kinds of lines that are remembered. */
const KINDS = 200

type Kind = { quietUntil: number; left: number }

type Log = { warn(fields: object, message: string): void }

/**
 * Warnings of which the first of a kind is written at once, and then one in ten seconds that says how many were left
 * out: an overload is thousands of them a second, and the log must not be what fills the disk.
 */
export function createSampledWarn(log: Log, now: () => number = () => performance.now()) {
  const kinds = new BoundedMap<string, Kind>(KINDS)

  return function warn(kind: string, fields: object, message: string): void {
    const known = kinds.get(kind)
    if (known && now() < known.quietUntil) {
      known.left += 1
      return
    }
    const left = known?.left ?? 0
    kinds.set(kind, { quietUntil: now() + EVERY_MS, left: 0 })
    log.warn(left > 0 ? { ...fields, leftOut: left } : fields, message)
  }
}
