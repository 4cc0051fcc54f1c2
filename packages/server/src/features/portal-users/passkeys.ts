import { Failure } from '@coffer/contract'
import type { AuthenticationResponseJSON, RegistrationResponseJSON, WebAuthnCredential } from '@simplewebauthn/server'
import { type Kysely, sql, type Transaction } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import { type Challenged, type Opening, openChallenge, takeChallenge } from './challenges.ts'

type Db = Kysely<Tables> | Transaction<Tables>

type Site = { origin: string }

const SITE_NAME = 'Coffer'
const TRANSPORTS_MAX = 8
/** EdDSA, ES256 and RS256. The library's default includes one that is experimental in Node. */
const ALGORITHMS = [-8, -7, -257]

/** Loaded on first use: it is most of the memory that the portal adds. */
const library = () => import('@simplewebauthn/server')

const hostOf = ({ origin }: Site) => new URL(origin).hostname

export async function optionsToCreate(
  db: Db,
  site: Opening,
  { userName, known, ...challenged }: Challenged & { userName: string; known: readonly string[] },
) {
  const { generateRegistrationOptions } = await library()
  const options = await generateRegistrationOptions({
    rpName: SITE_NAME,
    rpID: hostOf(site),
    userName,
    userDisplayName: userName,
    excludeCredentials: known.map((id) => ({ id })),
    supportedAlgorithmIDs: ALGORITHMS,
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
  await openChallenge(db, options.challenge, challenged, site)
  return { ...options }
}

export async function addPasskey(
  db: Db,
  site: Site,
  { userId, name, response, ...challenged }: Challenged & { userId: string; name: string; response: unknown },
): Promise<string> {
  const { verifyRegistrationResponse } = await library()
  const { registrationInfo } = await verifyRegistrationResponse({
    response: response as RegistrationResponseJSON,
    expectedChallenge: (challenge) => takeChallenge(db, challenge, { ...challenged, origin: site.origin }),
    expectedOrigin: site.origin,
    expectedRPID: hostOf(site),
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
export async function optionsToSign(db: Db, site: Opening, challenged: Challenged, known: readonly string[] = []) {
  const { generateAuthenticationOptions } = await library()
  const options = await generateAuthenticationOptions({
    rpID: hostOf(site),
    userVerification: 'required',
    allowCredentials: known.map((id) => ({ id })),
  })
  await openChallenge(db, options.challenge, challenged, site)
  return { ...options }
}

/** A proof accepts only its subject's passkeys. Throws UNAUTHORIZED. */
export async function userOfPasskey(
  db: Db,
  site: Site,
  { response, ...challenged }: Challenged & { response: { id: string } },
): Promise<string> {
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
    expectedChallenge: (challenge) => takeChallenge(db, challenge, { ...challenged, origin: site.origin }),
    expectedOrigin: site.origin,
    expectedRPID: hostOf(site),
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
    .select(['id', 'name', 'created_at', 'last_used_at'])
    .where('user_id', '=', BigInt(userId))
    .orderBy('created_at')
    .execute()
}

export async function removePasskey(db: Db, { userId, id }: { userId: string; id: string }): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('portal_passkey')
    .where('id', '=', id)
    .where('user_id', '=', BigInt(userId))
    .executeTakeFirst()
  return numDeletedRows > 0n
}

const refused = () => new Failure('UNAUTHORIZED', 'The passkey was not accepted')

/** The library throws for any defect of an answer; errors of the database pass. */
function refuse(thrown: unknown): never {
  if (thrown instanceof Error && !('severity' in thrown) && !('errno' in thrown)) throw refused()
  throw thrown
}
