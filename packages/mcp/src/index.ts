export type { Calls } from './call-tool.ts'
export { exactFetch } from './exact-fetch.ts'
export { createMcpHttp } from './mcp-http.ts'
export { createMcp } from './mcp-server.ts'
