// Installs a command's packages if missing or different from package-lock.json. Runs on any Node >= 20 with only Node
// and npm. Install scripts do not run (.npmrc, allowScripts in package.json).
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { pinnedNode } from '../packages/server/bin/pinned-node.mjs'
import { shareLock, whileLocked } from './lock.mjs'
import { removeUnread } from './unread.mjs'

export const root = dirname(dirname(fileURLToPath(import.meta.url)))

const lockFile = join(root, '.coffer', 'install.lock')

/** Folders with a lock file of their own: contracts, SDKs and lists that checks and tests read. */
const TEST_FOLDERS = ['packages/devnet/protocols', 'packages/solana-fixtures', 'packages/server/scripts']

/** `all` includes building, checking and testing. */
const PACKAGES = {
  production: { flags: ['--omit=dev'], folders: ['.'], purpose: 'to run' },
  all: { flags: ['--include=dev'], folders: ['.', ...TEST_FOLDERS], purpose: 'to run, check and test' },
}

const UNREACHABLE =
  'The npm registry cannot be reached: check the network, or set a mirror with "npm config set registry".'
const UNTRUSTED =
  'The certificate of the npm registry is not trusted: add your certificate authority to NODE_EXTRA_CA_CERTS.'
const FORBIDDEN = `This user cannot write below ${root}, or to the cache of npm: run as the owner of both.`
const ABSENT = 'The npm registry lacks a package of package-lock.json: use the public registry, or update the mirror.'

/** By npm's error code. */
const REMEDIES = {
  ...Object.fromEntries(
    [
      'EAI_AGAIN',
      'ECONNREFUSED',
      'ECONNRESET',
      'EHOSTUNREACH',
      'ENETUNREACH',
      'ENOTFOUND',
      'ERR_SOCKET_TIMEOUT',
      'ETIMEDOUT',
    ].map((code) => [code, UNREACHABLE]),
  ),
  CERT_HAS_EXPIRED: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  EACCES: FORBIDDEN,
  EPERM: FORBIDDEN,
  EROFS: FORBIDDEN,
  ENOSPC: 'The disk is full: Coffer needs 550 MB, and 2 GB with what its tests need.',
  E401: 'The npm registry requires a login: see "npm login".',
  E403: 'The npm registry refuses the download: ask its operator.',
  E404: ABSENT,
  ETARGET: ABSENT,
  EINTEGRITY: 'A download differs from package-lock.json: run "npm cache clean --force" and start again.',
}

const PROGRESS_MS = { terminal: 500, log: 15_000 }

/**
 * Returns the Node to run them with. One of several launches installs, the others wait. Reinstalls everything after a
 * killed installation.
 */
export async function ensureInstalled(mode) {
  const { folders } = PACKAGES[mode]
  const incomplete = () => folders.filter((folder) => missingOf(folder, mode).length > 0)
  if (incomplete().length > 0) {
    await whileLocked(lockFile, { onWait: sayWaiting, onAbandoned: removeModules }, async () => {
      for (const folder of incomplete()) await install(folder, hasDevelopmentPackages(folder) ? 'all' : mode)
    })
  }
  return pinnedNode()
}

function sayWaiting() {
  process.stderr.write('Another launch is installing; waiting for it ...\n')
}

function removeModules() {
  for (const folder of PACKAGES.all.folders) rmSync(modulesOf(folder), { recursive: true, force: true })
}

const modulesOf = (folder) => join(root, folder, 'node_modules')

/** Paths in `folder` that `mode` needs and npm has not recorded in the version of its package-lock.json. */
function missingOf(folder, mode) {
  const found = installedPackages(folder)
  return packagesOf(join(root, folder, 'package-lock.json'))
    .filter(([path, wanted]) => (found[path] ? versionOf(found[path]) !== versionOf(wanted) : isRequired(wanted, mode)))
    .map(([path]) => path)
}

const versionOf = ({ version, integrity }) => integrity ?? version

/** Optional packages include those of other platforms. */
const isRequired = ({ dev, optional, devOptional }, mode) => !optional && (mode === 'all' || (!dev && !devOptional))

const hasDevelopmentPackages = (folder) => Object.values(installedPackages(folder)).some(({ dev }) => dev)

/** Written by npm after each installation. */
const installedPackages = (folder) => Object.fromEntries(packagesOf(join(modulesOf(folder), '.package-lock.json')))

function packagesOf(file) {
  if (!existsSync(file)) return []
  const { packages = {} } = JSON.parse(readFileSync(file, 'utf8'))
  return Object.entries(packages).filter(([path]) => path.includes('node_modules/'))
}

async function install(folder, mode) {
  const { flags, purpose } = PACKAGES[mode]
  const started = Date.now()
  const missing = missingOf(folder, mode)
  process.stderr.write(
    `Installing the ${missing.length} packages that Coffer needs ${purpose} (npm install, once) ...\n`,
  )
  // `npm ci` would first delete the folder. --no-save keeps the lock file with any npm version.
  const args = ['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', ...flags]
  const stopProgress = showProgress(folder, missing, started)
  const { code, printed } = await runNpm(folder, args)
  stopProgress()
  if (code !== 0) throw new Error(`npm install failed. ${remedyFor(printed)}`)
  const left = missingOf(folder, mode)
  if (left.length > 0) {
    throw new Error(
      `npm install left out ${left.length} packages, among them ${left[0]}: check the settings of npm ("npm config list") for "omit" and "dry-run".`,
    )
  }
  removeUnread(folder, mode)
  process.stderr.write(`Installed in ${Math.round((Date.now() - started) / 1000)} s.\n`)
}

/** Runs the npm that started this launcher, else the one on PATH. Returns its messages. */
async function runNpm(folder, args) {
  const npm = process.env.npm_execpath
  const [command, ...rest] = npm?.endsWith('.js') ? [process.execPath, npm, ...args] : ['npm', ...args]
  const child = spawn(command, rest, { cwd: join(root, folder), stdio: ['ignore', 'ignore', 'pipe'] })
  if (child.pid) shareLock(lockFile, child)
  let printed = ''
  child.stderr.on('data', (chunk) => {
    printed += chunk
    process.stderr.write(chunk)
  })
  const code = await new Promise((resolve) => {
    child.once('error', (error) => {
      printed += `npm error code ${error.code === 'ENOENT' ? 'NO_NPM' : error.code}\n`
      resolve(1)
    })
    child.once('close', resolve)
  })
  return { code, printed }
}

function remedyFor(printed) {
  if (printed.includes('NO_NPM')) return 'There is no npm on PATH: install it (it comes with Node).'
  const code = /^npm (?:error|ERR!) code (\S+)/m.exec(printed)?.[1]
  const other =
    printed.trim() === '' ? 'It printed no reason: run "npm install" to see more.' : 'Its messages are above.'
  return REMEDIES[code] ?? other
}

/** Returns a function that stops it. */
function showProgress(folder, missing, started) {
  const { isTTY } = process.stderr
  const timer = setInterval(
    () => {
      const done = missing.filter((path) => existsSync(join(root, folder, path, 'package.json'))).length
      const line = `${done} of ${missing.length} packages, ${Math.round((Date.now() - started) / 1000)} s`
      process.stderr.write(isTTY ? `\r${line}` : `${line}\n`)
    },
    isTTY ? PROGRESS_MS.terminal : PROGRESS_MS.log,
  )
  return () => {
    clearInterval(timer)
    if (isTTY) process.stderr.write('\r\x1b[K')
  }
}
