import { z } from 'zod'
import { defineEndpoints } from '../endpoint.ts'
import { own, role } from './requirement.ts'
import { credential, credentialOptions, newPassword, sessionView, userName } from './session.ts'

export const linkToken = z.string().regex(/^[A-Za-z0-9_-]{22}$/, 'must be the text of a link')
const byLink = { ...own, tag: 'Links', method: 'POST', requires: { who: 'anyone' } } as const

export const linkEndpoints = defineEndpoints({
  lookAtLink: {
    ...byLink,
    path: '/portal/api/links/look',
    summary: 'Look at a link',
    failures: [404],
    body: z.object({ token: linkToken }),
    response: z.object({
      kind: z.enum(['setup', 'invitation', 'recovery']),
      /** Account name of an invitation. */
      account: z.string().nullable(),
      accountId: z.string().nullable(),
      role: role.nullable(),
      /** User name of a recovery. */
      user: z.string().nullable(),
      /** Name of the signed-in caller, who can join an invitation as that user. */
      signedInAs: z.string().nullable(),
      expiresAt: z.iso.datetime({ precision: 3 }),
    }),
  },
  beginPasskeyByLink: {
    ...byLink,
    path: '/portal/api/links/passkey-options',
    summary: 'Begin to make a passkey by a link',
    failures: [404],
    body: z.object({ token: linkToken, name: userName }),
    response: credentialOptions,
  },
  followLink: {
    ...byLink,
    path: '/portal/api/links/use',
    summary: 'Use a link',
    description:
      'Makes the user that the link stands for, or lets an existing one in again, with a password or a passkey. A link works once.',
    status: 201,
    failures: [404, 409],
    setsCookie: true,
    body: z.union([
      z.object({ token: linkToken, name: userName, password: newPassword }),
      z.object({ token: linkToken, name: userName, passkey: credential }),
    ]),
    response: sessionView,
  },
  joinByLink: {
    ...byLink,
    path: '/portal/api/links/join',
    summary: 'Join an account by an invitation',
    description: 'For a user that is signed in. A role that is higher already stays.',
    requires: { who: 'user' },
    failures: [404],
    body: z.object({ token: linkToken }),
    response: sessionView,
  },
})
