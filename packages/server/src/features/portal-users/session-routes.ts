import { Failure } from '@coffer/contract'
import type { sessionEndpoints } from '@coffer/contract/portal'
import type { PortalCaller } from '../../http/gates.ts'
import type { Handlers } from '../../http/mount.ts'
import { fromOf, signedIn } from './actor.ts'
import { openerOf } from './challenges.ts'
import { noCookie, sessionCookie } from './session-cookie.ts'
import type { SignIns } from './sign-ins.ts'
import type { ownPasskeys, ownSessions } from './user-security.ts'

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
