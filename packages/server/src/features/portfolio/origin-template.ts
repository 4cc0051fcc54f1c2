import { randomUUID } from 'node:crypto'

/** Random, so that no untrusted token name contains it. */
export const ORIGIN = `origin-${randomUUID()}`

export type OriginTemplate = { at(origin: string): Buffer }

/** `json` has `ORIGIN` where a URL begins. Without any, `at` does not copy. */
export function originTemplate(json: string): OriginTemplate {
  const parts = json.split(ORIGIN)
  const bytes = Buffer.from(parts.join(''))
  if (parts.length === 1) return { at: () => bytes }
  const ends: number[] = []
  let length = 0
  for (const part of parts) {
    length += Buffer.byteLength(part)
    ends.push(length)
  }

  function at(origin: string): Buffer {
    const inserted = Buffer.from(origin)
    const whole = Buffer.allocUnsafe(bytes.length + inserted.length * (ends.length - 1))
    let start = 0
    let next = 0
    for (const [part, end] of ends.entries()) {
      if (part > 0) next += inserted.copy(whole, next)
      next += bytes.copy(whole, next, start, end)
      start = end
    }
    return whole
  }

  return { at }
}
