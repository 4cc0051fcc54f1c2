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
    summary: 'Get a link',
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
    summary: 'Begin to create a passkey with a link',
    failures: [404],
    body: z.object({ token: linkToken, name: userName }),
    response: credentialOptions,
  },
  followLink: {
    ...byLink,
    path: '/portal/api/links/use',
    summary: 'Use a link',
    description:
      'Creates the user of the link, or lets an existing user back in, with a password or a passkey. A link works once.',
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
    summary: 'Join an account with an invitation',
    description: 'For a signed-in user. A higher existing role stays.',
    requires: { who: 'user' },
    failures: [404],
    body: z.object({ token: linkToken }),
    response: sessionView,
  },
})
