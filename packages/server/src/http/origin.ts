import type { IncomingHttpHeaders } from 'node:http'
import { Failure } from '@coffer/contract'
import type { FastifyRequest } from 'fastify'
import { proxyMatcher } from './connections.ts'

/** No character with a meaning in a path, HTML or a cache. */
const AUTHORITY = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i
const LONGEST_AUTHORITY = 255
const LOOPBACK = /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

const isAuthority = (text: string) => text.length <= LONGEST_AUTHORITY && AUTHORITY.test(text)

/** `isKnown`: configured or loopback, so that no caller can choose it. */
export type Site = { readonly origin: string; readonly isKnown: boolean }

export type Origins = ReturnType<typeof createOrigins>

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

  function requested({ headers, socket }: FastifyRequest): string {
    const { host = headers.host ?? '', proto = 'http' } = isProxy(socket.remoteAddress ?? '') ? forwarded(headers) : {}
    const url = `${proto}://${host}`
    if (!/^https?$/.test(proto) || !isAuthority(host) || !URL.canParse(url)) {
      const problem = 'X-Forwarded-Host and X-Forwarded-Proto must name one host and http or https'
      throw new Failure('VALIDATION_ERROR', problem)
    }
    return new URL(url).origin
  }

  function site(request: FastifyRequest): Site {
    const { origin, hostname } = new URL(of(request))
    return { origin, isKnown: publicUrl !== undefined || LOOPBACK.test(hostname) }
  }

  return { refusal, of, site }
}

/** `X-Forwarded-*`, otherwise `Forwarded` (RFC 7239). */
function forwarded(headers: IncomingHttpHeaders): { host?: string; proto?: string } {
  const [host, proto] = [firstOf(headers['x-forwarded-host']), firstOf(headers['x-forwarded-proto'])?.toLowerCase()]
  if (host !== undefined || proto !== undefined) return { ...(host && { host }), ...(proto && { proto }) }
  const pairs = (firstOf(headers.forwarded) ?? '')
    .split(';')
    .map((pair) => /^\s*(host|proto)="?([^"]*)"?\s*$/i.exec(pair))
  return Object.fromEntries(pairs.flatMap((pair) => (pair ? [[pair[1]?.toLowerCase(), pair[2]?.toLowerCase()]] : [])))
}

/** Proxies append their own. */
function firstOf(header: string | string[] | undefined): string | undefined {
  const [first = ''] = (Array.isArray(header) ? header.join() : (header ?? '')).split(',', 1)
  return first.trim() || undefined
}
