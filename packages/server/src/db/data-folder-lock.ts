import { chmodSync, closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'

const POLL_MS = 25
/** SQLITE_BUSY. */
const BUSY = 5

/** The kernel releases the lock with its process. Node has no file locks; SQLite locks equally on every system. */
export async function withFolderLock<T>(dataDir: string, work: () => Promise<T>): Promise<T> {
  const path = join(dataDir, 'postgres.lock')
  // SQLite would create it readable by others.
  closeSync(openSync(path, 'a', 0o600))
  chmodSync(path, 0o600)
  const lock = new DatabaseSync(path, { timeout: 0 })
  try {
    while (!taken(lock)) await delay(POLL_MS)
    return await work()
  } finally {
    lock.close()
  }
}

function taken(lock: DatabaseSync): boolean {
  try {
    lock.exec('begin exclusive')
    return true
  } catch (error) {
    if ((error as { errcode?: number }).errcode === BUSY) return false
    throw error
  }
}
