import { Failure } from '@coffer/contract'
import type { FastifyInstance } from 'fastify'

export const BODY_LIMIT_BYTES = 256 * 1024

// Refuses invalid UTF-8 and byte order marks.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * An empty body counts as none: clients send the content type with every request. `__proto__` stays a plain property,
 * which no schema takes over.
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
