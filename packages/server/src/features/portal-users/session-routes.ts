import { Failure } from '@coffer/contract'
import type { linkEndpoints, sessionEndpoints, totpEndpoints } from '@coffer/contract/portal'
import type { PortalCaller } from '../../http/gates.ts'
import type { Handlers } from '../../http/mount.ts'
import { plainRow } from '../../lib/plain-row.ts'
import { recordOwn } from './audit.ts'
import { type PortalUsers, signedIn } from './context.ts'
import { beginPasskeyByLink, joinByLink, useLink } from './link-uses.ts'
import { lookAtLink } from './links.ts'
import {
  addOwnPasskey,
  beginOwnPasskey,
  listPasskeys,
  optionsToSign,
  removePasskey,
  userOfPasskey,
} from './passkeys.ts'
import { beginTotp, confirmTotp, removeTotp } from './second-factors.ts'
import { endCookie, SESSION, signedInAnswer } from './session-cookie.ts'
import { endOtherSessions, endSession, listSessions, noteProof } from './sessions.ts'
import { takeWay } from './sign-in-ways.ts'
import { proveByPassword, signInByPasskey, signInByPassword } from './sign-ins.ts'
import { setPasswordHash, viewSession } from './users.ts'

export function sessionRoutes(context: PortalUsers): Handlers<typeof sessionEndpoints, PortalCaller> {
  const { db, passwords } = context
  return {
    getSession: ({ caller }) => viewSession(db, signedIn(caller).userId, signedIn(caller).provedUntil),
    signInWithPassword: async (call) => signedInAnswer(await signInByPassword(context, call), call.origin),
    beginPasskeySignIn: (call) => optionsToSign(db, call, { purpose: 'sign-in', subject: '' }),
    signInWithPasskey: async (call) => signedInAnswer(await signInByPasskey(context, call), call.origin),
    signOut: async ({ caller, origin }) => {
      await endSession(db, signedIn(caller))
      return { body: {}, headers: endCookie(SESSION, origin) }
    },
    proveByPassword: (call) => proveByPassword(context, call),
    beginPasskeyProof: async (call) => {
      const { userId } = signedIn(call.caller)
      return optionsToSign(db, call, { purpose: 'proof', subject: userId }, await listPasskeys(db, userId))
    },
    proveByPasskey: async ({ caller, body, origin }) => {
      const { userId, id } = signedIn(caller)
      await userOfPasskey(db, body.response, { purpose: 'proof', subject: userId, origin })
      return noteProof(db, id)
    },
    listSessions: async ({ caller }) => {
      const own = signedIn(caller)
      const sessions = (await listSessions(db, own.userId)).map(plainRow)
      return sessions.map((session) => ({ ...session, isCurrent: session.id === own.id }))
    },
    endSession: async ({ caller, params: { id } }) => {
      if (await endSession(db, { userId: signedIn(caller).userId, id })) return {}
      throw new Failure('NOT_FOUND', 'There is no such session')
    },
    listPasskeys: async ({ caller }) => (await listPasskeys(db, signedIn(caller).userId)).map(plainRow),
    beginPasskey: (call) => beginOwnPasskey(context, call),
    addPasskey: (call) => addOwnPasskey(context, call),
    removePasskey: ({ caller, params: { id } }) =>
      takeWay(context, caller, 'passkey', async (trx, userId) =>
        (await removePasskey(trx, { userId, id })) ? { action: 'removed a passkey' } : undefined,
      ),
    setPassword: async ({ caller, body }) => {
      const { userId, id } = signedIn(caller)
      const encoded = await passwords.hash(body.password)
      return db.transaction().execute(async (trx) => {
        await setPasswordHash(trx, userId, encoded)
        await endOtherSessions(trx, userId, id)
        await recordOwn(trx, caller, 'set a password')
        return {}
      })
    },
  }
}

export const linkRoutes = (context: PortalUsers): Handlers<typeof linkEndpoints, PortalCaller> => ({
  lookAtLink: async ({ caller, body }) => {
    const { userId: _, expiresAt, ...link } = await lookAtLink(context.db, body.token)
    return { ...link, signedInAs: caller.session?.userName ?? null, expiresAt: expiresAt.toISOString() }
  },
  beginPasskeyByLink: (call) => beginPasskeyByLink(context, call),
  joinByLink: ({ caller, body }) => joinByLink(context.db, caller, body.token),
  followLink: async (call) => signedInAnswer(await useLink(context, call), call.origin),
})

export const totpRoutes = (context: PortalUsers): Handlers<typeof totpEndpoints, PortalCaller> => ({
  beginTotp: ({ caller }) => beginTotp(context, caller),
  confirmTotp: ({ caller, body }) => confirmTotp(context, caller, body.code),
  removeTotp: ({ caller }) => removeTotp(context, caller),
})
