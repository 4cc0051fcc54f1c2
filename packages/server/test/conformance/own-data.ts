import type { Kysely } from 'kysely'
import type { Tables } from '../../src/db/tables.ts'
import { insertEntries } from '../../src/features/address-book/address-book-store.ts'

/** Three addresses that the account has saved; its one bundle holds the first two. */
export const saved = {
  addresses: ['1', '2', '3'].map((digit) => `0x${digit.repeat(40)}`) as [string, string, string],
  bundleId: '0b7e6c1a-5f2d-4e43-9a8b-6d5c4b3a2f10',
}

/** Puts the account's own data back to `saved`, whatever a request made of it. */
export async function resetOwnData(db: Kysely<Tables>, accountId: string): Promise<void> {
  const account_id = BigInt(accountId)
  const { addresses, bundleId } = saved
  await db.transaction().execute(async (trx) => {
    await trx.deleteFrom('bundle').where('account_id', '=', account_id).execute()
    // The id is one account's at a time.
    await trx.deleteFrom('bundle').where('id', '=', bundleId).execute()
    await trx.deleteFrom('address_book_entry').where('account_id', '=', account_id).execute()
    await insertEntries(
      trx,
      accountId,
      addresses.map((address) => ({ address, label: '' })),
    )
    await trx.insertInto('bundle').values({ id: bundleId, account_id, name: 'First' }).execute()
    const members = addresses.slice(0, 2).map((address) => ({ account_id, bundle_id: bundleId, address }))
    await trx.insertInto('bundle_member').values(members).execute()
  })
}
