import type { Kysely, Transaction } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import { withAccountLock } from '../credits/paid-changes.ts'
import { type Entry, selectEntries } from './address-book-store.ts'

export type EntryPlan = { plan: 'FREE'; expiresAt: null } | { plan: 'LITE' | 'PRO'; expiresAt: Date }

/** For operators only. */
export type EntryChanges = { plan?: EntryPlan | undefined; ownerAuthorized?: boolean | undefined }

export async function changeEntry(
  db: Kysely<Tables>,
  { accountId, address }: { accountId: string; address: string },
  changes: EntryChanges,
): Promise<Entry | undefined> {
  return withAccountLock(db, accountId, async (trx) => {
    await writeChanges(trx, { accountId, address }, changes)
    const [entry] = await selectEntries(trx, accountId, address)
    return entry
  })
}

/** Needs the account's lock. */
export async function writeChanges(
  trx: Transaction<Tables>,
  { accountId, address }: { accountId: string; address: string },
  { plan, ownerAuthorized }: EntryChanges,
): Promise<void> {
  if (plan === undefined && ownerAuthorized === undefined) return
  await trx
    .updateTable('address_book_entry')
    .set({
      ...(plan && { plan: plan.plan, expires_at: plan.expiresAt }),
      ...(ownerAuthorized !== undefined && { owner_authorized: ownerAuthorized }),
    })
    .where((eb) => eb.and({ account_id: BigInt(accountId), address }))
    .execute()
}
