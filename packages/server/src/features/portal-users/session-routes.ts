import { Failure } from '@coffer/contract'
import type { openIdEndpoints, sessionEndpoints, totpEndpoints, walletEndpoints } from '@coffer/contract/portal'
import type { PortalCaller } from '../../http/gates.ts'
import type { Handlers } from '../../http/mount.ts'
import { fromOf, signedIn } from './audit.ts'
import { openerOf } from './challenges.ts'
import type { BegunFlow, OpenId } from './openid.ts'
import type { SecondFactors } from './second-factors.ts'
import { flowCookie, noCookie, noFlowCookie, sessionCookie } from './session-cookie.ts'
import type { SignIns } from './sign-ins.ts'
import type { ownPasskeys, ownSessions } from './user-security.ts'
import type { Wallets } from './wallets.ts'

type Ports = { signIns: SignIns; passkeys: ReturnType<typeof ownPasskeys>; sessions: ReturnType<typeof ownSessions> }

const iso = (at: Date) => at.toISOString()

export function sessionRoutes({ signIns, passkeys, sessions }: Ports): Handlers<typeof sessionEndpoints, PortalCaller> {
  return {
    getSession: ({ caller }) => signIns.view(signedIn(caller)),
    signInWithPassword: async ({ caller, body, origin }) => {
      const { token, view } = await signIns.byPassword(body, fromOf(caller))
      return { body: view, headers: { 'set-cookie': sessionCookie(token, origin) } }
    },
    beginPasskeySignIn: ({ caller, origin }) => signIns.beginByPasskey({ origin, opener: openerOf(caller) }),
    signInWithPasskey: async ({ caller, body, origin }) => {
      const { token, view } = await signIns.byPasskey(body.response, { origin, ...fromOf(caller) })
      return { body: view, headers: { 'set-cookie': sessionCookie(token, origin) } }
    },
    signOut: async ({ caller, origin }) => {
      const { userId, id } = signedIn(caller)
      await sessions.end({ userId, id })
      return { body: {}, headers: { 'set-cookie': noCookie(origin) } }
    },
    proveByPassword: async ({ caller, body }) => ({
      provedUntil: iso(await signIns.proveByPassword(signedIn(caller), body)),
    }),
    beginPasskeyProof: ({ caller, origin }) =>
      signIns.beginProof(signedIn(caller), { origin, opener: openerOf(caller) }),
    proveByPasskey: async ({ caller, body, origin }) => ({
      provedUntil: iso(await signIns.proveByPasskey(signedIn(caller), body.response, { origin })),
    }),
    listSessions: async ({ caller }) => {
      const own = signedIn(caller)
      return (await sessions.list(own.userId)).map(({ id, created_at, seen_at, ...seen }) => ({
        id: String(id),
        isCurrent: String(id) === own.id,
        createdAt: iso(created_at),
        seenAt: iso(seen_at),
        ...seen,
      }))
    },
    endSession: async ({ caller, params }) => {
      if (!(await sessions.end({ userId: signedIn(caller).userId, id: params.id }))) throw none('session')
      return {}
    },
    listPasskeys: async ({ caller }) =>
      (await passkeys.list(signedIn(caller).userId)).map(({ created_at, last_used_at, ...key }) => ({
        ...key,
        createdAt: iso(created_at),
        lastUsedAt: last_used_at && iso(last_used_at),
      })),
    beginPasskey: ({ caller, origin }) => passkeys.begin(signedIn(caller), { origin, opener: openerOf(caller) }),
    addPasskey: async ({ caller, body, origin }) => ({
      id: await passkeys.add(signedIn(caller), body, { origin, ...caller.from }),
    }),
    removePasskey: async ({ caller, params }) => {
      if (!(await passkeys.remove(signedIn(caller), params.id, caller.from))) throw none('passkey')
      return {}
    },
    setPassword: async ({ caller, body }) => {
      await sessions.setPassword(signedIn(caller), body.password, caller.from)
      return {}
    },
  }
}

const none = (what: string) => new Failure('NOT_FOUND', `There is no such ${what}`)

export function totpRoutes({
  secondFactors,
}: {
  secondFactors: SecondFactors
}): Handlers<typeof totpEndpoints, PortalCaller> {
  return {
    beginTotp: ({ caller }) => secondFactors.begin(signedIn(caller)),
    confirmTotp: async ({ caller, body }) => ({
      recoveryCodes: await secondFactors.confirm(signedIn(caller), body.code, caller.from),
    }),
    removeTotp: async ({ caller }) => {
      const isRemoved = await secondFactors.remove(signedIn(caller), caller.from)
      if (!isRemoved) throw new Failure('NOT_FOUND', 'No authenticator app is set up')
      return {}
    },
  }
}

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

export function walletRoutes({ wallets }: { wallets: Wallets }): Handlers<typeof walletEndpoints, PortalCaller> {
  return {
    beginWalletSignIn: async ({ caller, body, origin }) => ({
      text: await wallets.beginSignIn(body, { origin, opener: openerOf(caller) }),
    }),
    signInWithWallet: async ({ caller, body, origin }) => {
      const { token, view } = await wallets.signIn(body, { origin, ...fromOf(caller) })
      return { body: view, headers: { 'set-cookie': sessionCookie(token, origin) } }
    },
    beginWalletProof: async ({ caller, body, origin }) => ({
      text: await wallets.beginProof(signedIn(caller), body, { origin, opener: openerOf(caller) }),
    }),
    proveByWallet: async ({ caller, body, origin }) => ({
      provedUntil: (await wallets.prove(signedIn(caller), body, { origin })).toISOString(),
    }),
    listWallets: async ({ caller }) =>
      (await wallets.list(signedIn(caller).userId)).map(({ address, createdAt, lastUsedAt }) => ({
        address,
        createdAt: createdAt.toISOString(),
        lastUsedAt: lastUsedAt?.toISOString() ?? null,
      })),
    beginWallet: async ({ caller, body, origin }) => ({
      text: await wallets.beginLink(signedIn(caller), body, { origin, opener: openerOf(caller) }),
    }),
    linkWallet: async ({ caller, body, origin }) => ({
      address: await wallets.link(signedIn(caller), body, { origin, ...caller.from }),
    }),
    unlinkWallet: async ({ caller, params }) => {
      const isUnlinked = await wallets.unlink(signedIn(caller), params.address, caller.from)
      if (!isUnlinked) throw new Failure('NOT_FOUND', 'There is no such wallet')
      return {}
    },
  }
}
