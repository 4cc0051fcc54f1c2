import type { Role } from '@coffer/contract/portal'
import { createAccount } from '../../src/features/accounts/accounts.ts'
import { createLink } from '../../src/features/portal-users/links.ts'
import { createPasswords } from '../../src/features/portal-users/passwords.ts'
import { beginSession } from '../../src/features/portal-users/sessions.ts'
import { setPasswordHash } from '../../src/features/portal-users/users.ts'
import { type ServiceOptions, startService, type TestService } from '../harness.ts'
import { createVisitor, type Visitor } from './visitor.ts'

export const PASSWORD = 'correct horse battery staple'

/** Behind a proxy that names callers. No job runs. */
export type TestPortal = Awaited<ReturnType<typeof startPortal>>

export async function startPortal({ env, ...options }: ServiceOptions = {}) {
  // A busy machine would shed requests.
  const calm = { eventLoopDelayMs: () => 0 }
  let aheadMs = 0
  const service = await startService({
    ...calm,
    clock: { now: () => Date.now() + aheadMs },
    ...options,
    env: { COFFER_ROLE: 'api', COFFER_TRUST_PROXY: '127.0.0.1', COFFER_PUBLIC_URL: 'https://coffer.example', ...env },
  })
  const { db, pool } = service.context.database
  const visit = (origin?: string) => createVisitor(service.url, origin)

  /** Uses the link that the start prints. */
  async function setUp(name = 'Olga'): Promise<Visitor> {
    const visitor = visit()
    const token = await service.context.makeSetupLink()
    const { status, text } = await visitor.post('/links/use', { token, name, password: PASSWORD })
    if (status !== 201) throw new Error(`not set up: ${status} ${text}`)
    return visitor
  }

  async function invite(role: Role, accountId = '1'): Promise<string> {
    return (await createLink(db, { kind: 'invitation', accountId, role, madeBy: null })).token
  }

  async function signedInUser(name: string, { role, accountId = '1', isOperator = false }: Membership = {}) {
    const { rows } = await pool.query<{ id: bigint }>(
      'insert into portal_user (name, is_operator) values ($1, $2) returning id',
      [name, isOperator],
    )
    const id = String(rows[0]?.id)
    if (role) {
      await pool.query('insert into portal_member (user_id, account_id, role) values ($1, $2, $3)', [
        id,
        accountId,
        role,
      ])
    }
    const visitor = visit()
    const session = async () => {
      const { token } = await beginSession(db, id, { address: visitor.address, agent: 'test browser' })
      visitor.takeCookie(`__Host-coffer=${token}`)
    }
    await session()
    return { ...visitor, id, renewSession: session }
  }

  /** Skips the checks and effects of the endpoint. */
  async function givePassword(id: string, password = PASSWORD): Promise<void> {
    await setPasswordHash(db, id, await createPasswords().hash(password))
  }

  async function newAccount(name: string): Promise<string> {
    const account = { name, plan: 'PRO', entitlements: ['portfolio', 'beacon'], credits: 1_000 } as const
    return (await createAccount(db, account)).id
  }

  async function pass(interval: string): Promise<void> {
    await pool.query(
      `create or replace function coffer_now() returns timestamptz language sql stable as $$ select now() + interval '${interval}' $$`,
    )
  }

  return {
    ...service,
    ...{ db, pool, visit, setUp, invite, signedInUser, givePassword, newAccount },
    pass,
    /** Rate limits begin again. The database's clock stays. */
    nextMinute(): void {
      aheadMs += 60_000
    },
    /** Accounts and the audit log stay. Resets the time too: a start would take two seconds. */
    async clear(): Promise<void> {
      await pool.query('truncate portal_user, portal_link, portal_failed_password cascade')
      await pass('0')
    },
    /** Oldest first. */
    async audited(action?: string): Promise<AuditRow[]> {
      const { rows } = await pool.query<AuditRow>(
        `select action, account_id::text as account, user_name as user, detail, address from audit_event
         where $1::text is null or action = $1 order by id`,
        [action ?? null],
      )
      return rows
    },
  } satisfies TestService & Record<string, unknown>
}

type Membership = { role?: Role; accountId?: string; isOperator?: boolean }
type AuditRow = {
  action: string
  account: string | null
  user: string
  detail: Record<string, unknown>
  address: string
}
