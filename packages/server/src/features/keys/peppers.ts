import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Db, Trx } from '../../db/tables.ts'
import { StartupError } from '../../lib/startup-error.ts'

type Pepper = { readonly version: number; readonly secret: KeyObject }

/** The first hashes new keys; all are tried on a presented one. */
export type Peppers = readonly [Pepper, ...Pepper[]]

/** Keys are random, so no slow function is needed; the pepper keeps a leaked table useless. */
export function digestOfKey(key: string, { secret }: Pepper): Buffer {
  return createHmac('sha256', secret).update(key).digest()
}

/**
 * `configured`: the current one first. Without any, the first start creates one in the database. Throws `StartupError`
 * if the installation uses peppers from the environment and this process has none: others would refuse its keys.
 */
export async function openPeppers(db: Db, configured: readonly string[]): Promise<Peppers> {
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

async function registerPepper(trx: Trx, bytes: Buffer): Promise<Pepper> {
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

async function makePepper(trx: Trx): Promise<Pepper> {
  const bytes = randomBytes(32)
  const { version } = await trx
    .insertInto('api_key_pepper')
    .values({ fingerprint: fingerprintOf(bytes), secret: bytes })
    .returning('version')
    .executeTakeFirstOrThrow()
  return { version, secret: createSecretKey(bytes) }
}

const fingerprintOf = (bytes: Buffer) => createHmac('sha256', bytes).update('coffer key pepper').digest()
