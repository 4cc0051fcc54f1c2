import { Failure } from '@coffer/contract'
import type { SessionView } from '@coffer/contract/portal'
import type { Kysely } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import type { PortalSession } from '../../http/gates.ts'
import { recordAction } from './audit.ts'
import { listPasskeys, optionsToSign, userOfPasskey } from './passkeys.ts'
import type { Passwords } from './passwords.ts'
import type { SecondFactors } from './second-factors.ts'
import { beginSession, type From, noteProof } from './sessions.ts'
import { findUser, findUserByName, viewSession } from './users.ts'

type Site = { origin: string }
/** What the cookie of a new session holds, and what the portal shows of it. */
export type Begun = { token: string; view: SessionView }
type Given = { password: string; code?: string | undefined }
type CountAttempt = (userName: string, address: string) => Promise<void>

export type SignIns = ReturnType<typeof createSignIns>

/** Ways to sign in, and to prove who one is while signed in. Refusals do not say which part was wrong. */
export function createSignIns({
  db,
  passwords,
  secondFactors,
  countAttempt,
}: {
  db: Kysely<Tables>
  passwords: Passwords
  secondFactors: Pick<SecondFactors, 'check'>
  countAttempt: CountAttempt
}) {
  async function checkPassword(user: { id: bigint; password: string | null } | undefined, { password, code }: Given) {
    if (!(await passwords.verify(password, user?.password ?? null)) || !user) throw refused()
    await secondFactors.check(String(user.id), code)
  }

  return {
    view: ({ userId, provedUntil }: PortalSession) => viewSession(db, userId, provedUntil),
    async byPassword({ name, ...given }: Given & { name: string }, from: From): Promise<Begun> {
      await countAttempt(name, from.address)
      const user = await findUserByName(db, name)
      await checkPassword(user, given)
      if (!user) throw refused()
      return beginSignedIn(db, { userId: String(user.id), userName: user.name }, 'password', from)
    },
    beginByPasskey: (site: Site) => optionsToSign(db, site, { purpose: 'sign-in', subject: '' }),
    async byPasskey(response: { id: string }, { origin, ...from }: Site & From): Promise<Begun> {
      const userId = await userOfPasskey(db, { origin }, { response, purpose: 'sign-in', subject: '' })
      const user = await findUser(db, userId)
      if (!user) throw refused()
      return beginSignedIn(db, { userId, userName: user.name }, 'passkey', from)
    },
    async proveByPassword({ userId, userName, id }: PortalSession, given: Given, from: From): Promise<Date> {
      await countAttempt(userName, from.address)
      const user = await findUser(db, userId)
      await checkPassword(user, given)
      return noteProof(db, id)
    },
    async beginProof({ userId }: PortalSession, site: Site) {
      const known = (await listPasskeys(db, userId)).map(({ id }) => id)
      return optionsToSign(db, site, { purpose: 'proof', subject: userId }, known)
    },
    async proveByPasskey({ userId, id }: PortalSession, response: { id: string }, site: Site): Promise<Date> {
      await userOfPasskey(db, site, { response, purpose: 'proof', subject: userId })
      return noteProof(db, id)
    },
  }
}

/** Begins a session of a user that has just shown who it is, and writes it down. */
export function beginSignedIn(
  db: Kysely<Tables>,
  { userId, userName }: { userId: string; userName: string },
  how: string,
  from: From,
): Promise<Begun> {
  return db.transaction().execute(async (trx) => {
    const { token, provedUntil } = await beginSession(trx, userId, from)
    await recordAction(trx, { userId, userName, address: from.address }, signedInBy(how))
    return { token, view: await viewSession(trx, userId, provedUntil) }
  })
}

const signedInBy = (how: string) => ({ action: 'signed in', accountId: null, detail: { how } })
const refused = () => new Failure('UNAUTHORIZED', 'The name or the password is wrong')
