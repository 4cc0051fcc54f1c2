import { chmodSync, closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'

const POLL_MS = 25
/** SQLITE_BUSY: another process holds the lock. */
const BUSY = 5

/**
 * Runs `work` while no other process does so for the same data folder. The lock is the kernel's, on the file
 * `postgres.lock`: it ends with the process that holds it, however that ends, so it is never stale. Node has no file locks
 * of its own; SQLite, which is part of it, takes them alike on every system. The file stays, and stays empty.
 */
export async function withFolderLock<T>(dataDir: string, work: () => Promise<T>): Promise<T> {
  const path = join(dataDir, 'postgres.lock')
  // SQLite would let others read it, and an older version did.
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
