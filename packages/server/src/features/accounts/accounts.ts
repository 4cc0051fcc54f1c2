import type { RequestOf, ResponseOf } from '@coffer/contract'
import type { operatorEndpoints } from '@coffer/contract/portal'
import { type Selectable, sql } from 'kysely'
import type { Db, Tables, Trx } from '../../db/tables.ts'
import { grantCredits } from '../credits/credits.ts'
import { createKey, type NewKey } from '../keys/keys.ts'
import type { Peppers } from '../keys/peppers.ts'

type Endpoints = typeof operatorEndpoints
export type Account = ResponseOf<Endpoints['openAccount']>
type Given<B> = { readonly [F in keyof B]: Readonly<B[F]> }
type NewAccount = Given<RequestOf<Endpoints['openAccount']>['body']>
type AccountChanges = Given<RequestOf<Endpoints['changeAccount']>['body']>

const entitlements: NewAccount['entitlements'] = ['portfolio', 'beacon']

type Row = Selectable<Tables['account']> & { available: bigint }

export async function createAccount(db: Db, account: NewAccount): Promise<Account> {
  return db.transaction().execute((trx) => insertAccount(trx, account))
}

export async function insertAccount(trx: Trx, { name, plan, entitlements, credits }: NewAccount): Promise<Account> {
  const { id } = await trx
    .insertInto('account')
    .values({ name, plan, entitlements: distinct(entitlements) })
    .returning('id')
    .executeTakeFirstOrThrow()
  await trx.insertInto('credit_account').values({ account_id: id }).execute()
  if (credits > 0) await grantCredits(trx, { accountId: String(id), amount: credits, reference: 'account created' })
  return getAccount(trx, String(id))
}

/** In effect everywhere within 5 s. */
export async function updateAccount(db: Db, id: string, given: AccountChanges): Promise<Account | undefined> {
  const { plan, entitlements, costMethod, quotas = {}, rateLimits = {} } = given
  const changes = {
    plan,
    entitlements: entitlements && distinct(entitlements),
    cost_method: costMethod,
    address_book_quota: quotas.addressBook,
    bundle_quota: quotas.bundles,
    bundle_size_quota: quotas.bundleSize,
    rate_limit_default: rateLimits.default,
    rate_limit_portfolio: rateLimits.portfolio,
    rate_limit_beacon: rateLimits.beacon,
  }
  const set = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
  if (Object.keys(set).length > 0) await db.updateTable('account').set(set).where('id', '=', BigInt(id)).execute()
  return findAccount(db, id)
}

/** By name, those that begin with it. */
export async function listAccounts(
  db: Db,
  { name = '', after, limit }: { name?: string | undefined; after?: string | undefined; limit: number },
): Promise<ResponseOf<Endpoints['listAccounts']>> {
  const key = sql<string>`lower(account.name) collate "C"`
  const begin = name.toLowerCase()
  const rows = await selectAccounts(db)
    .where(sql<boolean>`${key} >= ${begin} and ${key} < ${begin} || ${LAST_CHARACTER}`)
    .$if(after !== undefined, (query) =>
      query.where(sql<boolean>`(${key}, account.id) > (select ${key}, id from account where id = ${after}::bigint)`),
    )
    .orderBy(key)
    .orderBy('account.id')
    .limit(limit + 1)
    .execute()
  const accounts = rows.slice(0, limit).map(accountOf)
  return { accounts, next: rows.length > limit ? (accounts.at(-1)?.id ?? null) : null }
}

/** After all others in UTF-8. */
const LAST_CHARACTER = '\u{10FFFF}'

const ACCOUNTS_AT_ONCE = 200

/** All, by name. */
export async function* everyAccount(db: Db): AsyncGenerator<Account> {
  for (let after: string | undefined | null; after !== null; ) {
    const page = await listAccounts(db, { after, limit: ACCOUNTS_AT_ONCE })
    yield* page.accounts
    after = page.next
  }
}

export async function findAccount(db: Db, id: string): Promise<Account | undefined> {
  const row = await selectAccounts(db).where('account.id', '=', BigInt(id)).executeTakeFirst()
  return row && accountOf(row)
}

export async function getAccount(db: Db, id: string): Promise<Account> {
  return accountOf(await selectAccounts(db).where('account.id', '=', BigInt(id)).executeTakeFirstOrThrow())
}

const selectAccounts = (db: Db) =>
  db
    .selectFrom('account')
    .innerJoin('credit_account', 'credit_account.account_id', 'account.id')
    .selectAll('account')
    .select('credit_account.available')

function accountOf(row: Row): Account {
  return {
    id: String(row.id),
    name: row.name,
    plan: row.plan,
    entitlements: row.entitlements,
    costMethod: row.cost_method,
    quotas: { addressBook: row.address_book_quota, bundles: row.bundle_quota, bundleSize: row.bundle_size_quota },
    rateLimits: { default: row.rate_limit_default, portfolio: row.rate_limit_portfolio, beacon: row.rate_limit_beacon },
    credits: Number(row.available),
    createdAt: row.created_at.toISOString(),
  }
}

const distinct = (given: NewAccount['entitlements']) =>
  entitlements.filter((entitlement) => given.includes(entitlement))

const ownerCredits = 1_000_000

/** The key is never shown again. The lock lets only one of several starting processes create the account. */
export async function bootstrapOwner(db: Db, peppers: Peppers): Promise<NewKey | undefined> {
  return db.transaction().execute(async (trx) => {
    await sql`lock table account in share row exclusive mode`.execute(trx)
    const anybody = await trx.selectFrom('account').select('id').limit(1).executeTakeFirst()
    if (anybody) return undefined
    const { id } = await insertAccount(trx, { name: 'owner', plan: 'PRO', entitlements, credits: ownerCredits })
    return createKey(trx, peppers, { accountId: id, name: 'owner' })
  })
}
