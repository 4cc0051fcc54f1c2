import type { IncomingHttpHeaders } from 'node:http'
import { Failure } from '@coffer/contract'
import type { FastifyRequest } from 'fastify'
import { proxyMatcher } from './connections.ts'

/** A host name or IP address and perhaps a port: no letter that means something in a path, in HTML or to a cache. */
const AUTHORITY = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i
const LONGEST_AUTHORITY = 255
const LOOPBACK = /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

const isAuthority = (text: string) => text.length <= LONGEST_AUTHORITY && AUTHORITY.test(text)

/** The origin of the portal's pages. `isKnown`: it is configured, or loopback, so that no caller can choose it. */
export type Site = { readonly origin: string; readonly isKnown: boolean }

export type Origins = ReturnType<typeof createOrigins>

/**
 * The origin under which a caller reaches the service: the configured one, otherwise that of its request. Refuses a
 * request whose Host does not name one host, or whose trusted proxy forwards an invalid origin.
 */
export function createOrigins(publicUrl: string | undefined, trustProxy: boolean | readonly string[] = false) {
  const isProxy = proxyMatcher(trustProxy)
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
    return publicUrl ?? requested(request)
  }

  /** Normalised: lower case, without the port that its scheme has anyway. */
  function requested({ headers, socket }: FastifyRequest): string {
    const { host = headers.host ?? '', proto = 'http' } = isProxy(socket.remoteAddress ?? '') ? forwarded(headers) : {}
    const url = `${proto}://${host}`
    if (!/^https?$/.test(proto) || !isAuthority(host) || !URL.canParse(url)) {
      throw new Failure(
        'VALIDATION_ERROR',
        'X-Forwarded-Host and X-Forwarded-Proto must name one host and http or https',
      )
    }
    return new URL(url).origin
  }

  function site(request: FastifyRequest): Site {
    const { origin, hostname } = new URL(of(request))
    return { origin, isKnown: publicUrl !== undefined || LOOPBACK.test(hostname) }
  }

  return { refusal, of, site }
}

/** Host and scheme that the first proxy saw: by `X-Forwarded-*`, or by `Forwarded` (RFC 7239) where there are none. */
function forwarded(headers: IncomingHttpHeaders): { host?: string; proto?: string } {
  const [host, proto] = [firstOf(headers['x-forwarded-host']), firstOf(headers['x-forwarded-proto'])?.toLowerCase()]
  if (host !== undefined || proto !== undefined) return { ...(host && { host }), ...(proto && { proto }) }
  const pairs = (firstOf(headers.forwarded) ?? '')
    .split(';')
    .map((pair) => /^\s*(host|proto)="?([^"]*)"?\s*$/i.exec(pair))
  return Object.fromEntries(pairs.flatMap((pair) => (pair ? [[pair[1]?.toLowerCase(), pair[2]?.toLowerCase()]] : [])))
}

/** The first entry of a list: each further proxy adds its own at the end. */
function firstOf(header: string | string[] | undefined): string | undefined {
  const [first = ''] = (Array.isArray(header) ? header.join() : (header ?? '')).split(',', 1)
  return first.trim() || undefined
}
