import { createMcpHandler } from '@modelcontextprotocol/server'
import type { Mcp, Means } from './mcp-server.ts'
import { isObject } from './plain-answer.ts'

/** The handler refuses requests that do not name both. */
const ACCEPT = 'application/json, text/event-stream'

/**
 * Answers each message by itself: no session is kept and no stream stays open. The caller must be authenticated before.
 * Clients that do not accept event streams get JSON.
 */
export function createMcpHttp({ serve }: Mcp) {
  const { fetch } = createMcpHandler((context) => serve(context.authInfo?.extra as Means), { maxSubscriptions: 0 })
  return async (request: Request, body: unknown, means: Means): Promise<Response> => {
    const takesStreams = request.headers.get('accept')?.includes('text/event-stream')
    request.headers.set('accept', ACCEPT)
    const authInfo = { token: '', clientId: '', scopes: [], extra: means }
    const response = await fetch(request, { parsedBody: withArguments(body), authInfo })
    return takesStreams ? response : inJson(response)
  }
}

/** Some clients send null for no arguments. */
function withArguments(message: unknown): unknown {
  if (!isObject(message) || !isObject(message['params']) || message['params']['arguments'] !== null) return message
  return { ...message, params: { ...message['params'], arguments: {} } }
}

/** The stream of a call has one event, its result. */
async function inJson(response: Response): Promise<Response> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response
  const data = /^data: (.*)$/m.exec(await response.text())?.[1] ?? ''
  return new Response(data, { status: response.status, headers: { 'content-type': 'application/json' } })
}
