import { Failure } from '@coffer/contract'
import type { SessionView } from '@coffer/contract/portal'
import { sql } from 'kysely'
import type { Db } from '../../db/tables.ts'
import type { PortalCaller } from '../../http/gates.ts'
import { recordAction } from './audit.ts'
import { type Call, fromOf, type PortalUsers, signedIn } from './context.ts'
import { userOfPasskey } from './passkeys.ts'
import { beginAttempt } from './password-delays.ts'
import { checkCode } from './second-factors.ts'
import { beginSession, noteProof } from './sessions.ts'
import { limitNetwork, limitUser } from './sign-in-limits.ts'
import { normalUserName } from './user-names.ts'
import { type FoundUser, findUser, findUserByName, viewSession } from './users.ts'

export type Begun = { token: string; view: SessionView }
type Given = { password: string; code?: string | undefined }

export async function signInByPassword(
  context: PortalUsers,
  { caller, body: { name, ...given } }: Call<Given & { name: string }>,
): Promise<Begun> {
  const limited = { subject: normalUserName(name), network: caller.from.address }
  const user = await checkPassword(context, limited, () => findUserByName(context.db, name), given)
  return beginSignedIn(context.db, caller, user, 'password')
}

export async function signInByPasskey(
  { db }: PortalUsers,
  { caller, body, origin }: Call<{ response: { id: string } }>,
): Promise<Begun> {
  const user = await findUser(db, await userOfPasskey(db, body.response, { purpose: 'sign-in', subject: '', origin }))
  if (!user) throw refused()
  return beginSignedIn(db, caller, user, 'passkey')
}

export async function proveByPassword(context: PortalUsers, { caller, body }: Omit<Call<Given>, 'origin'>) {
  const { userId, id } = signedIn(caller)
  await checkPassword(context, { subject: proofsOf(userId), network: null }, () => findUser(context.db, userId), body)
  return noteProof(context.db, id)
}

/** Proofs of a signed-in user count separately, so others cannot use them up. Refusals do not reveal the wrong part. */
async function checkPassword(
  context: PortalUsers,
  { subject, network }: { subject: string; network: string | null },
  find: () => Promise<FoundUser | undefined>,
  { password, code }: Given,
): Promise<FoundUser> {
  const { db, passwords } = context
  await Promise.all([limitUser(context, subject), network !== null && limitNetwork(context, network)])
  const attempt = await beginAttempt(db, subject, network)
  const { user, encoded } = await match(context, find, { password, code }).catch(async (thrown: unknown) => {
    if (!isWrong(thrown, code)) await attempt.undecided()
    throw thrown
  })
  await attempt.right()
  const renewed = await passwords.renew(password, encoded)
  if (renewed !== undefined) {
    // Changes nothing if the password was changed meanwhile.
    await sql`
      update portal_user set password = ${renewed} where id = ${user.id}::bigint and password = ${encoded}`.execute(db)
  }
  return user
}

async function match(context: PortalUsers, find: () => Promise<FoundUser | undefined>, { password, code }: Given) {
  const user = await find()
  const encoded = user?.password ?? null
  if (!(await context.passwords.verify(password, encoded)) || !user || encoded === null) throw refused()
  await checkCode(context, user.id, code)
  return { user, encoded }
}

export const beginSignedIn = (
  db: Db,
  caller: PortalCaller,
  { id: userId, name: userName }: { id: string; name: string },
  how: string,
): Promise<Begun> =>
  db.transaction().execute(async (trx) => {
    const { token, provedUntil } = await beginSession(trx, userId, fromOf(caller))
    const actor = { userId, userName, address: caller.from.address }
    await recordAction(trx, actor, { action: 'signed in', accountId: null, detail: { how } })
    return { token, view: await viewSession(trx, userId, provedUntil) }
  })

/** A missing code or a busy service is not wrong. */
function isWrong(thrown: unknown, code: string | undefined): boolean {
  if (!(thrown instanceof Failure) || thrown.code !== 'UNAUTHORIZED') return false
  return code !== undefined || thrown.extras['needsCode'] !== true
}

/** Names have no control characters, so this is no user's name. */
export const proofsOf = (userId: string) => `\u0000proof ${userId}`
const refused = () => new Failure('UNAUTHORIZED', 'The name or the password is wrong')
