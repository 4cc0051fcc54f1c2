import type { IncomingHttpHeaders } from 'node:http'
import { type LocalServer, serveLocally } from './local-server.ts'

/** `body` is sent unchanged; `silent` never answers. */
export type ClaimAnswer = { status?: number; type?: string; body: string; silent?: true }

/** Paths without an answer get 404, as claim APIs answer for unknown wallets. */
export type ClaimApi = LocalServer & {
  /** Paths with query, in order. */
  asked(): readonly string[]
  headers(): readonly IncomingHttpHeaders[]
  answerWith(answer: (path: string) => ClaimAnswer | undefined): void
}

export async function startClaimApi(): Promise<ClaimApi> {
  let asked: { path: string; headers: IncomingHttpHeaders }[] = []
  let answer: (path: string) => ClaimAnswer | undefined = () => undefined
  const server = await serveLocally((request, response) => {
    const path = request.url ?? ''
    asked.push({ path, headers: request.headers })
    const { status = 200, type = 'application/json', body, silent } = answer(path) ?? { status: 404, body: '' }
    if (silent) return
    response.writeHead(status, { 'content-type': type })
    response.end(body)
  })
  return {
    ...server,
    asked: () => asked.map(({ path }) => path),
    headers: () => asked.map(({ headers }) => headers),
    answerWith(next) {
      asked = []
      answer = next
    },
  }
}
