import { createHash } from 'node:crypto'
import { Failure } from '@coffer/contract'
import type { Kysely } from 'kysely'
import { z } from 'zod'
import type { Tables } from '../../db/tables.ts'
import { type Opening, openChallenge, takeSubject } from './challenges.ts'
import { randomToken } from './tokens.ts'

/** `link`: digest of a one-time link. `userId` of a sign-in: the only user to accept. */
const intent = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('sign-in'), userId: z.string().optional() }),
  z.object({ kind: z.literal('link'), userId: z.string() }),
  z.object({ kind: z.literal('follow'), link: z.string(), name: z.string() }),
])
export type OpenIdIntent = z.infer<typeof intent>

export type FlowSecrets = { state: string; nonce: string; verifier: string }

const TOKEN_BYTES = 32

const derived = (token: string, purpose: string): string =>
  createHash('sha256').update(`${purpose} ${token}`).digest('base64url')

/** Derived from the browser's cookie: answers are valid in that browser only, and the database stores no secret. */
export const secretsOf = (token: string): FlowSecrets => ({
  state: derived(token, 'state'),
  nonce: derived(token, 'nonce'),
  verifier: derived(token, 'verifier'),
})

export async function openFlow(db: Kysely<Tables>, intent: OpenIdIntent, site: Opening): Promise<string> {
  const token = randomToken(TOKEN_BYTES)
  await openChallenge(db, derived(token, 'flow'), { purpose: 'openid', subject: JSON.stringify(intent) }, site)
  return token
}

/** Throws UNAUTHORIZED if the flow is not open. */
export async function takeFlow(db: Kysely<Tables>, token: string, origin: string): Promise<OpenIdIntent> {
  const subject = await takeSubject(db, derived(token, 'flow'), { purpose: 'openid', origin })
  if (subject === undefined) throw noFlow()
  return intent.parse(JSON.parse(subject))
}

export const noFlow = () =>
  new Failure('UNAUTHORIZED', 'This sign-in was finished, has expired, or began in another browser: start again')
