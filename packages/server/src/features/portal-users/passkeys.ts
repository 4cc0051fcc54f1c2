import { Failure } from '@coffer/contract'
import type { AuthenticationResponseJSON, RegistrationResponseJSON, WebAuthnCredential } from '@simplewebauthn/server'
import { sql } from 'kysely'
import type { Db } from '../../db/tables.ts'
import { recordOwn } from './audit.ts'
import { type Challenged, type ChallengedAt, openChallenge, takeChallenge } from './challenges.ts'
import { type Call, type PortalUsers, signedIn, type Visit } from './context.ts'

const SITE_NAME = 'Coffer'
const TRANSPORTS_MAX = 8
/** EdDSA, ES256 and RS256. The library's default includes one that is experimental in Node. */
const ALGORITHMS = [-8, -7, -257]

/** Loaded on first use: it is most of the memory that the portal adds. */
const library = () => import('@simplewebauthn/server')

const hostOf = ({ origin }: { origin: string }) => new URL(origin).hostname

export async function optionsToCreate(
  db: Db,
  visit: Visit,
  { userName, known, ...challenged }: Challenged & { userName: string; known: readonly { id: string }[] },
) {
  const { generateRegistrationOptions } = await library()
  const options = await generateRegistrationOptions({
    rpName: SITE_NAME,
    rpID: hostOf(visit),
    userName,
    userDisplayName: userName,
    excludeCredentials: known.map(({ id }) => ({ id })),
    supportedAlgorithmIDs: ALGORITHMS,
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
  await openChallenge(db, options.challenge, challenged, visit)
  return { ...options }
}

export async function addPasskey(
  db: Db,
  { userId, name, response }: { userId: string; name: string; response: unknown },
  challenged: ChallengedAt,
): Promise<string> {
  const { verifyRegistrationResponse } = await library()
  const { registrationInfo } = await verifyRegistrationResponse({
    response: response as RegistrationResponseJSON,
    expectedChallenge: (challenge) => takeChallenge(db, challenge, challenged),
    expectedOrigin: challenged.origin,
    expectedRPID: hostOf(challenged),
    supportedAlgorithmIDs: ALGORITHMS,
  }).catch(refuse)
  if (!registrationInfo) throw refused()
  const { id, publicKey, counter, transports = [] } = registrationInfo.credential
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('portal_passkey')
    .values({
      id,
      name,
      user_id: BigInt(userId),
      public_key: Buffer.from(publicKey),
      counter: BigInt(counter),
      transports: transports.slice(0, TRANSPORTS_MAX),
      last_used_at: null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  if (numInsertedOrUpdatedRows !== 1n) throw refused()
  return id
}

/** An empty `known` accepts any passkey for the site. */
export async function optionsToSign(
  db: Db,
  visit: Visit,
  challenged: Challenged,
  known: readonly { id: string }[] = [],
) {
  const { generateAuthenticationOptions } = await library()
  const options = await generateAuthenticationOptions({
    rpID: hostOf(visit),
    userVerification: 'required',
    allowCredentials: known.map(({ id }) => ({ id })),
  })
  await openChallenge(db, options.challenge, challenged, visit)
  return { ...options }
}

/** A proof accepts only its subject's passkeys. Throws UNAUTHORIZED. */
export async function userOfPasskey(db: Db, response: { id: string }, challenged: ChallengedAt): Promise<string> {
  const row = await db.selectFrom('portal_passkey').selectAll().where('id', '=', response.id).executeTakeFirst()
  const isAnothers = challenged.purpose === 'proof' && String(row?.user_id) !== challenged.subject
  if (!row || isAnothers) throw refused()
  const credential: WebAuthnCredential = {
    id: row.id,
    publicKey: new Uint8Array(row.public_key),
    counter: Number(row.counter),
  }
  const { verifyAuthenticationResponse } = await library()
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: response as unknown as AuthenticationResponseJSON,
    expectedChallenge: (challenge) => takeChallenge(db, challenge, challenged),
    expectedOrigin: challenged.origin,
    expectedRPID: hostOf(challenged),
    credential,
  }).catch(refuse)
  if (!verified) throw refused()
  await db
    .updateTable('portal_passkey')
    .set({ counter: BigInt(authenticationInfo.newCounter), last_used_at: sql<Date>`coffer_now()` })
    .where('id', '=', row.id)
    .execute()
  return String(row.user_id)
}

export async function listPasskeys(db: Db, userId: string) {
  return db
    .selectFrom('portal_passkey')
    .select(['id', 'name', 'created_at as createdAt', 'last_used_at as lastUsedAt'])
    .where('user_id', '=', BigInt(userId))
    .orderBy('created_at')
    .execute()
}

export async function removePasskey(db: Db, { userId, id }: { userId: string; id: string }): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from portal_passkey where id = ${id} and user_id = ${BigInt(userId)}`.execute(db)
  return numAffectedRows === 1n
}

export async function beginOwnPasskey({ db }: PortalUsers, visit: Visit) {
  const { userId, userName } = signedIn(visit.caller)
  const known = await listPasskeys(db, userId)
  return optionsToCreate(db, visit, { purpose: 'passkey', subject: userId, userName, known })
}

export function addOwnPasskey(
  { db }: PortalUsers,
  { caller, body: { name, response }, origin }: Call<{ name: string; response: unknown }>,
): Promise<{ id: string }> {
  const { userId } = signedIn(caller)
  return db.transaction().execute(async (trx) => {
    const challenged = { purpose: 'passkey', subject: userId, origin } as const
    const id = await addPasskey(trx, { userId, name, response }, challenged)
    await recordOwn(trx, caller, 'added a passkey', { name })
    return { id }
  })
}

const refused = () => new Failure('UNAUTHORIZED', 'The passkey was not accepted')

/** The library throws for any defect; errors of the database pass. */
function refuse(thrown: unknown): never {
  if (thrown instanceof Error && !('severity' in thrown) && !('errno' in thrown)) throw refused()
  throw thrown
}
