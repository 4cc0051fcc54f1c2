import type { Endpoint } from '@coffer/contract'
import { ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server'
import manifest from '../package.json' with { type: 'json' }
import { answerOf, type Calls, callTool } from './call-tool.ts'
import { isObject } from './plain-answer.ts'
import { promptList, promptOf, questions } from './prompts.ts'
import { readingOf, resourceList, resourceTemplates } from './resources.ts'
import { toolError } from './tool-error.ts'
import { type EndpointTool, toolsOf, UNTRUSTED } from './tools.ts'

export type Means = {
  calls: Calls
  writes: boolean
}

const INSTRUCTIONS = `Coffer reports the holdings and transactions of blockchain wallets. Figures are exact decimals in strings: repeat them unchanged. Every answer has \`about\`: facts of the whole answer, with \`asOf\` (block and time of each chain), \`incomplete\` (parts that could not be read or are stale) and \`complete\`. Missing figures are unknown and never zero; N/A means unknown. \`items\` is the list. Holdings have one row per asset, most valuable first; their \`role\` is held, borrowed (totals subtract it) or reward. \`shown\` counts the items here, \`more\` the items of this answer that did not fit. \`next\` has the arguments to change in the next call, which costs as much again; null means the end. Fields ending in \`More\` count the entries cut from the list next to them. Descriptions state the credits that calls cost; getCredits is free. ${UNTRUSTED}`

/** Prepared once for all connections. */
export type Mcp = {
  /** For one connection, or one request. */
  serve(means: Means): Server
  /** True for endpoint calls, which count and charge for themselves. */
  isCall(message: unknown, writes: boolean): boolean
}

export function createMcp(endpoints: Readonly<Record<string, Endpoint>>): Mcp {
  const tools = toolsOf(endpoints)
  return {
    serve: (means) => serverOf(tools, means),
    isCall(message, writes) {
      const { method, params } = isObject(message) ? message : {}
      const { name, uri } = isObject(params) ? params : {}
      if (method === 'tools/call') return offers(tools.get(String(name)), writes)
      return method === 'resources/read' && readingOf(String(uri)) !== undefined
    },
  }
}

const offers = (tool: EndpointTool | undefined, writes: boolean) => tool !== undefined && (writes || !tool.writes)

function serverOf(tools: ReadonlyMap<string, EndpointTool>, { calls, writes }: Means): Server {
  const { version } = manifest
  const capabilities = { tools: {}, resources: {}, prompts: {} }
  const server = new Server({ name: 'coffer', title: 'Coffer', version }, { capabilities, instructions: INSTRUCTIONS })
  const offered = [...tools.values()].filter((tool) => offers(tool, writes))
  server.setRequestHandler('tools/list', () => ({ tools: offered.map(({ definition }) => definition) }))
  server.setRequestHandler('tools/call', async ({ params }) => {
    const tool = tools.get(params.name)
    if (!tool || !offers(tool, writes)) throw invalid(`No tool is named ${params.name}`)
    return callTool(calls, tool, params.arguments ?? {})
  })
  server.setRequestHandler('resources/list', () => ({ resources: resourceList }))
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates }))
  server.setRequestHandler('resources/read', async ({ params: { uri } }) => {
    const text = await readResource(tools, calls, uri)
    return { contents: [{ uri, mimeType: 'application/json', text }] }
  })
  server.setRequestHandler('prompts/list', () => ({ prompts: promptList }))
  server.setRequestHandler('prompts/get', ({ params }) => {
    const question = Object.hasOwn(questions, params.name) ? questions[params.name] : undefined
    const prompt = question && promptOf(question, params.arguments ?? {})
    if (!prompt) throw invalid(question ? 'An argument is missing' : `No prompt is named ${params.name}`)
    return prompt
  })
  return server
}

/** Throws refusals with their text: resources have no errors of their own. */
async function readResource(tools: ReadonlyMap<string, EndpointTool>, calls: Calls, uri: string): Promise<string> {
  const reading = readingOf(uri)
  const tool = reading && tools.get(reading.endpoint)
  if (!tool) throw invalid(`No resource is named ${uri}`)
  try {
    return JSON.stringify(await answerOf(calls, tool, reading.args, 0))
  } catch (thrown) {
    const [reported] = toolError(thrown).content
    throw new ProtocolError(ProtocolErrorCode.InternalError, reported?.type === 'text' ? reported.text : 'failed')
  }
}

const invalid = (message: string) => new ProtocolError(ProtocolErrorCode.InvalidParams, message)
