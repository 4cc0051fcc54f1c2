import type { SessionView } from '@coffer/contract/portal'
import type { Kysely, Transaction } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import type { PortalSession } from '../../http/gates.ts'
import { recordAction } from './audit.ts'
import type { Opening } from './challenges.ts'
import { type Link, lockUsers, lookAtLink, takeLink } from './links.ts'
import { addPasskey, optionsToCreate } from './passkeys.ts'
import type { Passwords } from './passwords.ts'
import { beginSession, endOtherSessions, type From } from './sessions.ts'
import type { Begun } from './sign-ins.ts'
import { digestOfToken } from './tokens.ts'
import { normalUserName } from './user-names.ts'
import { addMember, checkNewUser, createUser, setPasswordHash, viewSession } from './users.ts'

type Site = { origin: string }
type Use = { token: string; name: string } & ({ password: string } | { passkey: { id: string } })

const FIRST_PASSKEY = 'First passkey'

export type LinkUses = ReturnType<typeof createLinkUses>

export function createLinkUses({ db, passwords }: { db: Kysely<Tables>; passwords: Passwords }) {
  async function userOf(
    trx: Transaction<Tables>,
    link: Link,
    name: string,
  ): Promise<{ userId: string; userName: string }> {
    if (link.userId !== null) return { userId: link.userId, userName: link.user ?? name }
    await lockUsers(trx)
    const userId = await createUser(trx, { name, isOperator: link.kind === 'setup' })
    const membership = link.kind === 'setup' ? await firstAccount(trx) : link
    if (membership?.accountId && membership.role) {
      await addMember(trx, { userId, accountId: membership.accountId, role: membership.role })
    }
    return { userId, userName: normalUserName(name) }
  }

  /** Runs before a passkey is created or an issuer is asked. */
  async function lookForName(token: string, name: string): Promise<Link> {
    const link = await lookAtLink(db, token)
    if (link.userId === null) await checkNewUser(db, { name, isOperator: link.kind === 'setup' })
    return link
  }

  /** Takes a link, calls `give`, and starts a session: all or nothing. */
  const follow = (
    { digest, name }: { digest: Buffer; name: string },
    from: From,
    give: (trx: Transaction<Tables>, userId: string) => Promise<void>,
  ): Promise<{ begun: Begun; accountId: string | null }> =>
    db.transaction().execute(async (trx) => {
      const link = await takeLink(trx, digest)
      const { userId, userName } = await userOf(trx, link, name)
      await give(trx, userId)
      if (link.kind === 'recovery') await endOtherSessions(trx, userId, null)
      const { token, provedUntil } = await beginSession(trx, userId, from)
      const actor = { userId, userName, address: from.address }
      await recordAction(trx, actor, { action: `used a link: ${link.kind}`, accountId: link.accountId })
      return { begun: { token, view: await viewSession(trx, userId, provedUntil) }, accountId: link.accountId }
    })

  return {
    join: ({ userId, userName, provedUntil }: PortalSession, token: string, { address }: From): Promise<SessionView> =>
      db.transaction().execute(async (trx) => {
        const { accountId, role } = await takeLink(trx, digestOfToken(token), 'invitation')
        if (accountId === null || role === null) throw new Error('an invitation has an account and a role')
        await addMember(trx, { userId, accountId, role })
        const action = { action: 'used a link: invitation', accountId, detail: { role } }
        await recordAction(trx, { userId, userName, address }, action)
        return viewSession(trx, userId, provedUntil)
      }),
    look: (token: string) => lookAtLink(db, token),
    lookForName,
    async beginPasskey({ token, name }: { token: string; name: string }, site: Opening) {
      const { user } = await lookForName(token, name)
      return optionsToCreate(db, site, { ...challengeOf(token), userName: user ?? name, known: [] })
    },
    async use(given: Use, { origin, ...from }: Site & From): Promise<Begun> {
      await lookForName(given.token, given.name)
      const encoded = 'password' in given ? await passwords.hash(given.password) : undefined
      const followed = { digest: digestOfToken(given.token), name: given.name }
      const { begun } = await follow(followed, from, async (trx, userId) => {
        if (encoded !== undefined) await setPasswordHash(trx, userId, encoded)
        if ('passkey' in given) {
          const passkey = { ...challengeOf(given.token), userId, name: FIRST_PASSKEY, response: given.passkey }
          await addPasskey(trx, { origin }, passkey)
        }
      })
      return begun
    },
    follow,
  }
}

/** The account that the first start created. */
async function firstAccount(trx: Transaction<Tables>): Promise<Pick<Link, 'accountId' | 'role'> | undefined> {
  const row = await trx.selectFrom('account').select('id').orderBy('id').limit(1).executeTakeFirst()
  return row && { accountId: String(row.id), role: 'owner' }
}

const challengeOf = (token: string) =>
  ({ purpose: 'link', subject: digestOfToken(token).toString('base64url') }) as const
