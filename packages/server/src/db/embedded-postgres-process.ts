import { linkSync, lstatSync, readFileSync, readlinkSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** What `postmaster.pid` in a cluster's folder says: the server's process, its TCP port, and whether it takes connections. */
export type Postmaster = { pid: number; port: number; ready: boolean }

/** `alive`: the process is this cluster's server. `gone`: dead, a zombie, or another program that got its number since. */
export type PostmasterState = 'alive' | 'gone'

// The layout of PostgreSQL's lock file: src/include/utils/pidfile.h
const PID_LINE = 0
const PORT_LINE = 3
const STATUS_LINE = 7

/** Reads the cluster's lock file; undefined when there is none or it is still being written. */
export function findPostmaster(cluster: string): Postmaster | undefined {
  const lines = readText(join(cluster, 'postmaster.pid'))?.split('\n')
  const pid = Number(lines?.[PID_LINE])
  if (!lines || !Number.isSafeInteger(pid) || pid <= 0) return undefined
  return { pid, port: Number(lines[PORT_LINE] ?? 0), ready: lines[STATUS_LINE]?.trim() === 'ready' }
}

/** Whether the process that a lock file names is this cluster's server. `cluster` is a real path. */
export function postmasterState(pid: number, cluster: string): PostmasterState {
  if (!isRunning(pid)) return 'gone'
  const folder = readLink(`/proc/${pid}/cwd`)
  if (folder !== undefined) return folder === cluster ? 'alive' : 'gone'
  // Another user's process, or no /proc at all (macOS): its command line, or the bare fact that it runs, must do.
  const command = readText(`/proc/${pid}/cmdline`)
  return command === undefined || command.includes(cluster) ? 'alive' : 'gone'
}

/** Whether the process runs; a zombie does not. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
  const stat = readText(`/proc/${pid}/stat`)
  // The state follows the command's name, which is in parentheses and may itself hold any character.
  return stat?.charAt(stat.lastIndexOf(')') + 2) !== 'Z'
}

/**
 * Removes the lock file of a dead server. PostgreSQL does so itself unless the number lives on as a zombie or as another
 * program. Taking it by rename first makes sure that a server started meanwhile keeps its own.
 */
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

/** The owner of a file or folder, links not followed; undefined when it is not there. */
export function ownerOf(path: string): { uid: number; gid: number } | undefined {
  return lstatSync(path, { throwIfNoEntry: false })
}

/** A link's target; undefined when it is no link or may not be read. */
export function readLink(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}

/** A small file's text; undefined when it is not there or may not be read. */
export function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
