import { type AddressBookEntry, Failure } from '@coffer/contract'
import { sql } from 'kysely'
import type { Db, Trx } from '../../db/tables.ts'
import { plainRow } from '../../lib/plain-row.ts'
import { getAccount } from '../accounts/accounts.ts'
import { withAccountLock } from '../credits/paid-changes.ts'
import { followAgain } from '../history/store/followed-wallets.ts'

export type Entry = AddressBookEntry & { ownerAuthorized: boolean }
export type EntryOf = { accountId: string; address: string }

/** Oldest first. */
export async function selectEntries(db: Db, accountId: string, address?: string): Promise<Entry[]> {
  const rows = await db
    .selectFrom('address_book_entry')
    .select(['address', 'label', 'plan', 'expires_at as expiresAt'])
    .select([sql<boolean>`coalesce(expires_at > now(), false)`.as('isPaid'), 'owner_authorized as ownerAuthorized'])
    .where('account_id', '=', BigInt(accountId))
    .$if(address !== undefined, (query) => query.where('address', '=', address ?? ''))
    .orderBy('number')
    .execute()
  return rows.map(plainRow)
}

export async function countEntries(db: Db, accountId: string, addresses: readonly string[]) {
  const { rows } = await sql<{ count: bigint; known: string[] | null }>`
    select count(*), array_agg(address) filter (where address = any(${addresses})) as known
    from address_book_entry where account_id = ${BigInt(accountId)}`.execute(db)
  const [row] = rows
  return { count: Number(row?.count), known: new Set(row?.known) }
}

export async function insertEntries(db: Db, accountId: string, entries: readonly { address: string; label: string }[]) {
  const values = entries.map(({ address, label }) => ({ account_id: BigInt(accountId), address, label }))
  await db.insertInto('address_book_entry').values(values).execute()
}

/** Also deletes bundles left empty. */
export async function deleteEntry(db: Db, accountId: string, address: string): Promise<void> {
  const account = BigInt(accountId)
  await sql`delete from address_book_entry where account_id = ${account} and address = ${address}`.execute(db)
  await sql`
    delete from bundle where account_id = ${account}
      and not exists (select from bundle_member where bundle_id = bundle.id)`.execute(db)
}

export type EntryPlan = { plan: 'FREE'; expiresAt: null } | { plan: 'LITE' | 'PRO'; expiresAt: Date }

/** For operators only. */
type EntryChanges = { plan?: EntryPlan | undefined; ownerAuthorized?: boolean | undefined }

export async function changeEntry(db: Db, of: EntryOf, changes: EntryChanges): Promise<Entry | undefined> {
  return withAccountLock(db, of.accountId, async (trx) => {
    await writeChanges(trx, of, changes)
    const [entry] = await selectEntries(trx, of.accountId, of.address)
    return entry
  })
}

/** Needs the account's lock. */
export async function writeChanges(trx: Trx, { accountId, address }: EntryOf, { plan, ownerAuthorized }: EntryChanges) {
  if (plan === undefined && ownerAuthorized === undefined) return
  await trx
    .updateTable('address_book_entry')
    .set({ plan: plan?.plan, expires_at: plan?.expiresAt, owner_authorized: ownerAuthorized })
    .where((eb) => eb.and({ account_id: BigInt(accountId), address }))
    .execute()
  if (plan !== undefined) await followAgain(trx, [address])
}

const FREE_QUOTA = 50

/* Writing functions need the account's lock (`PaidChanges`). */

export async function listEntries(db: Db, accountId: string): Promise<AddressBookEntry[]> {
  return (await selectEntries(db, accountId)).map(present)
}

export async function areSaved(db: Db, accountId: string, addresses: readonly string[]): Promise<boolean> {
  if (addresses.length === 0) return true
  const { known } = await countEntries(db, accountId, addresses)
  return addresses.every((address) => known.has(address))
}

/** Returns the whole address book. ADDRESSBOOK_QUOTA_REACHED saves none. */
export async function addEntries(trx: Trx, accountId: string, entries: readonly { address: string; label: string }[]) {
  const addresses = entries.map(({ address }) => address)
  const { count, known } = await countEntries(trx, accountId, addresses)
  const added = entries.filter(({ address }) => !known.has(address))
  if (added.length > 0) {
    const { plan, quotas } = await getAccount(trx, accountId)
    const quota = quotas.addressBook ?? (plan === 'FREE' ? FREE_QUOTA : Number.POSITIVE_INFINITY)
    if (count + added.length > quota) {
      const extras = { quota, current: count }
      throw new Failure('ADDRESSBOOK_QUOTA_REACHED', `At most ${quota} addresses can be saved`, extras)
    }
    await insertEntries(trx, accountId, added)
  }
  return listEntries(trx, accountId)
}

export async function relabelEntry(
  trx: Trx,
  accountId: string,
  { address, label }: { address: string; label: string },
): Promise<AddressBookEntry> {
  await sql`
    update address_book_entry set label = ${label}
    where account_id = ${BigInt(accountId)} and address = ${address}`.execute(trx)
  return present(await getEntry(trx, accountId, address))
}

export async function removeEntry(trx: Trx, accountId: string, address: string): Promise<void> {
  const { isPaid, ownerAuthorized } = await getEntry(trx, accountId, address)
  if (isPaid || ownerAuthorized) {
    const why = isPaid ? 'is on a paid plan' : 'is authorized by its owner'
    throw new Failure('ADDRESSBOOK_ENTRY_NOT_DELETABLE', `The address ${why} and cannot be removed`)
  }
  await deleteEntry(trx, accountId, address)
}

async function getEntry(db: Db, accountId: string, address: string): Promise<Entry> {
  const [entry] = await selectEntries(db, accountId, address)
  if (!entry) throw new Failure('ADDRESSBOOK_ENTRY_NOT_FOUND', 'The address is not in the address book')
  return entry
}

const present = ({ ownerAuthorized: _, ...entry }: Entry): AddressBookEntry => entry
