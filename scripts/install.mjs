// Installs what a command needs, when it is not there or no longer what package-lock.json says. Runs on any Node >= 20,
// with nothing but Node and npm.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { shareLock, whileLocked } from './lock.mjs'

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
  await whileLocked(lockFile, { onWait: sayWaiting, onAbandoned: removeModules }, async () => {
    if (!isFresh(mode)) await install(readJson(stampFile)?.mode === 'all' ? 'all' : mode)
  })
  return localNode
}

function sayWaiting() {
  process.stderr.write('Another launch is installing; waiting for it ...\n')
}

function removeModules() {
  rmSync(modules, { recursive: true, force: true })
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
  if (child.pid) shareLock(lockFile, child)
  const code = await new Promise((resolve) => child.once('error', () => resolve(1)).once('exit', resolve))
  if (code !== 0 || !existsSync(localNode)) {
    throw new Error(`npm install failed. It needs the npm registry (or a mirror of it); its messages are above.`)
  }
  writeFileSync(stampFile, JSON.stringify({ key: installKey(), mode }))
  process.stderr.write(`Installed in ${Math.round((Date.now() - started) / 1000)} s.\n`)
}

function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}
