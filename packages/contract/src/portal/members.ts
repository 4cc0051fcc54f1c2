import { z } from 'zod'
import { defineEndpoints } from '../endpoint.ts'
import { integerQuery } from '../query.ts'
import { own, role, rowId } from './requirement.ts'

const moment = z.iso.datetime({ precision: 3 })

const memberView = z.object({
  /** User ID. */
  id: z.string(),
  name: z.string(),
  role,
  joinedAt: moment,
  /** Null: not in the last 30 days. */
  seenAt: moment.nullable(),
})

const auditLine = z.object({
  id: z.string(),
  at: moment,
  /** Name at that time; `coffer-admin` for the command line. */
  user: z.string(),
  action: z.string(),
  /** Changed values by name. */
  detail: z.record(z.string(), z.unknown()),
  address: z.string(),
})

const invitationView = z.object({
  id: z.string(),
  role,
  /** A user; null: `coffer-admin`. */
  by: z.string().nullable(),
  createdAt: moment,
  expiresAt: moment,
})

const members = { ...own, tag: 'Members', requires: { who: 'owner' } } as const
const path = z.object({ id: rowId })
const AUDIT_MAX = 200

export const memberEndpoints = defineEndpoints({
  listMembers: {
    ...members,
    method: 'GET',
    path: '/portal/api/accounts/:account/members',
    summary: 'List members',
    requires: { who: 'viewer' },
    response: z.array(memberView),
  },
  invite: {
    ...members,
    method: 'POST',
    path: '/portal/api/accounts/:account/invitations',
    summary: 'Invite to an account',
    description:
      'Returns the token of a link. The link works once, for a day, while its author is an owner of the account.',
    requires: { who: 'owner', proof: true },
    status: 201,
    body: z.object({ role }),
    response: z.object({ token: z.string(), expiresAt: moment }),
  },
  listInvitations: {
    ...members,
    method: 'GET',
    path: '/portal/api/accounts/:account/invitations',
    summary: 'List open invitations',
    response: z.array(invitationView),
  },
  revokeInvitation: {
    ...members,
    method: 'DELETE',
    path: '/portal/api/accounts/:account/invitations/:id',
    summary: 'Revoke an invitation',
    failures: [404],
    params: path,
    response: z.object({}),
  },
  setRole: {
    ...members,
    method: 'PATCH',
    path: '/portal/api/accounts/:account/members/:id',
    summary: 'Change the role of a member',
    description:
      'Ends the sessions of the user, and its invitations unless it stays an owner. The last owner of an account cannot be changed: 409.',
    requires: { who: 'owner', proof: true },
    failures: [404, 409],
    params: path,
    body: z.object({ role }),
    response: z.object({}),
  },
  removeMember: {
    ...members,
    method: 'DELETE',
    path: '/portal/api/accounts/:account/members/:id',
    summary: 'Remove a member',
    description:
      'Ends the sessions and the invitations of the user. The last owner of an account cannot be removed: 409.',
    requires: { who: 'owner', proof: true },
    failures: [404, 409],
    params: path,
    response: z.object({}),
  },
  listAudit: {
    ...members,
    method: 'GET',
    path: '/portal/api/accounts/:account/audit',
    summary: 'List the actions in an account',
    description: 'Newest first; `before` is the id of the last entry of the previous page.',
    query: z.object({
      before: rowId.optional(),
      limit: integerQuery({ min: 1, max: AUDIT_MAX }).default(50),
    }),
    response: z.array(auditLine),
  },
})
