import { Failure } from '@coffer/contract'
import type { openIdEndpoints } from '@coffer/contract/portal'
import type { PortalCaller } from '../../http/gates.ts'
import type { Handlers } from '../../http/mount.ts'
import { fromOf, signedIn } from './actor.ts'
import { openerOf } from './challenges.ts'
import type { BegunFlow, OpenId } from './openid.ts'
import { flowCookie, noFlowCookie, sessionCookie } from './session-cookie.ts'

export function openIdRoutes({ openId }: { openId: OpenId }): Handlers<typeof openIdEndpoints, PortalCaller> {
  return {
    listSignInWays: ({ caller: { site } }) => ({
      openId: openId.name === null ? null : { name: openId.name },
      needsPublicUrl: site.isKnown ? null : site.origin,
    }),
    beginOpenIdSignIn: async ({ caller, body, origin }) => {
      const expected = body.isProof ? signedIn(caller).userId : undefined
      return leaving(await openId.beginSignIn({ origin, opener: openerOf(caller) }, expected), origin)
    },
    beginOpenIdByLink: async ({ caller, body, origin }) =>
      leaving(await openId.beginByLink(body, { origin, opener: openerOf(caller) }), origin),
    beginIdentity: async ({ caller, origin }) =>
      leaving(await openId.beginLink(signedIn(caller), { origin, opener: openerOf(caller) }), origin),
    finishOpenId: async ({ caller, body, origin }) => {
      const { session, flow } = caller
      const finished = await openId.finish({ ...body, flow, session }, { origin, ...fromOf(caller) })
      const { did, accountId, view } = finished
      const cookie = finished.did === 'linked' ? noFlowCookie(origin) : sessionCookie(finished.token, origin)
      return { body: { did, accountId, session: view }, headers: { 'set-cookie': cookie } }
    },
    listIdentities: async ({ caller }) =>
      (await openId.list(signedIn(caller).userId)).map(({ id, createdAt, lastUsedAt, ...identity }) => ({
        id: String(id),
        ...identity,
        createdAt: createdAt.toISOString(),
        lastUsedAt: lastUsedAt?.toISOString() ?? null,
      })),
    unlinkIdentity: async ({ caller, params }) => {
      const isUnlinked = await openId.unlink(signedIn(caller), params.id, caller.from)
      if (!isUnlinked) throw new Failure('NOT_FOUND', 'There is no such account')
      return {}
    },
  }
}

const leaving = ({ url, token }: BegunFlow, origin: string) => ({
  body: { url },
  headers: { 'set-cookie': flowCookie(token, origin) },
})
