import { z } from 'zod'
import { defineEndpoints } from '../endpoint.ts'
import { text } from '../text.ts'
import { own, role, rowId } from './requirement.ts'

const moment = z.iso.datetime({ precision: 3 })
const ACCOUNT_PLANS = ['FREE', 'LITE', 'PRO'] as const
const PASSWORD_MIN = 12
const PASSWORD_MAX = 256

export const userName = text({ min: 1, max: 100 })
/** Length alone counts: there is no rule of composition. */
export const newPassword = z
  .string({ error: 'must be a text' })
  .min(PASSWORD_MIN, `must have at least ${PASSWORD_MIN} characters`)
  .max(PASSWORD_MAX, `must have at most ${PASSWORD_MAX} characters`)
const password = z.string({ error: 'must be a text' }).min(1).max(PASSWORD_MAX)
export const code = z.string().min(6).max(40)
/** JSON of a browser's authenticator as in WebAuthn level 3. The verifying library checks it. */
export const credential = z.looseObject({ id: z.string().max(2_000), rawId: z.string().max(2_000), type: z.string() })
/** Options for `navigator.credentials`, as JSON. */
export const credentialOptions = z.looseObject({ challenge: z.string() })

export const sessionView = z.object({
  user: z.object({
    id: z.string(),
    name: z.string(),
    isOperator: z.boolean(),
    hasPassword: z.boolean(),
    passkeys: z.number(),
    /** Issuer accounts that sign the user in. */
    identities: z.number(),
    /** These sign the user in. */
    wallets: z.number(),
    hasTotp: z.boolean(),
  }),
  accounts: z.array(z.object({ id: z.string(), name: z.string(), role, plan: z.enum(ACCOUNT_PLANS) })),
  /** Until then actions with `proof` are allowed. */
  provedUntil: moment.nullable(),
})
export type SessionView = z.infer<typeof sessionView>

export const proof = z.object({ provedUntil: moment })
const signIn = { ...own, tag: 'Sign-in', method: 'POST', requires: { who: 'anyone', knownSite: true } } as const
const ofUser = { ...own, tag: 'User', requires: { who: 'user' } } as const

export const sessionEndpoints = defineEndpoints({
  getSession: {
    ...own,
    tag: 'Sign-in',
    method: 'GET',
    path: '/portal/api/session',
    summary: 'Get the session',
    requires: { who: 'user' },
    response: sessionView,
  },
  signInWithPassword: {
    ...signIn,
    path: '/portal/api/sign-in/password',
    summary: 'Sign in with a password',
    setsCookie: true,
    body: z.object({ name: z.string().max(400), password, code: code.optional() }),
    response: sessionView,
  },
  beginPasskeySignIn: {
    ...signIn,
    path: '/portal/api/sign-in/passkey-options',
    summary: 'Begin to sign in with a passkey',
    body: z.object({}),
    response: credentialOptions,
  },
  signInWithPasskey: {
    ...signIn,
    path: '/portal/api/sign-in/passkey',
    summary: 'Sign in with a passkey',
    setsCookie: true,
    body: z.object({ response: credential }),
    response: sessionView,
  },
  signOut: {
    ...ofUser,
    method: 'POST',
    path: '/portal/api/sign-out',
    summary: 'Sign out',
    setsCookie: true,
    body: z.object({}),
    response: z.object({}),
  },
  proveByPassword: {
    ...ofUser,
    method: 'POST',
    path: '/portal/api/proof/password',
    summary: 'Prove who you are with a password',
    body: z.object({ password, code: code.optional() }),
    response: proof,
  },
  beginPasskeyProof: {
    ...ofUser,
    method: 'POST',
    path: '/portal/api/proof/passkey-options',
    summary: 'Begin to prove who you are with a passkey',
    body: z.object({}),
    response: credentialOptions,
  },
  proveByPasskey: {
    ...ofUser,
    method: 'POST',
    path: '/portal/api/proof/passkey',
    summary: 'Prove who you are with a passkey',
    body: z.object({ response: credential }),
    response: proof,
  },
  listSessions: {
    ...ofUser,
    method: 'GET',
    path: '/portal/api/user/sessions',
    summary: 'List sessions',
    response: z.array(
      z.object({
        id: z.string(),
        createdAt: moment,
        seenAt: moment,
        address: z.string(),
        agent: z.string(),
        isCurrent: z.boolean(),
      }),
    ),
  },
  endSession: {
    ...ofUser,
    method: 'DELETE',
    path: '/portal/api/user/sessions/:id',
    summary: 'End a session',
    params: z.object({ id: rowId }),
    response: z.object({}),
  },
  listPasskeys: {
    ...ofUser,
    method: 'GET',
    path: '/portal/api/user/passkeys',
    summary: 'List passkeys',
    response: z.array(z.object({ id: z.string(), name: z.string(), createdAt: moment, lastUsedAt: moment.nullable() })),
  },
  beginPasskey: {
    ...ofUser,
    method: 'POST',
    path: '/portal/api/user/passkeys/options',
    summary: 'Begin to add a passkey',
    requires: { who: 'user', proof: true },
    body: z.object({}),
    response: credentialOptions,
  },
  addPasskey: {
    ...ofUser,
    method: 'POST',
    path: '/portal/api/user/passkeys',
    summary: 'Add a passkey',
    requires: { who: 'user', proof: true },
    status: 201,
    body: z.object({ name: text({ min: 1, max: 100 }), response: credential }),
    response: z.object({ id: z.string() }),
  },
  removePasskey: {
    ...ofUser,
    method: 'DELETE',
    path: '/portal/api/user/passkeys/:id',
    summary: 'Remove a passkey',
    requires: { who: 'user', proof: true },
    failures: [404, 409],
    params: z.object({ id: z.string().max(2_000) }),
    response: z.object({}),
  },
  setPassword: {
    ...ofUser,
    method: 'POST',
    path: '/portal/api/user/password',
    summary: 'Set the password',
    description: 'Ends all other sessions of the user.',
    requires: { who: 'user', proof: true },
    body: z.object({ password: newPassword }),
    response: z.object({}),
  },
})
