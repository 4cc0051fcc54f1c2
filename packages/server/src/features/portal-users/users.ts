import { Failure } from '@coffer/contract'
import { ROLES, type Role, type SessionView } from '@coffer/contract/portal'
import { type Kysely, sql, type Transaction } from 'kysely'
import pg from 'pg'
import type { Tables } from '../../db/tables.ts'
import { lives } from './sessions.ts'
import { checkUserName, normalUserName } from './user-names.ts'

type Db = Kysely<Tables> | Transaction<Tables>

export async function createUser(
  db: Db,
  { name: given, isOperator }: { name: string; isOperator: boolean },
): Promise<string> {
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
  checkUserName(
    name,
    others.map((other) => other.name),
    { isOperator },
  )
}

export async function setPasswordHash(db: Db, userId: string, encoded: string): Promise<void> {
  await db.updateTable('portal_user').set({ password: encoded }).where('id', '=', BigInt(userId)).execute()
}

/** Changes nothing if the password was changed meanwhile. */
export async function replacePasswordHash(
  db: Db,
  userId: string,
  { before, after }: { before: string; after: string },
): Promise<void> {
  const isUser = sql<boolean>`id = ${userId}::bigint and password = ${before}`
  await db.updateTable('portal_user').set({ password: after }).where(isUser).execute()
}

/** Prefers the name as typed to its stored form. */
export async function findUserByName(db: Db, name: string) {
  return db
    .selectFrom('portal_user')
    .select(['id', 'name', 'password', 'totp_secret_id'])
    .where(sql<boolean>`lower(name) in (lower(${name}), lower(${normalUserName(name)}))`)
    .orderBy(sql`lower(name) = lower(${name})`, 'desc')
    .executeTakeFirst()
}

export async function findUser(db: Db, id: string) {
  return db
    .selectFrom('portal_user')
    .select(['id', 'name', 'password', 'totp_secret_id'])
    .where('id', '=', BigInt(id))
    .executeTakeFirst()
}

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

export async function listUsers(db: Db) {
  const { rows } = await sql<PortalUser>`
    select id::text, name, is_operator as "isOperator", password is not null as "hasPassword",
      ${countOf('portal_passkey')} as passkeys,
      ${countOf('portal_wallet')} as wallets,
      ${countOf('portal_identity')} as identities,
      totp_secret_id is not null as "hasTotp",
      (select coalesce(json_agg(json_build_object('account', account_id::text, 'role', role) order by account_id), '[]')
        from portal_member where user_id = portal_user.id) as roles,
      (select count(*)::int from portal_session as s where user_id = portal_user.id and ${lives}) as sessions
    from portal_user order by id`.execute(db)
  return rows
}

type PortalUser = {
  id: string
  name: string
  isOperator: boolean
  hasPassword: boolean
  passkeys: number
  wallets: number
  identities: number
  hasTotp: boolean
  roles: { account: string; role: Role }[]
  sessions: number
}

const countOf = (table: 'portal_passkey' | 'portal_identity' | 'portal_wallet') =>
  sql<number>`(select count(*)::int from ${sql.table(table)} as own where own.user_id = portal_user.id)`

export async function viewSession(db: Db, userId: string, provedUntil: Date | null): Promise<SessionView> {
  const user = await db
    .selectFrom('portal_user')
    .select(['id', 'name', 'is_operator', 'password', 'totp_secret_id'])
    .select([
      countOf('portal_passkey').as('passkeys'),
      countOf('portal_identity').as('identities'),
      countOf('portal_wallet').as('wallets'),
    ])
    .where('id', '=', BigInt(userId))
    .executeTakeFirstOrThrow()
  return {
    user: {
      id: String(user.id),
      name: user.name,
      isOperator: user.is_operator,
      hasPassword: user.password !== null,
      passkeys: user.passkeys,
      identities: user.identities,
      wallets: user.wallets,
      hasTotp: user.totp_secret_id !== null,
    },
    accounts: user.is_operator ? await everyAccount(db) : await accountsOf(db, userId),
    provedUntil: provedUntil?.toISOString() ?? null,
  }
}

async function everyAccount(db: Db): Promise<SessionView['accounts']> {
  const rows = await db.selectFrom('account').select(['id', 'name', 'plan']).orderBy('id').execute()
  return rows.map(({ id, name, plan }) => ({ id: String(id), name, plan, role: 'owner' }))
}

async function accountsOf(db: Db, userId: string): Promise<SessionView['accounts']> {
  const rows = await db
    .selectFrom('portal_member')
    .innerJoin('account', 'account.id', 'portal_member.account_id')
    .select(['account.id', 'account.name', 'account.plan', 'portal_member.role'])
    .where('portal_member.user_id', '=', BigInt(userId))
    .orderBy('account.id')
    .execute()
  return rows.map(({ id, ...row }) => ({ id: String(id), ...row }))
}
