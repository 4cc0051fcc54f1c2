import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider } from 'oidc-provider'

const CLIENT_ID = 'coffer'
const CLIENT_SECRET = 'secret-canary-of-the-client'

export type TestIssuer = Awaited<ReturnType<typeof startIssuer>>

/** `serve` sets the service's redirect URI. */
export async function startIssuer() {
  let provider: Provider | undefined
  let broken = false
  let user = 'ada'
  const server = createServer((request, response) => {
    if (broken) response.writeHead(500).end()
    else if (!provider) response.writeHead(503).end()
    else if (request.url?.startsWith('/interaction/')) {
      if (request.method === 'GET') showForm(response, request.url)
      else void provider.interactionFinished(request, response, { login: { accountId: user } })
    } else void provider.callback()(request, response)
  })
  const port = await listen(server, 0)
  const url = `http://127.0.0.1:${port}`
  return {
    url,
    env: {
      COFFER_OIDC_ISSUER: url,
      COFFER_OIDC_CLIENT_ID: CLIENT_ID,
      COFFER_OIDC_CLIENT_SECRET: CLIENT_SECRET,
      COFFER_OIDC_NAME: 'Example',
    },
    secrets: [CLIENT_SECRET, url],
    serve(redirectUri: string, secret = CLIENT_SECRET) {
      provider = createProvider(url, redirectUri, secret)
    },
    become(name: string) {
      user = name
    },
    setBroken(isBroken: boolean) {
      broken = isBroken
    },
    /** As after its minute. */
    async expire(code: string) {
      await (await provider?.AuthorizationCode.find(code))?.destroy()
    },
    visit: (address: string, redirectUri: string) => visit(address, redirectUri),
    async goDown() {
      await close(server)
    },
    async comeBack() {
      await listen(server, port)
    },
    stop: () => (server.listening ? close(server) : Promise.resolve()),
  }
}

function createProvider(url: string, redirectUri: string, secret: string): Provider {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  return new Provider(url, {
    clients: [
      {
        ...{ client_id: CLIENT_ID, client_secret: secret, redirect_uris: [redirectUri] },
        ...{ response_types: ['code'], grant_types: ['authorization_code'] },
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256', kid: randomUUID() }] },
    cookies: { keys: [randomUUID()] },
    pkce: { required: () => true },
    conformIdTokenClaims: false,
    claims: { openid: ['sub'], email: ['email'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id, email: `${id}@login.example` }) }),
    async loadExistingGrant({ oidc }) {
      const { client, session, provider } = oidc
      if (!client || !session?.accountId) throw new Error('nobody is signed in at the issuer')
      const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId })
      grant.addOIDCScope('openid profile email')
      await grant.save()
      return grant
    },
  })
}

function showForm(response: ServerResponse, path: string) {
  response.writeHead(200, { 'content-type': 'text/html' })
  response.end(
    `<!doctype html><title>Example</title><form method="post" action="${path}"><button>Enter</button></form>`,
  )
}

/** Returns the redirect. */
async function visit(address: string, redirectUri: string): Promise<string> {
  const cookies = new Map<string, string>()
  let [url, method] = [address, 'GET']
  for (let step = 0; step < 10; step += 1) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await fetch(url, { method, redirect: 'manual', headers: { cookie } })
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    const location = answer.headers.get('location')
    if (location === null) {
      if (answer.status !== 200) throw new Error(`the issuer answered ${answer.status}: ${await answer.text()}`)
      method = 'POST'
      continue
    }
    ;[url, method] = [new URL(location, url).href, 'GET']
    if (url.startsWith(redirectUri)) return new URL(url).search.slice(1)
  }
  throw new Error('the issuer sent nobody back')
}

const listen = (server: Server, port: number) =>
  new Promise<number>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })

const close = (server: Server) =>
  new Promise<void>((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
