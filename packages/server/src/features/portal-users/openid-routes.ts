import { Failure } from '@coffer/contract'
import type { openIdEndpoints, SessionView } from '@coffer/contract/portal'
import { sql } from 'kysely'
import type { Db } from '../../db/tables.ts'
import type { PortalCaller } from '../../http/gates.ts'
import type { Handlers } from '../../http/mount.ts'
import { plainRow } from '../../lib/plain-row.ts'
import { recordOwn } from './audit.ts'
import { type PortalUsers, signedIn, type Visit } from './context.ts'
import { followLink, lookForName } from './link-uses.ts'
import {
  addressOf,
  beginFlow,
  type IssuedIdentity,
  type Issuer,
  identify,
  noFlow,
  type OpenIdIntent,
  takeFlow,
} from './openid-issuer.ts'
import { endCookie, FLOW, SESSION, setCookie } from './session-cookie.ts'
import { digestOfToken } from './sessions.ts'
import { takeWay } from './sign-in-ways.ts'
import { beginSignedIn } from './sign-ins.ts'
import { viewSession } from './users.ts'

/** Without a token the account was linked. */
type Finished = { view: SessionView; accountId: string | null; token?: string }

/** An account signs in the user that linked it. No user is found by e-mail address or created by the issuer. */
export function identityRoutes(context: PortalUsers): Handlers<typeof openIdEndpoints, PortalCaller> {
  const { db, issuer } = context
  return {
    listSignInWays: ({ caller: { site } }) => ({
      openId: issuer && { name: issuer.name },
      needsPublicUrl: site.isKnown ? null : site.origin,
    }),
    beginOpenIdSignIn: (call) => {
      const userId = call.body.isProof ? signedIn(call.caller).userId : undefined
      return begin(context, { kind: 'sign-in', userId }, call)
    },
    beginOpenIdByLink: async (call) => {
      const { token, name } = call.body
      await lookForName(db, token, name)
      return begin(context, { kind: 'follow', link: digestOfToken(token).toString('base64url'), name }, call)
    },
    beginIdentity: (call) => begin(context, { kind: 'link', userId: signedIn(call.caller).userId }, call),
    finishOpenId: async ({ caller, body, origin }) => {
      const { token, accountId, view } = await finish(context, { caller, origin }, body.query)
      return {
        body: { did: token === undefined ? 'linked' : 'signed-in', accountId, session: view },
        headers: token === undefined ? endCookie(FLOW, origin) : setCookie(SESSION, origin, token),
      }
    },
    listIdentities: async ({ caller }) =>
      (await listIdentities(db, signedIn(caller).userId)).map((identity) => ({
        ...plainRow(identity),
        issuer: new URL(identity.issuer).host,
        isUsable: identity.issuer === issuer?.issuer,
      })),
    unlinkIdentity: ({ caller, params: { id } }) =>
      takeWay(context, caller, 'account', async (trx, userId) => {
        const { rows } = await sql<{ label: string }>`
          delete from portal_identity where id = ${BigInt(id)} and user_id = ${BigInt(userId)} returning label`.execute(
          trx,
        )
        return rows[0] && { action: 'unlinked an account of an issuer', detail: rows[0] }
      }),
  }
}

function configured({ issuer }: PortalUsers): Issuer {
  if (!issuer) throw new Failure('NOT_CONFIGURED', 'This service has no issuer to sign in with')
  return issuer
}

async function begin(context: PortalUsers, intent: OpenIdIntent, visit: Visit) {
  const issuer = configured(context)
  const token = await beginFlow(context.db, intent, visit)
  const url = await addressOf(issuer, visit.origin, token)
  return { body: { url }, headers: setCookie(FLOW, visit.origin, token) }
}

/** Uses up the flow, even on failure. */
async function finish(context: PortalUsers, { caller, origin }: Visit, query: string): Promise<Finished> {
  const { db } = context
  const { flow, session } = caller
  const issuer = configured(context)
  if (flow === undefined) throw noFlow()
  const intent = await takeFlow(db, flow, origin)
  const identity = await identify(issuer, origin, query, flow)
  if (intent.kind === 'sign-in') {
    return { ...(await signIn(db, caller, identity, intent.userId)), accountId: null }
  }
  if (intent.kind === 'link') {
    if (session?.userId !== intent.userId) throw noFlow()
    return linkIdentity(db, caller, identity)
  }
  const link = { digest: Buffer.from(intent.link, 'base64url'), name: intent.name }
  const { begun, accountId } = await followLink(db, caller, link, (trx, userId) => addIdentity(trx, userId, identity))
  return { ...begun, accountId }
}

async function signIn(db: Db, caller: PortalCaller, identity: IssuedIdentity, expected: string | undefined) {
  const { issuer, subject, label } = identity
  const { rows } = await sql<{ id: string; name: string }>`
    update portal_identity i set last_used_at = coffer_now(), label = ${label} from portal_user u
    where i.issuer = ${issuer} and i.subject = ${subject} and u.id = i.user_id returning u.id::text, u.name`.execute(db)
  const [user] = rows
  if (!user) {
    const reported = `No user of Coffer has linked ${label}: sign in another way and link it, or ask for an invitation`
    throw new Failure('UNAUTHORIZED', reported)
  }
  if (expected !== undefined && user.id !== expected) {
    throw new Failure('UNAUTHORIZED', `${label} belongs to another user: confirm with your own account`)
  }
  return beginSignedIn(db, caller, user, 'openid')
}

function linkIdentity(db: Db, caller: PortalCaller, identity: IssuedIdentity): Promise<Finished> {
  const { userId, provedUntil } = signedIn(caller)
  return db.transaction().execute(async (trx) => {
    await addIdentity(trx, userId, identity)
    await recordOwn(trx, caller, 'linked an account of an issuer', { label: identity.label })
    return { view: await viewSession(trx, userId, provedUntil), accountId: null }
  })
}

/** Throws VALIDATION_ERROR if the account already signs in a user. */
async function addIdentity(db: Db, userId: string, identity: IssuedIdentity): Promise<void> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('portal_identity')
    .values({ ...identity, user_id: BigInt(userId), last_used_at: null })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  if (numInsertedOrUpdatedRows === 1n) return
  const reported = `${identity.label} is already linked to a user: sign in with it, or choose another`
  throw new Failure('VALIDATION_ERROR', reported)
}

const listIdentities = (db: Db, userId: string) =>
  db
    .selectFrom('portal_identity')
    .select(['id', 'issuer', 'label', 'created_at as createdAt', 'last_used_at as lastUsedAt'])
    .where('user_id', '=', BigInt(userId))
    .orderBy('id')
    .execute()
