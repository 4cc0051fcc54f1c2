import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { type CorsOrigins, corsHeaders } from './cors.ts'
import type { Gates } from './gates.ts'
import { rateHeaders } from './respond.ts'

const statusOf: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
}

const messages: Readonly<Record<number, string>> = {
  408: 'The request took too long to arrive',
  413: 'The request is too large',
  431: 'The headers of the request are too large',
}

const LINGER_MS = 2_000

/**
 * Answers what is not HTTP, too slow or too large, with the usual headers. The connection ends even if the client does
 * not read.
 */
export function createParserErrorHandler({
  gates,
  corsOrigins,
  nextId,
}: {
  gates: Gates
  corsOrigins: CorsOrigins
  nextId(): string
}) {
  return async function answerParserError(error: NodeJS.ErrnoException, socket: Socket): Promise<void> {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
      return
    }
    const lingering = setTimeout(() => socket.destroy(), LINGER_MS)
    socket.once('close', () => clearTimeout(lingering))
    const status = statusOf[error.code ?? ''] ?? 400
    const body = JSON.stringify({
      error: STATUS_CODES[status],
      message: messages[status] ?? 'The request could not be read',
    })
    const headers = {
      ...rateHeaders(await gates.limitAnonymous(socket.remoteAddress ?? '')),
      ...corsHeaders(corsOrigins, undefined),
      'x-request-id': nextId(),
      'cache-control': 'no-store',
      'content-type': 'application/json; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'content-length': String(Buffer.byteLength(body)),
      connection: 'close',
    }
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`)
  }
}
