import type { Db } from '../../db/tables.ts'
import { rewrap } from './envelope.ts'
import type { MasterKey, MasterKeys } from './master-keys.ts'
import {
  listKeyIds,
  lockSecrets,
  type SecretToRewrap,
  takeSecretsOfOtherKeys,
  updateWrappedKey,
} from './secret-vault.ts'

/** Locks rows for a few milliseconds. */
const BATCH = 100
const BEFORE_ALL_IDS = '00000000-0000-0000-0000-000000000000'

/** `unreadable`: IDs of secrets. */
type Rotation = { rewrapped: number; unreadable: string[] }

/**
 * Services may read and write meanwhile. Killed at any moment, it leaves every secret readable, and the next run
 * continues.
 */
export async function rotateSecrets(db: Db, keys: MasterKeys): Promise<Rotation> {
  const current = await db.transaction().execute(async (trx) => {
    await lockSecrets(trx, 'changing keys')
    await keys.renew()
    return keys.current()
  })
  if (!current) return { rewrapped: 0, unreadable: [] }
  const rotation = await rewrapAll(db, keys, current)
  await db.transaction().execute(async (trx) => {
    await lockSecrets(trx, 'changing keys')
    // Another rotation may have created a key meanwhile.
    const [now, needed] = [await keys.current(), await listKeyIds(trx)]
    if (now && needed.every((id) => id.equals(now.id))) await keys.retire()
  })
  return rotation
}

async function rewrapAll(db: Db, keys: MasterKeys, current: MasterKey): Promise<Rotation> {
  const rotation: Rotation = { rewrapped: 0, unreadable: [] }
  for (let after = BEFORE_ALL_IDS; ; ) {
    const batch = await db.transaction().execute(async (trx) => {
      const taken = await takeSecretsOfOtherKeys(trx, { keyId: current.id, after, limit: BATCH })
      const moved = []
      for (const one of taken) {
        const wrapped = await rewrapped(one, keys, current)
        if (wrapped) await updateWrappedKey(trx, one.binding.id, wrapped)
        moved.push({ id: one.binding.id, done: wrapped !== undefined })
      }
      return moved
    })
    rotation.rewrapped += batch.filter(({ done }) => done).length
    rotation.unreadable.push(...batch.flatMap(({ id, done }) => (done ? [] : [id])))
    const last = batch.at(-1)
    if (!last) return rotation
    after = last.id
  }
}

/** Undefined if the row was tampered with or its master key is missing. */
async function rewrapped({ binding, wrapped }: SecretToRewrap, keys: MasterKeys, current: MasterKey) {
  const from = await keys.find(wrapped.keyId)
  if (!from) return undefined
  try {
    return rewrap(wrapped, binding, from, current)
  } catch {
    return undefined
  }
}
