// Lock between launches: a file with its holders' process IDs.
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

/**
 * Calls `onWait` once if another launch holds the lock, `onAbandoned` if it was killed: its partial results cannot be
 * trusted.
 */
export async function whileLocked(file, { onWait, onAbandoned }, work) {
  mkdirSync(dirname(file), { recursive: true })
  let waited = false
  while (!tryLock(file, onAbandoned)) {
    if (!waited) onWait?.()
    waited = true
    await delay(200)
  }
  try {
    await work()
  } finally {
    rmSync(file, { force: true })
  }
}

/** A killed parent's child keeps the lock while it runs. */
export function shareLock(file, child) {
  writeFileSync(file, `${process.pid} ${child.pid}`)
}

function tryLock(file, onAbandoned) {
  const mine = `${file}.${process.pid}`
  try {
    // Links the complete file: no one reads a partial one.
    writeFileSync(mine, String(process.pid))
    linkSync(mine, file)
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
    return takeOver(file, onAbandoned)
  } finally {
    rmSync(mine, { force: true })
  }
}

function takeOver(file, onAbandoned) {
  const holders = readHolders(file)
  if (holders.length === 0 || holders.some(isRunning)) return false
  const taken = `${file}.${process.pid}.stale`
  try {
    renameSync(file, taken)
    if (readHolders(taken).some(isRunning)) linkSync(taken, file)
    else onAbandoned?.()
  } catch (error) {
    if (error.code !== 'ENOENT' && error.code !== 'EEXIST') throw error
  } finally {
    rmSync(taken, { force: true })
  }
  return false
}

function readHolders(file) {
  try {
    return readFileSync(file, 'utf8').split(' ').map(Number)
  } catch {
    return []
  }
}

function isRunning(pid) {
  try {
    process.kill(pid, 0)
  } catch (error) {
    return error.code === 'EPERM'
  }
  try {
    // May be a zombie in a container without init. The state follows the name in parentheses.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.charAt(stat.lastIndexOf(')') + 2) !== 'Z'
  } catch {
    return true
  }
}
