import { createHash } from 'node:crypto'
import { Failure } from '@coffer/contract'
import type { ClientAuth, Configuration, CustomFetch } from 'openid-client'
import { z } from 'zod'
import type { Db } from '../../db/tables.ts'
import type { Clock } from '../../lib/clock.ts'
import { httpRequest } from '../../lib/http-client.ts'
import { createKept, type Kept } from '../../lib/kept.ts'
import type { WarnLog } from '../../lib/logger.ts'
import type { Secret } from '../../lib/secret.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import { openChallenge, takeFlowSubject } from './challenges.ts'
import type { Visit } from './context.ts'
import { randomToken } from './sessions.ts'

export type IssuerSettings = { issuer: string; clientId: string; clientSecret: Secret; name: string }

/** `subject` identifies the account; `label` is for people. */
export type IssuedIdentity = { issuer: string; subject: string; label: string }

const SCOPE = 'openid profile email'
const RETURN_PATH = '/openid'
const TIMEOUT_MS = 10_000
const MAX_BYTES = 1_000_000
const KEPT_MS = 3_600_000
/** Seconds since the user authenticated there; a proof is valid here as long. */
const AGE_MAX = 600
/** Seconds of clock skew. */
const TOLERANCE = 60
const LABEL_MAX = 200

const library = () => import('openid-client')

export type Issuer = IssuerSettings & { kept: Kept<Configuration>; clock: Clock; log: WarnLog }

export const keptConfiguration = (clock: Clock) => createKept<Configuration>({ most: 1, clock, freshMs: KEPT_MS })

const configurationOf = (issuer: Issuer) =>
  issuer.kept
    .get(issuer.issuer, () => discover(issuer))
    .catch((thrown: unknown) => explain(issuer, thrown, 'discovered'))

export async function addressOf(issuer: Issuer, origin: string, token: string): Promise<string> {
  const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await library()
  const config = await configurationOf(issuer)
  const { state, nonce, verifier } = secretsOf(token)
  const url = buildAuthorizationUrl(config, {
    redirect_uri: `${origin}${RETURN_PATH}`,
    scope: SCOPE,
    state,
    nonce,
    max_age: String(AGE_MAX),
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  })
  return url.href
}

/** Throws UNAUTHORIZED if the answer is incomplete, of another flow, or too old. */
export async function identify(issuer: Issuer, origin: string, query: string, token: string): Promise<IssuedIdentity> {
  const config = await configurationOf(issuer)
  const address = new URL(`${origin}${RETURN_PATH}`)
  address.search = query
  const claims = await claimsFor(config, address, token).catch((thrown) => explain(issuer, thrown, 'asked'))
  const oldest = issuer.clock.now() / 1_000 - AGE_MAX - TOLERANCE
  const isStale = typeof claims?.auth_time === 'number' && claims.auth_time < oldest
  if (!claims || isStale) throw notAccepted(issuer.name)
  return { issuer: issuer.issuer, subject: claims.sub, label: labelOf(claims) }
}

/** Logs only error codes, which contain no secret. */
function explain({ name, log }: Issuer, thrown: unknown, during: 'asked' | 'discovered'): never {
  const causes = causesOf(thrown)
  const codes = codesIn(causes)
  log.warn({ codes }, `the issuer of COFFER_OIDC_ISSUER failed while it was ${during}`)
  if (causes.some((cause) => cause instanceof UpstreamError)) {
    throw new Failure('UPSTREAM_UNAVAILABLE', `${name} did not answer: try again later`)
  }
  if (codes.includes('access_denied')) throw new Failure('UNAUTHORIZED', `The sign-in at ${name} was cancelled`)
  if (during === 'discovered' || codes.includes('invalid_client') || codes.includes('unauthorized_client')) {
    const reported = `${name} rejects the configuration of this service: tell the operator of this service`
    throw new Failure('UPSTREAM_UNAVAILABLE', reported)
  }
  throw notAccepted(name)
}

const notAccepted = (name: string) =>
  new Failure('UNAUTHORIZED', `The sign-in at ${name} was not accepted: start again`)

async function claimsFor(config: Configuration, address: URL, token: string) {
  const { authorizationCodeGrant } = await library()
  const { state, nonce, verifier } = secretsOf(token)
  const expected = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true }
  return (await authorizationCodeGrant(config, address, expected)).claims()
}

async function discover({ issuer, clientId, clientSecret }: IssuerSettings): Promise<Configuration> {
  const client = await library()
  const secret = clientSecret.reveal()
  const authenticate: ClientAuth = (server, ...request) => {
    // A server that lists no method takes only the header (RFC 8414).
    const isPosted = server.token_endpoint_auth_methods_supported?.includes('client_secret_post') ?? false
    return (isPosted ? client.ClientSecretPost(secret) : client.ClientSecretBasic(secret))(server, ...request)
  }
  const url = new URL(issuer)
  return client.discovery(url, clientId, undefined, authenticate, {
    [client.customFetch]: askIssuer,
    // Clear text only to this machine, as the configuration ensures.
    execute: [client.enableNonRepudiationChecks, ...(url.protocol === 'http:' ? [client.allowInsecureRequests] : [])],
  })
}

const askIssuer: CustomFetch = async (url, { method, headers, body }) => {
  const answer = await httpRequest({
    url,
    method: method === 'POST' ? 'POST' : 'GET',
    headers: Object.fromEntries(new Headers(headers)),
    ...(body != null && { body: String(body) }),
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_BYTES,
  })
  if (answer.status >= 500) throw new UpstreamError('unavailable', `answered ${answer.status}`)
  const contentType = answer.headers['content-type']
  return new Response(answer.body, {
    status: answer.status,
    headers: contentType === undefined ? {} : { 'content-type': contentType },
  })
}

function causesOf(thrown: unknown): Error[] {
  const causes: Error[] = []
  for (let cause = thrown; cause instanceof Error && causes.length < 10; cause = cause.cause) causes.push(cause)
  return causes
}

/** Messages may contain URLs and untrusted text. */
function codesIn(causes: readonly Error[]): string[] {
  return causes.flatMap((cause) => {
    const { code, error } = cause as { code?: unknown; error?: unknown }
    return [code, error].filter((text) => typeof text === 'string').map((text) => text.slice(0, LABEL_MAX))
  })
}

function labelOf(claims: { sub: string; [claim: string]: unknown }): string {
  const names = [claims['email'], claims['preferred_username'], claims['name'], claims.sub]
  const label = names.find((text) => typeof text === 'string' && text.trim() !== '')
  return String(label).slice(0, LABEL_MAX)
}

/** `link`: digest of a one-time link. `userId` of a sign-in: the only user to accept. */
const intent = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('sign-in'), userId: z.string().optional() }),
  z.object({ kind: z.literal('link'), userId: z.string() }),
  z.object({ kind: z.literal('follow'), link: z.string(), name: z.string() }),
])
export type OpenIdIntent = z.infer<typeof intent>

const derived = (token: string, purpose: string): string =>
  createHash('sha256').update(`${purpose} ${token}`).digest('base64url')

/** Derived from the browser's cookie: answers are valid in that browser only, and the database stores no secret. */
const secretsOf = (token: string) => ({
  state: derived(token, 'state'),
  nonce: derived(token, 'nonce'),
  verifier: derived(token, 'verifier'),
})

export async function beginFlow(db: Db, intent: OpenIdIntent, visit: Visit): Promise<string> {
  const token = randomToken(32)
  await openChallenge(db, derived(token, 'flow'), { purpose: 'openid', subject: JSON.stringify(intent) }, visit)
  return token
}

/** Throws UNAUTHORIZED if the flow is not open. */
export async function takeFlow(db: Db, token: string, origin: string): Promise<OpenIdIntent> {
  const subject = await takeFlowSubject(db, derived(token, 'flow'), origin)
  if (subject === undefined) throw noFlow()
  return intent.parse(JSON.parse(subject))
}

export const noFlow = () =>
  new Failure('UNAUTHORIZED', 'This sign-in was finished, has expired, or began in another browser: start again')
