import { type Kysely, sql, type Transaction } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import type { Belonging, Binding, Envelope, WrappedKey } from './envelope.ts'

const WRAPPED_KEY = ['key_id as keyId', 'key_nonce as keyNonce', 'wrapped_key as wrappedKey'] as const

/** Writers share `writing`; `changing keys` is exclusive. Neither blocks reads. */
export async function lockSecrets(
  trx: Transaction<Tables>,
  { for: use }: { for: 'writing' | 'changing keys' },
): Promise<void> {
  if (use === 'writing') await sql`lock table secret in row exclusive mode`.execute(trx)
  else await sql`lock table secret in share row exclusive mode`.execute(trx)
}

export async function insertSecret(trx: Transaction<Tables>, binding: Binding, envelope: Envelope): Promise<void> {
  const { id, purpose } = binding
  const { nonce, ciphertext } = envelope
  await trx
    .insertInto('secret')
    .values({ id, ...ownerColumns(binding), purpose, ...keyColumns(envelope), nonce, ciphertext })
    .execute()
}

export async function findSecret(db: Kysely<Tables>, binding: Binding): Promise<Envelope | undefined> {
  return db
    .selectFrom('secret')
    .select([...WRAPPED_KEY, 'nonce', 'ciphertext'])
    .where(({ eb, and }) => {
      const { account_id, user_id } = ownerColumns(binding)
      return and([eb('account_id', 'is not distinct from', account_id), eb('user_id', 'is not distinct from', user_id)])
    })
    .where('id', '=', binding.id)
    .where('purpose', '=', binding.purpose)
    .executeTakeFirst()
}

export async function deleteSecret(db: Kysely<Tables>, id: string): Promise<void> {
  await db.deleteFrom('secret').where('id', '=', id).execute()
}

export async function listKeyIds(db: Kysely<Tables>): Promise<Buffer[]> {
  const rows = await db.selectFrom('secret').select('key_id').distinct().execute()
  return rows.map((row) => row.key_id)
}

export type SecretToRewrap = { binding: Binding; wrapped: WrappedKey }

/** Locks the rows. */
export async function takeSecretsOfOtherKeys(
  trx: Transaction<Tables>,
  { keyId, after, limit }: { keyId: Buffer; after: string; limit: number },
): Promise<SecretToRewrap[]> {
  const rows = await trx
    .selectFrom('secret')
    .select(['id', 'account_id', 'user_id', 'purpose', ...WRAPPED_KEY])
    .where('key_id', '!=', keyId)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .forUpdate()
    .execute()
  return rows.map(({ id, account_id, user_id, purpose, ...wrapped }) => ({
    binding: {
      id,
      purpose,
      ...(account_id === null ? { userId: String(user_id) } : { accountId: String(account_id) }),
    },
    wrapped,
  }))
}

export async function updateWrappedKey(trx: Transaction<Tables>, id: string, wrapped: WrappedKey): Promise<void> {
  await trx.updateTable('secret').set(keyColumns(wrapped)).where('id', '=', id).execute()
}

const keyColumns = ({ keyId, keyNonce, wrappedKey }: WrappedKey) => ({
  key_id: keyId,
  key_nonce: keyNonce,
  wrapped_key: wrappedKey,
})

const ownerColumns = (belonging: Belonging) =>
  'userId' in belonging
    ? { account_id: null, user_id: BigInt(belonging.userId) }
    : { account_id: BigInt(belonging.accountId), user_id: null }
