import { z } from 'zod'
import { defineEndpoints } from '../endpoint.ts'
import { linkToken } from './links.ts'
import { own, rowId } from './requirement.ts'
import { sessionView, userName } from './session.ts'

const moment = z.iso.datetime({ precision: 3 })
/** Sign-in address of the issuer; the browser comes back to `/openid`. */
const begun = z.object({ url: z.string() })
const begins = {
  ...own,
  tag: 'Sign-in',
  method: 'POST',
  setsCookie: true,
  failures: [501, 502],
  response: begun,
} as const
const ofUser = { ...own, tag: 'User', requires: { who: 'user', proof: true } } as const

export const openIdEndpoints = defineEndpoints({
  listSignInWays: {
    ...own,
    tag: 'Sign-in',
    method: 'GET',
    path: '/portal/api/sign-in/ways',
    summary: 'List ways to sign in other than passkeys, passwords and wallets',
    requires: { who: 'anyone' },
    response: z.object({
      /** Issuer by its common name. */
      openId: z.object({ name: z.string() }).nullable(),
      /** If no one can sign in under this address: the required `COFFER_PUBLIC_URL`. */
      needsPublicUrl: z.string().nullable(),
    }),
  },
  beginOpenIdSignIn: {
    ...begins,
    path: '/portal/api/sign-in/openid',
    summary: 'Begin to sign in with an account of the issuer',
    description:
      'Uses OpenID Connect. Valid for five minutes, in this browser only. An account signs in the user that has linked it.',
    requires: { who: 'anyone', knownSite: true },
    body: z.object({
      /** Accepts the signed-in user alone: the sign-in is its recent proof. */
      isProof: z.boolean().optional(),
    }),
  },
  beginOpenIdByLink: {
    ...begins,
    tag: 'Links',
    path: '/portal/api/links/openid',
    summary: 'Begin to use a link with an account of the issuer',
    failures: [404, 501, 502],
    requires: { who: 'anyone' },
    body: z.object({ token: linkToken, name: userName }),
  },
  beginIdentity: {
    ...begins,
    ...ofUser,
    path: '/portal/api/user/identities',
    summary: 'Begin to link an account of the issuer',
    body: z.object({}),
  },
  finishOpenId: {
    ...own,
    tag: 'Sign-in',
    method: 'POST',
    path: '/portal/api/sign-in/openid-return',
    summary: 'Finish a sign-in or link at the issuer',
    setsCookie: true,
    failures: [404, 409, 501, 502],
    requires: { who: 'anyone' },
    body: z.object({
      /** Part after the question mark, in the address that the browser came back to. */
      query: z.string().max(8_000),
    }),
    response: z.object({
      did: z.enum(['signed-in', 'linked']),
      /** Account of the used invitation. */
      accountId: z.string().nullable(),
      session: sessionView,
    }),
  },
  listIdentities: {
    ...ofUser,
    method: 'GET',
    path: '/portal/api/user/identities',
    summary: 'List linked accounts of issuers',
    requires: { who: 'user' },
    response: z.array(
      z.object({
        id: z.string(),
        /** The issuer's name of the account. */
        label: z.string(),
        /** Host. */
        issuer: z.string(),
        /** True while the service takes accounts of that issuer. */
        isUsable: z.boolean(),
        createdAt: moment,
        lastUsedAt: moment.nullable(),
      }),
    ),
  },
  unlinkIdentity: {
    ...ofUser,
    method: 'DELETE',
    path: '/portal/api/user/identities/:id',
    summary: 'Unlink an account of an issuer',
    failures: [404, 409],
    params: z.object({ id: rowId }),
    response: z.object({}),
  },
})
