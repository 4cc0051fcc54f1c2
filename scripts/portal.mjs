// node scripts/portal.mjs: builds packages/portal into `dist`, unless built from the same sources and packages. One of
// several launches builds. A build appears whole or not at all.
// node scripts/portal.mjs <folder>: builds into that folder.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { root } from './install.mjs'
import { whileLocked } from './lock.mjs'

const portal = join(root, 'packages', 'portal')
const dist = join(portal, 'dist')
const stampFile = join(dist, '.sources')
const working = join(root, '.coffer')
const next = join(working, 'portal-next')
const last = join(working, 'portal-last')
/** Outputs of builds and npm. */
const NOT_SOURCES = new Set(['dist', 'node_modules'])

async function ensureBuilt() {
  const key = sourcesKey()
  if (isBuilt(key)) return
  await whileLocked(join(working, 'portal.lock'), {}, async () => {
    if (!isBuilt(key)) await renew(key)
  })
}

async function renew(key) {
  rmSync(next, { recursive: true, force: true })
  rmSync(last, { recursive: true, force: true })
  await build(next)
  writeFileSync(join(next, '.sources'), key)
  if (existsSync(dist)) renameSync(dist, last)
  renameSync(next, dist)
  rmSync(last, { recursive: true, force: true })
}

function isBuilt(key) {
  return existsSync(stampFile) && readFileSync(stampFile, 'utf8') === key
}

/** Includes the lock file. */
function sourcesKey() {
  const hash = createHash('sha256').update(readFileSync(join(root, 'package-lock.json')))
  for (const file of sourceFiles(portal).sort()) {
    const bytes = readFileSync(file)
    hash.update(`\0${relative(portal, file)}\0${bytes.length}\0`).update(bytes)
  }
  return hash.digest('hex')
}

function sourceFiles(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return NOT_SOURCES.has(entry.name) ? [] : sourceFiles(path)
    return entry.isFile() ? [path] : []
  })
}

async function build(outDir) {
  // Plugins read settings from the working directory. The build is always for production.
  process.chdir(portal)
  process.env.NODE_ENV = 'production'
  const vite = await import(pathToFileURL(createRequire(join(portal, 'package.json')).resolve('vite')).href)
  await vite.build({ root: portal, build: { outDir, emptyOutDir: true }, logLevel: 'silent' })
  if (!existsSync(join(outDir, 'index.html'))) throw new Error('the build has no index.html')
}

function sentenceOf(error) {
  const text = stripVTControlCharacters(String(error?.message ?? error))
  const [first, second = ''] = text.split(/\s*\n\s*/)
  return `${first} ${second}`.trim()
}

const [folder] = process.argv.slice(2)
try {
  await (folder === undefined ? ensureBuilt() : build(resolve(folder)))
} catch (error) {
  process.stderr.write(`The portal was not built: ${sentenceOf(error)}\n`)
  process.exitCode = 1
}
