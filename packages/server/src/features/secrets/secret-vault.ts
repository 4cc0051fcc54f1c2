import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Db, Trx } from '../../db/tables.ts'
import { type Secret, secret } from '../../lib/secret.ts'
import { StartupError } from '../../lib/startup-error.ts'
import { type Belonging, type Binding, type Envelope, seal, unseal, type WrappedKey } from './envelope.ts'
import type { MasterKeys } from './master-keys.ts'

/** The message reveals nothing of it. */
export class SecretUnreadable extends Error {
  override readonly name = 'SecretUnreadable'
}

export type SecretVault = Awaited<ReturnType<typeof openVault>>

/** Keys may change between the reads of the database and of the keys, but not twice. */
const LOOKS = 2

/**
 * Each text has a data key of its own, encrypted with the master key. Both are bound to the row, its owner and the
 * purpose. Throws `StartupError` if the master key of a stored secret is missing.
 */
export async function openVault(db: Db, keys: MasterKeys) {
  await refuseMissingKeys(db, keys)
  return {
    put: (db: Db, { text, ...belonging }: Belonging & { text: string }): Promise<string> =>
      inTransaction(db, async (trx) => {
        // Before the key is read, so that it is not retired before the commit.
        await lockSecrets(trx, 'writing')
        let masterKey = await keys.current()
        if (!masterKey) {
          // A lost file is not replaced while a secret needs its keys.
          await refuseMissingKeys(trx, keys)
          masterKey = await keys.make()
        }
        const binding: Binding = { ...belonging, id: randomUUID() }
        const { nonce, ciphertext, ...wrapped } = seal(text, binding, masterKey)
        const { id, purpose } = binding
        const columns = { ...ownerColumns(binding), ...keyColumns(wrapped) }
        await trx
          .insertInto('secret')
          .values({ id, purpose, nonce, ciphertext, ...columns })
          .execute()
        return id
      }),
    /** Throws `SecretUnreadable`. */
    open: (db: Db, binding: Binding): Promise<Secret> => openSecret(db, keys, binding),
    async remove(db: Db, id: string): Promise<void> {
      await db.deleteFrom('secret').where('id', '=', id).execute()
    },
  }
}

async function openSecret(db: Db, keys: MasterKeys, binding: Binding): Promise<Secret> {
  for (let look = 1; look <= LOOKS; look += 1) {
    const envelope = await findSecret(db, binding)
    if (!envelope) throw new SecretUnreadable(`There is no secret ${binding.id} for this owner and purpose.`)
    const masterKey = await keys.find(envelope.keyId).catch((error: unknown) => {
      throw error instanceof StartupError ? new SecretUnreadable(error.message) : error
    })
    if (!masterKey) continue
    try {
      return secret(unseal(envelope, binding, masterKey))
    } catch {
      throw new SecretUnreadable(`The secret ${binding.id} was altered.`)
    }
  }
  throw new SecretUnreadable(`The master key of the secret ${binding.id} ${keys.remedy}.`)
}

async function refuseMissingKeys(db: Db, keys: MasterKeys): Promise<void> {
  for (let look = 1; look <= LOOKS; look += 1) {
    const found = await Promise.all((await listKeyIds(db)).map((id) => keys.find(id)))
    if (found.every((key) => key !== undefined)) return
  }
  throw new StartupError(`The master key of secrets in the database ${keys.remedy}.`)
}

async function inTransaction<T>(db: Db, work: (trx: Trx) => Promise<T>): Promise<T> {
  return db.isTransaction ? work(db as Trx) : db.transaction().execute(work)
}

const WRAPPED_KEY = ['key_id as keyId', 'key_nonce as keyNonce', 'wrapped_key as wrappedKey'] as const

/** Writers share `writing`; `changing keys` is exclusive. Neither blocks reads. */
export async function lockSecrets(trx: Trx, use: 'writing' | 'changing keys'): Promise<void> {
  const mode = use === 'writing' ? sql`row exclusive` : sql`share row exclusive`
  await sql`lock table secret in ${mode} mode`.execute(trx)
}

async function findSecret(db: Db, binding: Binding): Promise<Envelope | undefined> {
  const { account_id, user_id } = ownerColumns(binding)
  return db
    .selectFrom('secret')
    .select([...WRAPPED_KEY, 'nonce', 'ciphertext'])
    .where('account_id', 'is not distinct from', account_id)
    .where('user_id', 'is not distinct from', user_id)
    .where('id', '=', binding.id)
    .where('purpose', '=', binding.purpose)
    .executeTakeFirst()
}

export async function listKeyIds(db: Db): Promise<Buffer[]> {
  const rows = await db.selectFrom('secret').select('key_id').distinct().execute()
  return rows.map((row) => row.key_id)
}

export type SecretToRewrap = { binding: Binding; wrapped: WrappedKey }

export async function takeSecretsOfOtherKeys(
  trx: Trx,
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

export async function updateWrappedKey(trx: Trx, id: string, wrapped: WrappedKey): Promise<void> {
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
