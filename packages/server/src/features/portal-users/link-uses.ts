import type { Db, Trx } from '../../db/tables.ts'
import type { PortalCaller } from '../../http/gates.ts'
import { actorOf, recordAction } from './audit.ts'
import { type Call, fromOf, type PortalUsers, signedIn } from './context.ts'
import { type Link, lockUsers, lookAtLink, takeLink } from './links.ts'
import { addPasskey, optionsToCreate } from './passkeys.ts'
import { beginSession, digestOfToken, endOtherSessions } from './sessions.ts'
import type { Begun } from './sign-ins.ts'
import { normalUserName } from './user-names.ts'
import { addMember, checkNewUser, createUser, setPasswordHash, viewSession } from './users.ts'

type Use = { token: string; name: string } & ({ password: string } | { passkey: { id: string } })

const FIRST_PASSKEY = 'First passkey'

export async function beginPasskeyByLink({ db }: PortalUsers, call: Call<{ token: string; name: string }>) {
  const { token, name } = call.body
  const { user } = await lookForName(db, token, name)
  return optionsToCreate(db, call, { ...challengeOf(token), userName: user ?? name, known: [] })
}

export function joinByLink(db: Db, caller: PortalCaller, token: string) {
  const { userId, provedUntil } = signedIn(caller)
  return db.transaction().execute(async (trx) => {
    const { accountId, role } = await takeLink(trx, digestOfToken(token), 'invitation')
    if (accountId === null || role === null) throw new Error('an invitation has an account and a role')
    await addMember(trx, { userId, accountId, role })
    await recordAction(trx, actorOf(caller), { action: 'used a link: invitation', accountId, detail: { role } })
    return viewSession(trx, userId, provedUntil)
  })
}

export async function useLink({ db, passwords }: PortalUsers, { caller, body, origin }: Call<Use>): Promise<Begun> {
  const { token, name } = body
  await lookForName(db, token, name)
  const encoded = 'password' in body ? await passwords.hash(body.password) : undefined
  const { begun } = await followLink(db, caller, { digest: digestOfToken(token), name }, async (trx, userId) => {
    if (encoded !== undefined) await setPasswordHash(trx, userId, encoded)
    if ('passkey' in body) {
      const passkey = { userId, name: FIRST_PASSKEY, response: body.passkey }
      await addPasskey(trx, passkey, { ...challengeOf(token), origin })
    }
  })
  return begun
}

export async function lookForName(db: Db, token: string, name: string): Promise<Link> {
  const link = await lookAtLink(db, token)
  if (link.userId === null) await checkNewUser(db, { name, isOperator: link.kind === 'setup' })
  return link
}

/** All or nothing. */
export const followLink = (
  db: Db,
  caller: PortalCaller,
  { digest, name }: { digest: Buffer; name: string },
  give: (trx: Trx, userId: string) => Promise<void>,
): Promise<{ begun: Begun; accountId: string | null }> =>
  db.transaction().execute(async (trx) => {
    const link = await takeLink(trx, digest)
    const { accountId, kind } = link
    const { userId, userName } = await userOf(trx, link, name)
    await give(trx, userId)
    if (kind === 'recovery') await endOtherSessions(trx, userId, null)
    const { token, provedUntil } = await beginSession(trx, userId, fromOf(caller))
    const actor = { userId, userName, address: caller.from.address }
    await recordAction(trx, actor, { action: `used a link: ${kind}`, accountId })
    return { begun: { token, view: await viewSession(trx, userId, provedUntil) }, accountId }
  })

async function userOf(trx: Trx, link: Link, name: string) {
  if (link.userId !== null) return { userId: link.userId, userName: link.user ?? name }
  await lockUsers(trx)
  const userId = await createUser(trx, { name, isOperator: link.kind === 'setup' })
  const isSetup = link.kind === 'setup'
  const first = isSetup && (await trx.selectFrom('account').select('id').orderBy('id').limit(1).executeTakeFirst())
  const accountId = first ? String(first.id) : link.accountId
  const role = isSetup ? 'owner' : link.role
  if (accountId && role) await addMember(trx, { userId, accountId, role })
  return { userId, userName: normalUserName(name) }
}

const challengeOf = (token: string) =>
  ({ purpose: 'link', subject: digestOfToken(token).toString('base64url') }) as const
