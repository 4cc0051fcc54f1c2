import { type AddressBookEntry, Failure } from '@coffer/contract'
import type { Kysely, Transaction } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import { getAccount } from '../accounts/accounts.ts'
import {
  countEntries,
  deleteEntry,
  type Entry,
  insertEntries,
  selectEntries,
  updateLabel,
} from './address-book-store.ts'

const FREE_QUOTA = 50

/* Writing functions need the account's lock (`PaidChanges`), so their checks still hold. */

export async function listEntries(db: Kysely<Tables>, accountId: string): Promise<AddressBookEntry[]> {
  return (await selectEntries(db, accountId)).map(present)
}

export async function areSaved(db: Kysely<Tables>, accountId: string, addresses: readonly string[]): Promise<boolean> {
  if (addresses.length === 0) return true
  const { known } = await countEntries(db, accountId, addresses)
  return addresses.every((address) => known.has(address))
}

/** Returns the whole address book. ADDRESSBOOK_QUOTA_REACHED saves none. */
export async function addEntries(
  trx: Transaction<Tables>,
  accountId: string,
  entries: readonly { address: string; label: string }[],
): Promise<AddressBookEntry[]> {
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
  trx: Transaction<Tables>,
  accountId: string,
  entry: { address: string; label: string },
): Promise<AddressBookEntry> {
  if (!(await updateLabel(trx, accountId, entry))) throw notFound()
  return present(await getEntry(trx, accountId, entry.address))
}

export async function removeEntry(trx: Transaction<Tables>, accountId: string, address: string): Promise<void> {
  const { isPaid, ownerAuthorized } = await getEntry(trx, accountId, address)
  if (isPaid || ownerAuthorized) {
    const why = isPaid ? 'is on a paid plan' : 'is authorized by its owner'
    throw new Failure('ADDRESSBOOK_ENTRY_NOT_DELETABLE', `The address ${why} and cannot be removed`)
  }
  await deleteEntry(trx, accountId, address)
}

async function getEntry(db: Kysely<Tables>, accountId: string, address: string): Promise<Entry> {
  const [entry] = await selectEntries(db, accountId, address)
  if (!entry) throw notFound()
  return entry
}

const notFound = () => new Failure('ADDRESSBOOK_ENTRY_NOT_FOUND', 'The address is not in the address book')

const present = ({ ownerAuthorized: _, ...entry }: Entry): AddressBookEntry => entry
