import type { Bundle } from '@coffer/contract'
import type { Kysely } from 'kysely'
import type { Tables } from '../../db/tables.ts'

/** Oldest first; no bundle is empty. */
export async function selectBundles(db: Kysely<Tables>, accountId: string): Promise<Bundle[]> {
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
  const bundles = new Map<string, Bundle>()
  for (const { id, name, address } of rows) {
    const bundle = bundles.get(id) ?? { id, name, addresses: [] }
    bundle.addresses.push(address)
    bundles.set(id, bundle)
  }
  return [...bundles.values()]
}

export async function insertBundle(
  db: Kysely<Tables>,
  accountId: string,
  { name, addresses }: Omit<Bundle, 'id'>,
): Promise<string> {
  const { id } = await db
    .insertInto('bundle')
    .values({ account_id: BigInt(accountId), name })
    .returning('id')
    .executeTakeFirstOrThrow()
  await insertMembers(db, accountId, { id, addresses })
  return id
}

export async function insertMembers(
  db: Kysely<Tables>,
  accountId: string,
  { id, addresses }: Omit<Bundle, 'name'>,
): Promise<void> {
  const values = addresses.map((address) => ({ account_id: BigInt(accountId), bundle_id: id, address }))
  await db.insertInto('bundle_member').values(values).execute()
}

export async function updateName(db: Kysely<Tables>, accountId: string, bundle: Omit<Bundle, 'addresses'>) {
  await db
    .updateTable('bundle')
    .set({ name: bundle.name })
    .where((eb) => eb.and({ account_id: BigInt(accountId), id: bundle.id }))
    .execute()
}

export async function deleteBundle(db: Kysely<Tables>, accountId: string, id: string): Promise<void> {
  await db.deleteFrom('bundle').where('account_id', '=', BigInt(accountId)).where('id', '=', id).execute()
}

export async function deleteMember(
  db: Kysely<Tables>,
  accountId: string,
  { id, address }: { id: string; address: string },
): Promise<void> {
  await db
    .deleteFrom('bundle_member')
    .where((eb) => eb.and({ account_id: BigInt(accountId), bundle_id: id, address }))
    .execute()
}
