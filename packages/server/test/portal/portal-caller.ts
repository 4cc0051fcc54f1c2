import type { Role } from '@coffer/contract/portal'
import { sql } from 'kysely'
import { beginSession } from '../../src/features/portal-users/sessions.ts'
import { addMember, createUser } from '../../src/features/portal-users/users.ts'
import { patientFetch, type TestService } from '../harness.ts'

export type PortalAnswer = { status: number; body: unknown }

export type PortalUser = {
  userId: string
  cookie: string
  /** Calls below `/portal/api`. */
  call(method: string, path: string, body?: unknown): Promise<PortalAnswer>
  /** Makes the last proof of identity eleven minutes old. */
  forgetProof(): Promise<void>
  proveAgain(): Promise<void>
}

let users = 0

export async function signedIn(
  { context, url }: Pick<TestService, 'context' | 'url'>,
  as: { accountId: string; role: Role } | 'operator',
): Promise<PortalUser> {
  const { db } = context.database
  users += 1
  const userId = await createUser(db, { name: `user ${users}`, isOperator: as === 'operator' })
  if (as !== 'operator') await addMember(db, { userId, ...as })
  const { token } = await beginSession(db, userId, { address: '127.0.0.1', agent: 'test' })
  const cookie = `coffer=${token}`
  return {
    userId,
    cookie,
    async call(method, path, body) {
      const response = await patientFetch(`${url}/portal/api${path}`, {
        method,
        headers: { cookie, origin: url, ...(body !== undefined && { 'content-type': 'application/json' }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      return { status: response.status, body: text === '' ? null : JSON.parse(text) }
    },
    async forgetProof() {
      await sql`update portal_session set proved_at = now() - interval '11 minutes' where user_id = ${userId}`.execute(
        db,
      )
    },
    async proveAgain() {
      await sql`update portal_session set proved_at = now() where user_id = ${userId}`.execute(db)
    },
  }
}

/** Oldest first. */
export async function auditOf({ context }: Pick<TestService, 'context'>, accountId: string | null): Promise<unknown[]> {
  const { rows } = await sql<{ action: string; detail: unknown; user_id: bigint }>`
    select action, detail, user_id from audit_event
    where account_id is not distinct from ${accountId}::bigint order by id`.execute(context.database.db)
  return rows.map(({ action, detail, user_id }) => ({ action, detail, by: String(user_id) }))
}
