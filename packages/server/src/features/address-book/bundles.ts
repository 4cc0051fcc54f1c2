import { type Bundle, Failure } from '@coffer/contract'
import { sql } from 'kysely'
import type { Db, Trx } from '../../db/tables.ts'
import { getAccount } from '../accounts/accounts.ts'
import { countEntries } from './address-book.ts'

export async function listBundles(db: Db, accountId: string): Promise<Bundle[]> {
  const rows = await db
    .selectFrom('bundle')
    .innerJoin('bundle_member', (join) =>
      join
        .onRef('bundle_member.account_id', '=', 'bundle.account_id')
        .onRef('bundle_member.bundle_id', '=', 'bundle.id'),
    )
    .select(['bundle.id', 'bundle.name', 'bundle_member.address'])
    .where('bundle.account_id', '=', BigInt(accountId))
    .orderBy('bundle.number')
    .orderBy('bundle_member.number')
    .execute()
  return [...Map.groupBy(rows, ({ id }) => id)].map(([id, members]) => ({
    id,
    name: members[0]?.name ?? '',
    addresses: members.map(({ address }) => address),
  }))
}

async function insertMembers(db: Db, accountId: string, { id, addresses }: Omit<Bundle, 'name'>) {
  const values = addresses.map((address) => ({ account_id: BigInt(accountId), bundle_id: id, address }))
  await db.insertInto('bundle_member').values(values).execute()
}

const BUNDLES = 5
const BUNDLE_SIZE = 10

/* Writing functions need the account's lock. Order of refusals: not found, size, not saved, quota, name, members. */

export async function getBundle(db: Db, accountId: string, id: string): Promise<Bundle> {
  return find(await listBundles(db, accountId), id)
}

export async function createBundle(trx: Trx, accountId: string, { name, addresses }: Omit<Bundle, 'id'>) {
  const { quotas } = await getAccount(trx, accountId)
  checkSize(addresses.length, quotas.bundleSize)
  await checkSaved(trx, accountId, addresses)
  const bundles = await listBundles(trx, accountId)
  const [quota, current] = [quotas.bundles ?? BUNDLES, bundles.length]
  if (current >= quota) {
    throw new Failure('BUNDLE_QUOTA_REACHED', `At most ${quota} bundles can be saved`, { quota, current })
  }
  checkName(bundles, name)
  checkMembers(bundles, addresses)
  const { id } = await trx
    .insertInto('bundle')
    .values({ account_id: BigInt(accountId), name })
    .returning('id')
    .executeTakeFirstOrThrow()
  await insertMembers(trx, accountId, { id, addresses })
  return { id, name, addresses }
}

export async function renameBundle(trx: Trx, accountId: string, { id, name }: Omit<Bundle, 'addresses'>) {
  const bundles = await listBundles(trx, accountId)
  const bundle = find(bundles, id)
  checkName(without(bundles, id), name)
  await sql`update bundle set name = ${name} where account_id = ${BigInt(accountId)} and id = ${id}`.execute(trx)
  return { ...bundle, name }
}

export async function removeBundle(trx: Trx, accountId: string, id: string): Promise<void> {
  find(await listBundles(trx, accountId), id)
  await sql`delete from bundle where account_id = ${BigInt(accountId)} and id = ${id}`.execute(trx)
}

type Membership = { id: string; address: string }

export async function addMember(trx: Trx, accountId: string, { id, address }: Membership): Promise<Bundle> {
  const bundles = await listBundles(trx, accountId)
  const bundle = find(bundles, id)
  if (bundle.addresses.includes(address)) return bundle
  const addresses = [...bundle.addresses, address]
  checkSize(addresses.length, (await getAccount(trx, accountId)).quotas.bundleSize)
  await checkSaved(trx, accountId, [address])
  checkMembers(without(bundles, id), addresses)
  await insertMembers(trx, accountId, { id, addresses: [address] })
  return { ...bundle, addresses }
}

export async function removeMember(trx: Trx, accountId: string, { id, address }: Membership): Promise<Bundle> {
  const bundles = await listBundles(trx, accountId)
  const bundle = find(bundles, id)
  if (!bundle.addresses.includes(address)) {
    throw new Failure('ADDRESSBOOK_ENTRY_NOT_FOUND', 'The address is not in this bundle')
  }
  const addresses = bundle.addresses.filter((member) => member !== address)
  if (addresses.length === 0) {
    throw new Failure('BUNDLE_EMPTY', 'A bundle keeps at least one address; remove the bundle instead')
  }
  checkMembers(without(bundles, id), addresses)
  await sql`
    delete from bundle_member
    where account_id = ${BigInt(accountId)} and bundle_id = ${id} and address = ${address}`.execute(trx)
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
  throw new Failure('BUNDLE_SIZE_LIMIT_EXCEEDED', `A bundle can have at most ${most} addresses`, { limit: most })
}

async function checkSaved(db: Db, accountId: string, addresses: readonly string[]): Promise<void> {
  const { known } = await countEntries(db, accountId, addresses)
  const unknown = addresses.filter((address) => !known.has(address))
  if (unknown.length === 0) return
  const message = 'Every address of a bundle must be in the address book'
  throw new Failure('BUNDLE_ADDRESS_NOT_IN_ADDRESS_BOOK', message, { addresses: unknown })
}

function checkName(others: readonly Bundle[], name: string): void {
  if (!others.some((bundle) => bundle.name === name)) return
  throw new Failure('BUNDLE_NAME_TAKEN', 'Another bundle has this name', { name })
}

/** Reports the oldest of equal bundles, which a removal can leave. */
function checkMembers(others: readonly Bundle[], addresses: readonly string[]): void {
  const members = new Set(addresses)
  const equal = others.find(
    (bundle) => bundle.addresses.length === members.size && bundle.addresses.every((address) => members.has(address)),
  )
  if (!equal) return
  const message = 'Another bundle contains exactly these addresses'
  throw new Failure('BUNDLE_MEMBERS_ALREADY_BUNDLED', message, { bundleId: equal.id })
}
