import { Failure } from '@coffer/contract'
import type { FastifyInstance } from 'fastify'

/** Largest body that is read, in bytes. */
export const BODY_LIMIT_BYTES = 256 * 1024

// Bytes that are not UTF-8 and a byte order mark are refused, not repaired.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * JSON is the only body that is read; an empty one counts as none, since clients send the content type with every
 * request. A key `__proto__` stays a plain property, which no schema takes over.
 */
export function readJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
    try {
      done(null, body.length === 0 ? undefined : JSON.parse(utf8.decode(body)))
    } catch {
      done(new Failure('VALIDATION_ERROR', 'The body is not valid JSON'))
    }
  })
}
