import { Failure } from '@coffer/contract'
import { ROLES, type Role, type SessionView } from '@coffer/contract/portal'
import { sql } from 'kysely'
import pg from 'pg'
import type { Db } from '../../db/tables.ts'
import { lives } from './sessions.ts'
import { checkUserName, normalUserName } from './user-names.ts'

export async function createUser(db: Db, { name: given, isOperator }: { name: string; isOperator: boolean }) {
  const name = normalUserName(given)
  await checkNewUser(db, { name, isOperator })
  try {
    const { id } = await db
      .insertInto('portal_user')
      .values({
        name,
        is_operator: isOperator,
        password: null,
        totp_secret_id: null,
        totp_pending_id: null,
        totp_step: null,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    return String(id)
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === '23505') {
      throw new Failure('VALIDATION_ERROR', `name: ${name} is taken`)
    }
    throw error
  }
}

/** Throws VALIDATION_ERROR. Names of existing users do not change. */
export async function checkNewUser(db: Db, { name, isOperator }: { name: string; isOperator: boolean }): Promise<void> {
  const others = await db.selectFrom('portal_user').select('name').execute()
  const names = others.map((other) => other.name)
  checkUserName(name, names, { isOperator })
}

export async function setPasswordHash(db: Db, userId: string, encoded: string): Promise<void> {
  await db.updateTable('portal_user').set({ password: encoded }).where('id', '=', BigInt(userId)).execute()
}

export type FoundUser = { id: string; name: string; password: string | null }
const FOUND = [sql<string>`id::text`.as('id'), 'name', 'password'] as const

export const findUserByName = (db: Db, name: string): Promise<FoundUser | undefined> =>
  db
    .selectFrom('portal_user')
    .select(FOUND)
    .where(sql<boolean>`lower(name) in (lower(${name}), lower(${normalUserName(name)}))`)
    .orderBy(sql`lower(name) = lower(${name})`, 'desc')
    .executeTakeFirst()

export const findUser = (db: Db, id: string): Promise<FoundUser | undefined> =>
  db.selectFrom('portal_user').select(FOUND).where('id', '=', BigInt(id)).executeTakeFirst()

/** A member keeps a higher role. */
export async function addMember(
  db: Db,
  { userId, accountId, role }: { userId: string; accountId: string; role: Role },
): Promise<void> {
  const lower = sql<boolean>`array_position(${ROLES}::text[], portal_member.role) < array_position(${ROLES}::text[], excluded.role)`
  await db
    .insertInto('portal_member')
    .values({ user_id: BigInt(userId), account_id: BigInt(accountId), role })
    .onConflict((conflict) => conflict.columns(['user_id', 'account_id']).doUpdateSet({ role }).where(lower))
    .execute()
}

const countOf = (table: 'portal_passkey' | 'portal_identity' | 'portal_wallet') =>
  sql`(select count(*)::int from ${sql.table(table)} as own where own.user_id = portal_user.id)`

const VIEW = sql`id::text, name, is_operator as "isOperator", password is not null as "hasPassword",
  ${countOf('portal_passkey')} as passkeys,
  ${countOf('portal_wallet')} as wallets,
  ${countOf('portal_identity')} as identities,
  totp_secret_id is not null as "hasTotp"`

export async function listUsers(db: Db) {
  const { rows } = await sql<SessionView['user'] & { roles: { account: string; role: Role }[]; sessions: number }>`
    select ${VIEW},
      (select coalesce(json_agg(json_build_object('account', account_id::text, 'role', role) order by account_id), '[]')
        from portal_member where user_id = portal_user.id) as roles,
      (select count(*)::int from portal_session as s where user_id = portal_user.id and ${lives}) as sessions
    from portal_user order by id`.execute(db)
  return rows
}

export async function viewSession(db: Db, userId: string, provedUntil: Date | null): Promise<SessionView> {
  const { rows } = await sql<SessionView['user']>`select ${VIEW} from portal_user where id = ${userId}::bigint`.execute(
    db,
  )
  const [user] = rows
  if (!user) throw new Error(`there is no user ${userId}`)
  const { rows: accounts } = await sql<SessionView['accounts'][number]>`
    select a.id::text, a.name, case when ${user.isOperator}::boolean then 'owner' else m.role end as role, a.plan
    from account a left join portal_member m on m.account_id = a.id and m.user_id = ${userId}::bigint
    where ${user.isOperator}::boolean or m.user_id is not null order by a.id`.execute(db)
  return { user, accounts, provedUntil: provedUntil?.toISOString() ?? null }
}
