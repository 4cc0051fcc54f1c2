import { randomUUID } from 'node:crypto'

/** Stands for the origin in what is presented. A token that a stranger names cannot contain it. */
export const ORIGIN = `origin-${randomUUID()}`

/** JSON that is kept once and sent to callers who reach the service under different origins. */
export type OriginTemplate = { at(origin: string): Buffer }

/** `json` has `ORIGIN` wherever a URL begins; without any its bytes are sent as they are kept, with no copy. */
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
