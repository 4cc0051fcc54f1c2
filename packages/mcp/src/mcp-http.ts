import { createMcpHandler } from '@modelcontextprotocol/server'
import type { Mcp, Means } from './mcp-server.ts'

/**
 * Answers MCP messages over streamable HTTP, each for itself: no session is kept and no stream stays open. `body` is the
 * parsed message. Who may call is decided before.
 */
export function createMcpHttp({ serve }: Mcp) {
  const { fetch } = createMcpHandler((context) => serve(context.authInfo?.extra as Means), { maxSubscriptions: 0 })
  return (request: Request, body: unknown, means: Means): Promise<Response> =>
    fetch(request, { parsedBody: body, authInfo: { token: '', clientId: '', scopes: [], extra: means } })
}
