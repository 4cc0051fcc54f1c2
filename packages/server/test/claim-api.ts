import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

/** `body` is sent unchanged; `silent` never answers. */
export type ClaimAnswer = { status?: number; type?: string; body: string; silent?: true }

/** Paths without an answer get 404, as claim APIs answer for unknown wallets. */
export type ClaimApi = {
  url: string
  /** Paths with query, in order. */
  asked(): readonly string[]
  headers(): readonly IncomingHttpHeaders[]
  answerWith(answer: (path: string) => ClaimAnswer | undefined): void
  stop(): Promise<void>
}

export async function startClaimApi(): Promise<ClaimApi> {
  let asked: { path: string; headers: IncomingHttpHeaders }[] = []
  let answer: (path: string) => ClaimAnswer | undefined = () => undefined
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    asked.push({ path, headers: request.headers })
    const { status = 200, type = 'application/json', body, silent } = answer(path) ?? { status: 404, body: '' }
    if (silent) return
    response.writeHead(status, { 'content-type': type })
    response.end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: () => asked.map(({ path }) => path),
    headers: () => asked.map(({ headers }) => headers),
    answerWith(next) {
      asked = []
      answer = next
    },
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
