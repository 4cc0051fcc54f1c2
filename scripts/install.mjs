// Installs what a command needs, when it is not there or no longer what package-lock.json says. Runs on any Node >= 20,
// with nothing but Node and npm.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

export const root = dirname(dirname(fileURLToPath(import.meta.url)))

const modules = join(root, 'node_modules')
const stampFile = join(modules, '.coffer-install.json')
const lockFile = join(root, '.coffer', 'install.lock')
const localNode = join(modules, '.bin', 'node')

/** `production`: what the service needs. `all`: that and what building, checking and testing it needs. */
const PACKAGES = {
  production: { flags: ['--omit=dev'], says: 'what Coffer needs to run' },
  all: { flags: ['--include=dev'], says: 'what Coffer needs to run, check and test' },
}

/**
 * Makes `node_modules` hold what `mode` needs and answers the Node to run it with. Of several launches at once one
 * installs and the others wait; after one that was killed half-way all is installed anew.
 */
export async function ensureInstalled(mode) {
  if (isFresh(mode)) return localNode
  await whileLocked(async () => {
    if (!isFresh(mode)) await install(readJson(stampFile)?.mode === 'all' ? 'all' : mode)
  })
  return localNode
}

function isFresh(mode) {
  const stamp = readJson(stampFile)
  return stamp?.key === installKey() && (stamp.mode === 'all' || stamp.mode === mode) && existsSync(localNode)
}

/** The lock file decides what is installed; binaries differ by platform. */
function installKey() {
  const lock = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex')
  return `${lock} ${process.platform}-${process.arch}`
}

async function install(mode) {
  const { flags, says } = PACKAGES[mode]
  const started = Date.now()
  process.stderr.write(`Installing ${says} (npm install, once) ...\n`)
  rmSync(stampFile, { force: true })
  // Not `npm ci`: it refuses a lock file without entries for other platforms' optional packages. --no-save leaves the
  // lock file as it is, whatever npm's version.
  const args = ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error', ...flags]
  const npm = process.env.npm_execpath
  const [command, ...rest] = npm?.endsWith('.js') ? [process.execPath, npm, ...args] : ['npm', ...args]
  const child = spawn(command, rest, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })
  // Should this process be killed, the lock is npm's as long as npm runs.
  if (child.pid) writeFileSync(lockFile, `${process.pid} ${child.pid}`)
  const code = await new Promise((resolve) => child.once('error', () => resolve(1)).once('exit', resolve))
  if (code !== 0 || !existsSync(localNode)) {
    throw new Error(`npm install failed. It needs the npm registry (or a mirror of it); its messages are above.`)
  }
  writeFileSync(stampFile, JSON.stringify({ key: installKey(), mode }))
  process.stderr.write(`Installed in ${Math.round((Date.now() - started) / 1000)} s.\n`)
}

async function whileLocked(work) {
  mkdirSync(dirname(lockFile), { recursive: true })
  let waited = false
  while (!tryLock()) {
    if (!waited) process.stderr.write('Another launch is installing; waiting for it ...\n')
    waited = true
    await delay(200)
  }
  try {
    await work()
  } finally {
    rmSync(lockFile, { force: true })
  }
}

function tryLock() {
  const mine = `${lockFile}.${process.pid}`
  try {
    // Complete before it has its name, so that nobody reads half of it.
    writeFileSync(mine, String(process.pid))
    linkSync(mine, lockFile)
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
    return takeOver()
  } finally {
    rmSync(mine, { force: true })
  }
}

/** The lock of a launch that was killed while it installed: what it left of `node_modules` cannot be trusted. */
function takeOver() {
  const holders = readHolders(lockFile)
  if (holders.length === 0 || holders.some(isRunning)) return false
  const taken = `${lockFile}.${process.pid}.stale`
  try {
    renameSync(lockFile, taken)
    if (readHolders(taken).some(isRunning)) linkSync(taken, lockFile)
    else rmSync(modules, { recursive: true, force: true })
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
    // Dead, but in a container without an init nobody takes note of it. The state follows the name in parentheses.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.charAt(stat.lastIndexOf(')') + 2) !== 'Z'
  } catch {
    return true
  }
}

function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}
