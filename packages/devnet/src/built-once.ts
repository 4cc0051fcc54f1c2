import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

const LOCK_POLL_MS = 100
const LOCK_AGE_LIMIT_MS = 300_000
const LOCK_WRITE_LIMIT_MS = 5_000

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Dead owner, no owner named, or too old. */
const isLeftBehind = (lock: string): boolean => {
  try {
    const age = Date.now() - statSync(lock).mtimeMs
    const pid = Number(readFileSync(lock, 'utf8'))
    return age > LOCK_AGE_LIMIT_MS || (pid > 0 ? !isAlive(pid) : age > LOCK_WRITE_LIMIT_MS)
  } catch {
    return false
  }
}

const takeLock = (lock: string): boolean => {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    if (isLeftBehind(lock)) rmSync(lock, { force: true })
    return false
  }
}

/** `<name>.<pid>` of a live process: its build. */
const isInTheMaking = (entry: string): boolean => {
  const [, owner] = entry.split('.')
  return owner !== undefined && (owner === 'lock' || isAlive(Number(owner)))
}

const removeOthers = (cache: string, keep: string): void => {
  for (const entry of readdirSync(cache)) {
    if (entry !== keep && !isInTheMaking(entry)) rmSync(join(cache, entry), { recursive: true, force: true })
  }
}

/** A folder that exists is complete. */
const buildAside = async (folder: string, build: (folder: string) => Promise<void>): Promise<void> => {
  const unfinished = `${folder}.${process.pid}`
  mkdirSync(unfinished, { recursive: true })
  try {
    await build(unfinished)
    if (!existsSync(folder)) renameSync(unfinished, folder)
  } finally {
    rmSync(unfinished, { recursive: true, force: true })
  }
}

/**
 * Fills folder `name` in `cache` once and removes other folders. One of several processes builds, the others wait. If
 * it dies, another replaces it.
 */
export const builtOnce = async (
  cache: string,
  name: string,
  build: (folder: string) => Promise<void>,
): Promise<string> => {
  const folder = join(cache, name)
  const lock = `${folder}.lock`
  mkdirSync(cache, { recursive: true })
  while (!existsSync(folder)) {
    if (!takeLock(lock)) {
      await delay(LOCK_POLL_MS)
      continue
    }
    try {
      if (!existsSync(folder)) await buildAside(folder, build)
      removeOthers(cache, name)
    } finally {
      rmSync(lock, { force: true })
    }
  }
  return folder
}
