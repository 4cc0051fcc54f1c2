import { BoundedMap } from './bounded-map.ts'
import type { WarnLog } from './logger.ts'

const EVERY_MS = 10_000
const KINDS = 200

export type SampledWarn = (kind: string, fields: object, message: string) => void

/** Writes the first of a kind, then one per 10 s: an overload would fill the disk. */
export function createSampledWarn(log: WarnLog, now: () => number = () => performance.now()): SampledWarn {
  const kinds = new BoundedMap<string, { quietUntil: number; left: number }>(KINDS)

  return (kind, fields, message) => {
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
