import { z } from 'zod'
import { defineEndpoints } from '../endpoint.ts'
import { text } from '../text.ts'
import { own, rowId } from './requirement.ts'

const moment = z.iso.datetime({ precision: 3 })
const name = text({ min: 1, max: 100 })
/** Hours for which a rotated key keeps working. */
export const GRACE_HOURS = [0, 1, 24] as const

const keyView = z.object({
  id: z.string(),
  name: z.string(),
  /** Prefix and last four characters. */
  key: z.string(),
  createdAt: moment,
  lastUsedAt: moment.nullable(),
  /** Past or future end; null: it stays. */
  revokedAt: moment.nullable(),
})
export type KeyView = z.infer<typeof keyView>
/** The only answer with the text of the key. */
const newKey = z.object({ id: z.string(), name: z.string(), key: z.string() })

const keys = { ...own, tag: 'Keys' } as const
const path = z.object({ id: rowId })

export const keyEndpoints = defineEndpoints({
  listKeys: {
    ...keys,
    method: 'GET',
    path: '/portal/api/accounts/:account/keys',
    summary: 'List keys',
    requires: { who: 'viewer' },
    response: z.array(keyView),
  },
  createKey: {
    ...keys,
    method: 'POST',
    path: '/portal/api/accounts/:account/keys',
    summary: 'Create a key',
    requires: { who: 'owner', proof: true },
    status: 201,
    body: z.object({ name }),
    response: newKey,
  },
  renameKey: {
    ...keys,
    method: 'PATCH',
    path: '/portal/api/accounts/:account/keys/:id',
    summary: 'Rename a key',
    requires: { who: 'owner' },
    failures: [404],
    params: path,
    body: z.object({ name }),
    response: keyView,
  },
  rotateKey: {
    ...keys,
    method: 'POST',
    path: '/portal/api/accounts/:account/keys/:id/rotate',
    summary: 'Rotate a key',
    description: 'Creates a key with the same name. The old key ends after the hours of grace.',
    requires: { who: 'owner', proof: true },
    status: 201,
    failures: [404],
    params: path,
    body: z.object({ graceHours: z.literal(GRACE_HOURS) }),
    response: newKey,
  },
  revokeKey: {
    ...keys,
    method: 'DELETE',
    path: '/portal/api/accounts/:account/keys/:id',
    summary: 'Revoke a key',
    requires: { who: 'owner', proof: true },
    failures: [404],
    params: path,
    response: keyView,
  },
})
