import { createClient } from '@coffer/client'
import { endpoints } from '@coffer/contract'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import type { Calls } from './call-tool.ts'
import { exactFetch } from './exact-fetch.ts'
import { createMcp } from './mcp-server.ts'

const { COFFER_URL, COFFER_API_KEY, COFFER_MCP_WRITES = 'false' } = process.env

/** Standard output is the MCP channel: messages for people go to standard error. */
function refuse(problem: string): never {
  process.stderr.write(`${problem}\n`)
  process.exit(1)
}

if (!COFFER_URL || !URL.canParse(COFFER_URL))
  refuse('COFFER_URL must be the URL of a Coffer service, e.g. http://127.0.0.1:8080')
if (!COFFER_API_KEY) refuse('COFFER_API_KEY must be an API key of that service')
if (!['true', 'false'].includes(COFFER_MCP_WRITES)) refuse('COFFER_MCP_WRITES must be true or false')

const client = createClient({ baseUrl: COFFER_URL, apiKey: COFFER_API_KEY, fetch: exactFetch(globalThis.fetch) })
const means = { calls: client as unknown as Calls, writes: COFFER_MCP_WRITES === 'true' }
const mcp = createMcp(endpoints)
serveStdio(() => mcp.serve(means))
