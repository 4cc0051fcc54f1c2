import { Failure } from '@coffer/contract'
import type { SessionView } from '@coffer/contract/portal'
import type { Kysely } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import type { PortalSession } from '../../http/gates.ts'
import { recordAction } from './audit.ts'
import type { Opening } from './challenges.ts'
import { listPasskeys, optionsToSign, userOfPasskey } from './passkeys.ts'
import type { PasswordDelays } from './password-delays.ts'
import type { Passwords } from './passwords.ts'
import type { SecondFactors } from './second-factors.ts'
import { beginSession, type From, noteProof } from './sessions.ts'
import type { SignInLimits } from './sign-in-limits.ts'
import { normalUserName } from './user-names.ts'
import { findUser, findUserByName, replacePasswordHash, viewSession } from './users.ts'

type Site = { origin: string }
export type Begun = { token: string; view: SessionView }
type Given = { password: string; code?: string | undefined }

export type SignIns = ReturnType<typeof createSignIns>

/** Refusals do not reveal which part was wrong. */
export function createSignIns({
  db,
  passwords,
  secondFactors,
  attempts,
  delays,
}: {
  db: Kysely<Tables>
  passwords: Passwords
  secondFactors: Pick<SecondFactors, 'check'>
  attempts: SignInLimits
  delays: PasswordDelays
}) {
  /**
   * Limits and delays apply to `subject`, and to the network unless it is null. Proofs of a signed-in user count
   * separately, so others cannot use them up.
   */
  async function checkPassword<U extends { id: bigint; password: string | null }>(
    { subject, network }: { subject: string; network: string | null },
    find: () => Promise<U | undefined>,
    { password, code }: Given,
  ): Promise<U> {
    await Promise.all([attempts.ofUser(subject), network !== null && attempts.fromNetwork(network)])
    const attempt = await delays.begin(subject, network)
    const { user, encoded } = await match(find, { password, code }).catch(async (thrown: unknown) => {
      if (!isWrong(thrown, code)) await attempt.undecided()
      throw thrown
    })
    await attempt.right()
    const renewed = await passwords.renew(password, encoded)
    if (renewed !== undefined) await replacePasswordHash(db, String(user.id), { before: encoded, after: renewed })
    return user
  }

  async function match<U extends { id: bigint; password: string | null }>(
    find: () => Promise<U | undefined>,
    { password, code }: Given,
  ) {
    const user = await find()
    const encoded = user?.password ?? null
    if (!(await passwords.verify(password, encoded)) || !user || encoded === null) throw refused()
    await secondFactors.check(String(user.id), code)
    return { user, encoded }
  }

  return {
    view: ({ userId, provedUntil }: PortalSession) => viewSession(db, userId, provedUntil),
    async byPassword({ name, ...given }: Given & { name: string }, from: From): Promise<Begun> {
      const subject = { subject: normalUserName(name), network: from.address }
      const user = await checkPassword(subject, () => findUserByName(db, name), given)
      return beginSignedIn(db, { userId: String(user.id), userName: user.name }, 'password', from)
    },
    beginByPasskey: (site: Opening) => optionsToSign(db, site, { purpose: 'sign-in', subject: '' }),
    async byPasskey(response: { id: string }, { origin, ...from }: Site & From): Promise<Begun> {
      const userId = await userOfPasskey(db, { origin }, { response, purpose: 'sign-in', subject: '' })
      const user = await findUser(db, userId)
      if (!user) throw refused()
      return beginSignedIn(db, { userId, userName: user.name }, 'passkey', from)
    },
    async proveByPassword({ userId, id }: PortalSession, given: Given): Promise<Date> {
      await checkPassword({ subject: proofsOf(userId), network: null }, () => findUser(db, userId), given)
      return noteProof(db, id)
    },
    async beginProof({ userId }: PortalSession, site: Opening) {
      const known = (await listPasskeys(db, userId)).map(({ id }) => id)
      return optionsToSign(db, site, { purpose: 'proof', subject: userId }, known)
    },
    async proveByPasskey({ userId, id }: PortalSession, response: { id: string }, site: Site): Promise<Date> {
      await userOfPasskey(db, site, { response, purpose: 'proof', subject: userId })
      return noteProof(db, id)
    },
  }
}

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

/** A missing code or a busy service is not wrong. */
function isWrong(thrown: unknown, code: string | undefined): boolean {
  if (!(thrown instanceof Failure) || thrown.code !== 'UNAUTHORIZED') return false
  return code !== undefined || thrown.extras['needsCode'] !== true
}

/** Names have no control characters, so this is no user's name. */
export const proofsOf = (userId: string) => `\u0000proof ${userId}`
const signedInBy = (how: string) => ({ action: 'signed in', accountId: null, detail: { how } })
const refused = () => new Failure('UNAUTHORIZED', 'The name or the password is wrong')
