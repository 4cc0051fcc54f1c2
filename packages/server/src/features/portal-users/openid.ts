import { Failure } from '@coffer/contract'
import type { SessionView } from '@coffer/contract/portal'
import { type Kysely, sql, type Transaction } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import type { PortalSession } from '../../http/gates.ts'
import { recordAction } from './audit.ts'
import type { Opening } from './challenges.ts'
import type { LinkUses } from './link-uses.ts'
import { type IssuedIdentity, type Issuer, noFlow, type OpenIdIntent, openFlow, takeFlow } from './openid-issuer.ts'
import type { From } from './sessions.ts'
import type { TakeWay } from './sign-in-ways.ts'
import { beginSignedIn } from './sign-ins.ts'
import { digestOfToken } from './tokens.ts'
import { viewSession } from './users.ts'

type Site = { origin: string }
export type BegunFlow = { url: string; token: string }
type Finished = { view: SessionView; accountId: string | null } & (
  | { did: 'signed-in'; token: string }
  | { did: 'linked' }
)
type Came = { query: string; flow: string | undefined; session: PortalSession | undefined }

export type OpenId = ReturnType<typeof createOpenId>

/**
 * An account signs in the user that linked it, or that came with it via a one-time link. No user is found by e-mail
 * address or created by the issuer.
 */
export function createOpenId({
  db,
  issuer,
  links,
  takeWay,
}: {
  db: Kysely<Tables>
  issuer: Issuer | null
  links: Pick<LinkUses, 'lookForName' | 'follow'>
  takeWay: TakeWay
}) {
  function configured(): Issuer {
    if (!issuer) throw new Failure('NOT_CONFIGURED', 'This service has no issuer to sign in with')
    return issuer
  }

  async function begin(intent: OpenIdIntent, site: Opening): Promise<BegunFlow> {
    const { address } = configured()
    const token = await openFlow(db, intent, site)
    return { url: await address(site.origin, token), token }
  }

  async function signIn(identity: IssuedIdentity, from: From, expected: string | undefined): Promise<Finished> {
    const user = await userOfIdentity(db, identity)
    if (!user) {
      const told = `No user of Coffer has linked ${identity.label}: sign in another way and link it, or ask for an invitation`
      throw new Failure('UNAUTHORIZED', told)
    }
    if (expected !== undefined && user.userId !== expected) {
      throw new Failure('UNAUTHORIZED', `${identity.label} belongs to another user: confirm with your own account`)
    }
    const { token, view } = await beginSignedIn(db, user, 'openid', from)
    return { did: 'signed-in', token, view, accountId: null }
  }

  function link({ userId, userName, provedUntil }: PortalSession, identity: IssuedIdentity, { address }: From) {
    return db.transaction().execute(async (trx): Promise<Finished> => {
      await addIdentity(trx, userId, identity)
      const action = { action: 'linked an account of an issuer', accountId: null, detail: { label: identity.label } }
      await recordAction(trx, { userId, userName, address }, action)
      return { did: 'linked', view: await viewSession(trx, userId, provedUntil), accountId: null }
    })
  }

  return {
    name: issuer?.name ?? null,
    /** `userId`: the only user to accept. */
    beginSignIn: (site: Opening, userId?: string) => begin({ kind: 'sign-in', userId }, site),
    beginLink: ({ userId }: PortalSession, site: Opening) => begin({ kind: 'link', userId }, site),
    async beginByLink({ token, name }: { token: string; name: string }, site: Opening): Promise<BegunFlow> {
      await links.lookForName(token, name)
      return begin({ kind: 'follow', link: digestOfToken(token).toString('base64url'), name }, site)
    },
    /** Uses up the flow, even on failure. */
    async finish({ query, flow, session }: Came, { origin, ...from }: Site & From): Promise<Finished> {
      const { identify } = configured()
      if (flow === undefined) throw noFlow()
      const intent = await takeFlow(db, flow, origin)
      const identity = await identify(origin, query, flow)
      if (intent.kind === 'sign-in') return signIn(identity, from, intent.userId)
      if (intent.kind === 'link') {
        if (session?.userId !== intent.userId) throw noFlow()
        return link(session, identity, from)
      }
      const { name } = intent
      const digest = Buffer.from(intent.link, 'base64url')
      const { begun, accountId } = await links.follow({ digest, name }, from, (trx, userId) =>
        addIdentity(trx, userId, identity),
      )
      return { did: 'signed-in', ...begun, accountId }
    },
    list: async (userId: string) =>
      (await listIdentities(db, userId)).map(({ issuer: from, ...identity }) => ({
        ...identity,
        issuer: new URL(from).host,
        isUsable: from === issuer?.issuer,
      })),
    unlink: ({ userId, userName }: PortalSession, id: string, { address }: From): Promise<boolean> =>
      db.transaction().execute((trx) =>
        takeWay(trx, userId, async () => {
          const label = await removeIdentity(trx, { userId, id })
          if (label === undefined) return false
          const action = { action: 'unlinked an account of an issuer', accountId: null, detail: { label } }
          await recordAction(trx, { userId, userName, address }, action)
          return true
        }),
      ),
  }
}

type Db = Kysely<Tables> | Transaction<Tables>

/** Throws VALIDATION_ERROR if the account already signs in a user. */
async function addIdentity(db: Db, userId: string, { issuer, subject, label }: IssuedIdentity): Promise<void> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('portal_identity')
    .values({ issuer, subject, label, user_id: BigInt(userId), last_used_at: null })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  if (numInsertedOrUpdatedRows === 1n) return
  throw new Failure('VALIDATION_ERROR', `${label} is already linked to a user: sign in with it, or choose another`)
}

async function userOfIdentity(db: Db, { issuer, subject, label }: IssuedIdentity) {
  const { rows } = await sql<{ id: bigint; name: string }>`
    update portal_identity i set last_used_at = coffer_now(), label = ${label} from portal_user u
    where i.issuer = ${issuer} and i.subject = ${subject} and u.id = i.user_id returning u.id, u.name`.execute(db)
  const [user] = rows
  return user && { userId: String(user.id), userName: user.name }
}

async function listIdentities(db: Db, userId: string) {
  return db
    .selectFrom('portal_identity')
    .select(['id', 'issuer', 'label', 'created_at as createdAt', 'last_used_at as lastUsedAt'])
    .where('user_id', '=', BigInt(userId))
    .orderBy('id')
    .execute()
}

async function removeIdentity(db: Db, { userId, id }: { userId: string; id: string }) {
  const row = await db
    .deleteFrom('portal_identity')
    .where('id', '=', BigInt(id))
    .where('user_id', '=', BigInt(userId))
    .returning('label')
    .executeTakeFirst()
  return row?.label
}
