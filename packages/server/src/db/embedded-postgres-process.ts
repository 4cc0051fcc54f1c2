import {
  chmodSync,
  closeSync,
  linkSync,
  lstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'

export type Postmaster = { pid: number; port: number; ready: boolean }

// Layout: src/include/utils/pidfile.h
const PID_LINE = 0
const PORT_LINE = 3
const STATUS_LINE = 7

export function findPostmaster(cluster: string): Postmaster | undefined {
  const lines = readText(join(cluster, 'postmaster.pid'))?.split('\n')
  const pid = Number(lines?.[PID_LINE])
  if (!lines || !Number.isSafeInteger(pid) || pid <= 0) return undefined
  return { pid, port: Number(lines[PORT_LINE] ?? 0), ready: lines[STATUS_LINE]?.trim() === 'ready' }
}

/** `gone`: dead, a zombie, or another program with that ID. */
export function postmasterState(pid: number, cluster: string): 'alive' | 'gone' {
  if (!isRunning(pid)) return 'gone'
  const folder = readLink(`/proc/${pid}/cwd`)
  if (folder !== undefined) return folder === cluster ? 'alive' : 'gone'
  // Another user's process, or no /proc (macOS).
  const command = readText(`/proc/${pid}/cmdline`)
  return command === undefined || command.includes(cluster) ? 'alive' : 'gone'
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
  const stat = readText(`/proc/${pid}/stat`)
  // Follows the command's name, which may hold any character.
  return stat?.charAt(stat.lastIndexOf(')') + 2) !== 'Z'
}

/** PostgreSQL does not handle a reused ID. The rename protects a server that started meanwhile. */
export function removeStaleLock(cluster: string, stalePid: number): void {
  const lock = join(cluster, 'postmaster.pid')
  const taken = `${lock}.stale-${process.pid}`
  try {
    renameSync(lock, taken)
    if (Number(readText(taken)?.split('\n')[PID_LINE]) !== stalePid) linkSync(taken, lock)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ENOENT' && code !== 'EEXIST') throw error
  } finally {
    rmSync(taken, { force: true })
  }
}

export function ownerOf(path: string): { uid: number; gid: number } | undefined {
  return lstatSync(path, { throwIfNoEntry: false })
}

export function readLink(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}

export function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

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
