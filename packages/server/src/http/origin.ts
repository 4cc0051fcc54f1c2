import { Failure } from '@coffer/contract'
import type { FastifyRequest } from 'fastify'

/** A host name or IP address and perhaps a port: no letter that means something in a path, in HTML or to a cache. */
const AUTHORITY = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i
const LONGEST_AUTHORITY = 255

const isAuthority = (text: string) => text.length <= LONGEST_AUTHORITY && AUTHORITY.test(text)

export type Origins = ReturnType<typeof createOrigins>

/**
 * The origin under which a caller reaches the service: the configured one, otherwise that of its request. Refuses a
 * request whose Host does not name one host, or whose trusted proxy forwards an invalid origin.
 */
export function createOrigins(publicUrl: string | undefined) {
  // Nearly every request names the same host.
  let lastHost = ''

  function refusal({ headers }: FastifyRequest): Failure | undefined {
    const { host = '' } = headers
    if (host === lastHost && host !== '') return undefined
    if (!isAuthority(host)) return new Failure('VALIDATION_ERROR', 'The Host header must name one host')
    lastHost = host
    return undefined
  }

  function of(request: FastifyRequest): string {
    const refused = refusal(request)
    if (refused) throw refused
    if (publicUrl !== undefined) return publicUrl
    const { protocol, host } = request
    if ((protocol !== 'http' && protocol !== 'https') || (host !== request.headers.host && !isAuthority(host))) {
      throw new Failure(
        'VALIDATION_ERROR',
        'X-Forwarded-Host and X-Forwarded-Proto must name one host and http or https',
      )
    }
    return `${protocol}://${host}`
  }

  return { refusal, of }
}
