import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import { type Kysely, sql, type Transaction } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import { StartupError } from '../../lib/startup-error.ts'

/** A server secret that keys are hashed with; the version is stored beside each hash. */
type Pepper = { readonly version: number; readonly secret: KeyObject }

/** The first pepper hashes new keys; all of them are tried on a key that is presented. */
export type Peppers = readonly [Pepper, ...Pepper[]]

/** HMAC-SHA-256 of a key. Keys are random, so that no slow function is needed; the pepper keeps a leaked table useless. */
export function digestOfKey(key: string, { secret }: Pepper): Buffer {
  return createHmac('sha256', secret).update(key).digest()
}

/**
 * The peppers of this installation. `configured` come from the environment, the current one first; when there are none,
 * one is made at the first start and kept in the database. Throws `StartupError` when the installation has used peppers
 * from the environment and this process was given none: it would make keys that the others refuse.
 */
export async function openPeppers(db: Kysely<Tables>, configured: readonly string[]): Promise<Peppers> {
  return db.transaction().execute(async (trx) => {
    await sql`lock table api_key_pepper in exclusive mode`.execute(trx)
    const given = []
    for (const text of configured) given.push(await registerPepper(trx, Buffer.from(text)))
    const rows = await trx.selectFrom('api_key_pepper').select(['version', 'secret']).orderBy('version').execute()
    const stored = rows.flatMap(({ version, secret }) => (secret ? [{ version, secret: createSecretKey(secret) }] : []))
    const [current, ...others] = [...given, ...stored]
    if (given.length === 0 && rows.length > stored.length) {
      throw new StartupError('COFFER_KEY_PEPPER was set when API keys were made here and is needed again.')
    }
    return current ? [current, ...others] : [await makePepper(trx)]
  })
}

async function registerPepper(trx: Transaction<Tables>, bytes: Buffer): Promise<Pepper> {
  const fingerprint = fingerprintOf(bytes)
  await trx
    .insertInto('api_key_pepper')
    .values({ fingerprint, secret: null })
    .onConflict((conflict) => conflict.column('fingerprint').doNothing())
    .execute()
  const { version } = await trx
    .selectFrom('api_key_pepper')
    .select('version')
    .where('fingerprint', '=', fingerprint)
    .executeTakeFirstOrThrow()
  return { version, secret: createSecretKey(bytes) }
}

async function makePepper(trx: Transaction<Tables>): Promise<Pepper> {
  const bytes = randomBytes(32)
  const { version } = await trx
    .insertInto('api_key_pepper')
    .values({ fingerprint: fingerprintOf(bytes), secret: bytes })
    .returning('version')
    .executeTakeFirstOrThrow()
  return { version, secret: createSecretKey(bytes) }
}

/** Distinguishes two peppers without revealing either. */
const fingerprintOf = (bytes: Buffer) => createHmac('sha256', bytes).update('coffer key pepper').digest()
