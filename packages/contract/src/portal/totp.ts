import { z } from 'zod'
import { defineEndpoints } from '../endpoint.ts'
import { own } from './requirement.ts'

const ofUser = { ...own, tag: 'User', requires: { who: 'user', proof: true } } as const

export const totpEndpoints = defineEndpoints({
  beginTotp: {
    ...ofUser,
    method: 'POST',
    path: '/portal/api/user/totp',
    summary: 'Begin to set up an authenticator app',
    description: 'No code is required until the first one is confirmed.',
    body: z.object({}),
    response: z.object({
      /** Base32. */
      secret: z.string(),
      /** `otpauth://totp/…`, for a QR code. */
      uri: z.string(),
    }),
  },
  confirmTotp: {
    ...ofUser,
    method: 'POST',
    path: '/portal/api/user/totp/confirm',
    summary: 'Confirm the first code',
    description:
      'From now on a password also requires a code. The recovery codes are shown only once; each works once.',
    body: z.object({ code: z.string().regex(/^\d{6}$/, 'must have six digits') }),
    response: z.object({ recoveryCodes: z.array(z.string()) }),
  },
  removeTotp: {
    ...ofUser,
    method: 'DELETE',
    path: '/portal/api/user/totp',
    summary: 'Turn off the authenticator app',
    failures: [404],
    response: z.object({}),
  },
})
