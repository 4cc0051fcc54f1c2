import { type Bundle, Failure } from '@coffer/contract'
import type { Kysely, Transaction } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import { getAccount } from '../accounts/accounts.ts'
import { countEntries } from './address-book-store.ts'
import { deleteBundle, deleteMember, insertBundle, insertMembers, selectBundles, updateName } from './bundle-store.ts'

/** What an account may have unless it was given more. */
const BUNDLES = 5
const BUNDLE_SIZE = 10

/*
 * As in the address book, functions that change something require the account's lock. Refusals are checked in the order
 * of the API: not found, size, not saved, quota, name, members.
 */

/** The bundles of an account, oldest first. */
export const listBundles = selectBundles

export async function getBundle(db: Kysely<Tables>, accountId: string, id: string): Promise<Bundle> {
  return find(await selectBundles(db, accountId), id)
}

/** Makes a bundle. No other one of the account has its name, or exactly its addresses; all of them are saved. */
export async function createBundle(
  trx: Transaction<Tables>,
  accountId: string,
  { name, addresses }: Omit<Bundle, 'id'>,
): Promise<Bundle> {
  const { quotas } = await getAccount(trx, accountId)
  checkSize(addresses.length, quotas.bundleSize)
  await checkSaved(trx, accountId, addresses)
  const bundles = await selectBundles(trx, accountId)
  checkQuota(bundles.length, quotas.bundles ?? BUNDLES)
  checkName(bundles, name)
  checkMembers(bundles, addresses)
  return { id: await insertBundle(trx, accountId, { name, addresses }), name, addresses }
}

/** A bundle may be given the name that it has. */
export async function renameBundle(
  trx: Transaction<Tables>,
  accountId: string,
  { id, name }: Omit<Bundle, 'addresses'>,
): Promise<Bundle> {
  const bundles = await selectBundles(trx, accountId)
  const bundle = find(bundles, id)
  checkName(without(bundles, id), name)
  await updateName(trx, accountId, { id, name })
  return { ...bundle, name }
}

/** The addresses stay saved. */
export async function removeBundle(trx: Transaction<Tables>, accountId: string, id: string): Promise<void> {
  find(await selectBundles(trx, accountId), id)
  await deleteBundle(trx, accountId, id)
}

type Membership = { id: string; address: string }

/** An address that is in the bundle already changes nothing. */
export async function addMember(
  trx: Transaction<Tables>,
  accountId: string,
  { id, address }: Membership,
): Promise<Bundle> {
  const bundles = await selectBundles(trx, accountId)
  const bundle = find(bundles, id)
  if (bundle.addresses.includes(address)) return bundle
  const addresses = [...bundle.addresses, address]
  checkSize(addresses.length, (await getAccount(trx, accountId)).quotas.bundleSize)
  await checkSaved(trx, accountId, [address])
  checkMembers(without(bundles, id), addresses)
  await insertMembers(trx, accountId, { id, addresses: [address] })
  return { ...bundle, addresses }
}

/** ADDRESSBOOK_ENTRY_NOT_FOUND for an address that is not in the bundle, BUNDLE_EMPTY for its last. */
export async function removeMember(
  trx: Transaction<Tables>,
  accountId: string,
  { id, address }: Membership,
): Promise<Bundle> {
  const bundles = await selectBundles(trx, accountId)
  const bundle = find(bundles, id)
  if (!bundle.addresses.includes(address)) {
    throw new Failure('ADDRESSBOOK_ENTRY_NOT_FOUND', 'The address is not in this bundle')
  }
  const addresses = bundle.addresses.filter((member) => member !== address)
  if (addresses.length === 0) {
    throw new Failure('BUNDLE_EMPTY', 'A bundle keeps at least one address; remove the bundle instead')
  }
  checkMembers(without(bundles, id), addresses)
  await deleteMember(trx, accountId, { id, address })
  return { ...bundle, addresses }
}

function find(bundles: readonly Bundle[], id: string): Bundle {
  const bundle = bundles.find((candidate) => candidate.id === id)
  if (!bundle) throw new Failure('BUNDLE_NOT_FOUND', 'There is no such bundle')
  return bundle
}

const without = (bundles: readonly Bundle[], id: string) => bundles.filter((bundle) => bundle.id !== id)

function checkSize(size: number, limit: number | null): void {
  const most = limit ?? BUNDLE_SIZE
  if (size <= most) return
  throw new Failure('BUNDLE_SIZE_LIMIT_EXCEEDED', `A bundle holds at most ${most} addresses`, { limit: most })
}

async function checkSaved(db: Kysely<Tables>, accountId: string, addresses: readonly string[]): Promise<void> {
  const { known } = await countEntries(db, accountId, addresses)
  const unknown = addresses.filter((address) => !known.has(address))
  if (unknown.length === 0) return
  const message = 'Every address of a bundle must be in the address book'
  throw new Failure('BUNDLE_ADDRESS_NOT_IN_ADDRESS_BOOK', message, { addresses: unknown })
}

function checkQuota(current: number, quota: number): void {
  if (current < quota) return
  throw new Failure('BUNDLE_QUOTA_REACHED', `At most ${quota} bundles can be kept`, { quota, current })
}

function checkName(others: readonly Bundle[], name: string): void {
  if (!others.some((bundle) => bundle.name === name)) return
  throw new Failure('BUNDLE_NAME_TAKEN', 'Another bundle has this name', { name })
}

/** Of several equal ones, which the removal of an address can leave, the oldest is named. */
function checkMembers(others: readonly Bundle[], addresses: readonly string[]): void {
  const members = new Set(addresses)
  const equal = others.find(
    (bundle) => bundle.addresses.length === members.size && bundle.addresses.every((address) => members.has(address)),
  )
  if (!equal) return
  const message = 'Another bundle holds exactly these addresses'
  throw new Failure('BUNDLE_MEMBERS_ALREADY_BUNDLED', message, { bundleId: equal.id })
}
