import type { IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { type LocalServer, serveLocally } from '../local-server.ts'

/** `down` cuts every connection, `slow` never answers, `bad-json` answers half a document. */
export type EmulatorMode = 'ok' | 'down' | '429' | '500' | 'bad-json' | 'slow'

/** Raw `query` and `body`, as signatures cover them. */
export type EmulatorRequest = {
  method: string
  path: string
  query: string
  body: string
  headers: IncomingMessage['headers']
}

export type EmulatorAnswer = { status?: number; headers?: Record<string, string> } & (
  | { json: unknown }
  | { text: string }
)

export type EmulatedExchange = LocalServer & {
  mode: EmulatorMode
  /** Seconds; none by default. */
  retryAfter: number | undefined
  /** By path. */
  answers: Map<string, EmulatorAnswer>
  requests: EmulatorRequest[]
  paths(): string[]
}

type Given = EmulatorAnswer | 'cut' | 'silence'

type Speech = {
  answer(request: EmulatorRequest): EmulatorAnswer
  /** Body of a 429. */
  tooMany: unknown
}

export async function startEmulator({ answer, tooMany }: Speech): Promise<EmulatedExchange> {
  const server = await serveLocally((request, response) => {
    void serve(request).then((given) => {
      if (given === 'cut') return request.socket.destroy()
      if (given === 'silence') return undefined
      response.writeHead(given.status ?? 200, { 'content-type': 'application/json', ...given.headers })
      return response.end('text' in given ? given.text : JSON.stringify(given.json))
    })
  })

  async function serve(incoming: IncomingMessage): Promise<Given> {
    const [path = '', query = ''] = (incoming.url ?? '').split('?')
    const { method = '', headers } = incoming
    const request = { method, path, query, body: await text(incoming), headers }
    emulator.requests.push(request)
    const fault = faults[emulator.mode]
    return fault ? fault() : (emulator.answers.get(path) ?? answer(request))
  }

  const faults: Readonly<Partial<Record<EmulatorMode, () => Given>>> = {
    down: () => 'cut',
    slow: () => 'silence',
    429: () => {
      const { retryAfter } = emulator
      return { status: 429, headers: retryAfter === undefined ? {} : { 'retry-after': `${retryAfter}` }, json: tooMany }
    },
    500: () => ({ status: 500, text: 'Internal Server Error' }),
    'bad-json': () => ({ text: '{"balances": [' }),
  }

  const emulator: EmulatedExchange = {
    ...server,
    mode: 'ok',
    retryAfter: undefined,
    answers: new Map(),
    requests: [],
    paths: () => emulator.requests.map(({ path }) => path),
  }
  return emulator
}
