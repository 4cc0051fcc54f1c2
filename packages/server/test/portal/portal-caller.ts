import type { Role } from '@coffer/contract/portal'
import { sql } from 'kysely'
import { createAccount } from '../../src/features/accounts/accounts.ts'
import { beginSession } from '../../src/features/portal-users/sessions.ts'
import { addMember, createUser } from '../../src/features/portal-users/users.ts'
import { patientFetch, type TestService } from '../harness.ts'

export type PortalAnswer = { status: number; body: unknown }

export type PortalUser = {
  userId: string
  cookie: string
  /** Calls below `/portal/api`. */
  call(method: string, path: string, body?: unknown): Promise<PortalAnswer>
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
  }
}

/** An account, and a viewer of it. */
export async function accountWithViewer(service: Pick<TestService, 'context' | 'url'>, credits = 0) {
  const account = { name: 'x', plan: 'PRO', entitlements: ['portfolio'], credits } as const
  const { id } = await createAccount(service.context.database.db, account)
  return { id, viewer: await signedIn(service, { accountId: id, role: 'viewer' }) }
}

/** Oldest first. */
export async function auditOf({ context }: Pick<TestService, 'context'>, accountId: string | null): Promise<unknown[]> {
  const { rows } = await sql<{ action: string; detail: unknown; user_id: bigint }>`
    select action, detail, user_id from audit_event
    where account_id is not distinct from ${accountId}::bigint order by id`.execute(context.database.db)
  return rows.map(({ action, detail, user_id }) => ({ action, detail, by: String(user_id) }))
}
