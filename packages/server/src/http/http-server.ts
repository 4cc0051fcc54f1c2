import { createServer, type RequestListener, type Server } from 'node:http'
import type { Socket } from 'node:net'
import type { ConnectionLimits, Connections } from './connections.ts'

/** Checks for slow requests within the time that a request may take to arrive. */
const LOOKS = 15
/** How long a connection is kept for the next request, in ms: longer than proxies keep theirs. */
const KEEP_ALIVE_MS = 72_000

/**
 * Node's server with our limits. What Node would refuse by itself, with neither a body nor our headers, reaches the
 * pipeline: a missing `Host`, and an `Expect` that says anything but `100-continue`, which HTTP lets a server ignore.
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
      // Two Authorization or Host headers become one that is not valid, rather than the first of them.
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
