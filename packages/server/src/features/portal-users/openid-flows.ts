import { createHash } from 'node:crypto'
import { Failure } from '@coffer/contract'
import type { Kysely } from 'kysely'
import { z } from 'zod'
import type { Tables } from '../../db/tables.ts'
import { type Opening, openChallenge, takeSubject } from './challenges.ts'
import { randomToken } from './tokens.ts'

/** The purpose of a visit to the issuer. `link`: digest of a one-time link. A sign-in with `userId` accepts that user alone. */
const intent = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('sign-in'), userId: z.string().optional() }),
  z.object({ kind: z.literal('link'), userId: z.string() }),
  z.object({ kind: z.literal('follow'), link: z.string(), name: z.string() }),
])
export type OpenIdIntent = z.infer<typeof intent>

/** What the issuer is given and has to answer with. */
export type FlowSecrets = { state: string; nonce: string; verifier: string }

const TOKEN_BYTES = 32

const derived = (token: string, purpose: string): string =>
  createHash('sha256').update(`${purpose} ${token}`).digest('base64url')

/** Made of the text in the browser's cookie: an answer is good in that browser alone, and the database has no secret. */
export const secretsOf = (token: string): FlowSecrets => ({
  state: derived(token, 'state'),
  nonce: derived(token, 'nonce'),
  verifier: derived(token, 'verifier'),
})

/** Begins a flow; what the cookie of the browser holds. */
export async function openFlow(db: Kysely<Tables>, intent: OpenIdIntent, site: Opening): Promise<string> {
  const token = randomToken(TOKEN_BYTES)
  await openChallenge(db, derived(token, 'flow'), { purpose: 'openid', subject: JSON.stringify(intent) }, site)
  return token
}

/** What the flow was begun for, once; UNAUTHORIZED where it is not open. */
export async function takeFlow(db: Kysely<Tables>, token: string, origin: string): Promise<OpenIdIntent> {
  const subject = await takeSubject(db, derived(token, 'flow'), { purpose: 'openid', origin })
  if (subject === undefined) throw noFlow()
  return intent.parse(JSON.parse(subject))
}

export const noFlow = () =>
  new Failure('UNAUTHORIZED', 'This sign-in was finished, took too long, or was begun in another browser: begin again')
