import { createServer, type RequestListener, type Server } from 'node:http'
import type { Socket } from 'node:net'
import type { ConnectionLimits, Connections } from './connections.ts'

const LOOKS = 15
/** Longer than proxies keep connections. */
const KEEP_ALIVE_MS = 72_000

/**
 * Node would refuse a missing `Host` and an unknown `Expect` without a body or our headers. HTTP lets a server ignore
 * such an `Expect`.
 */
export function createHttpServer(
  listener: RequestListener,
  {
    connections,
    limits: { receiveMs, stallMs },
    answerParserError,
  }: {
    connections: Connections
    limits: ConnectionLimits
    answerParserError(error: NodeJS.ErrnoException, socket: Socket): Promise<void>
  },
): Server {
  const server = createServer(
    {
      requireHostHeader: false,
      // Two Authorization or Host headers join into an invalid one.
      joinDuplicateHeaders: true,
      requestTimeout: receiveMs,
      headersTimeout: receiveMs,
      connectionsCheckingInterval: Math.ceil(receiveMs / LOOKS),
      keepAliveTimeout: KEEP_ALIVE_MS,
    },
    listener,
  )
  server.setTimeout(stallMs)
  connections.guard(server)
  server.on('checkExpectation', listener)
  server.on('clientError', (error, socket) => void answerParserError(error, socket as Socket))
  return server
}
