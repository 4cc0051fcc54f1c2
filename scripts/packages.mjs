// node scripts/packages.mjs [folder]: packs @coffer/client and @coffer/server as tarballs (default: .coffer/packages)
// and prints their paths. They contain JavaScript: Node runs no TypeScript of installed packages.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { basename, dirname, extname, join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import ts from 'typescript'
import { root } from './install.mjs'
import { productionPackages } from './production-packages.mjs'

/** Data files that programs read at run time. */
const DATA = new Set(['.css', '.json', '.sql', '.txt'])

const source = (...path) => join(root, 'packages', ...path)
const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'))
const writeJson = (file, value) => writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`)

/** Without tests, relative to the folder. */
function filesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
}

function write(file, text) {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

const relativeImport = (from, to) => {
  const path = relative(dirname(from), to)
  return path.startsWith('.') ? path : `./${path}`
}

/** Replaces modules with paths, e.g. `@coffer/contract`. */
function relocate(code, file, places) {
  return code.replace(/(?<=(?:from|import\() ?['"])@coffer\/[\w/-]+(?=['"])/g, (name) => {
    const place = places[name]
    if (place === undefined) throw new Error(`${file} imports ${name}, which is not in the package`)
    return relativeImport(file, place)
  })
}

const importScripts = (code) => code.replace(/(?<=\b(?:from|import|import\() ?['"]\.[^'"]*)\.ts(?=['"])/g, '.js')

function compile(from, to, places) {
  for (const name of filesIn(from)) {
    const file = join(from, name)
    const target = join(to, name)
    if (DATA.has(extname(name))) write(target, readFileSync(file))
    if (extname(name) !== '.ts') continue
    const code = stripTypeScriptTypes(readFileSync(file, 'utf8'))
    const script = target.replace(/\.ts$/, '.js')
    write(script, relocate(importScripts(code), script, places))
  }
}

function declare(to, places) {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile)
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root)
  const program = ts.createProgram([source('client/src/index.ts'), source('contract/src/index.ts')], {
    ...options,
    noEmit: false,
    incremental: false,
    tsBuildInfoFile: undefined,
    allowImportingTsExtensions: true,
    emitDeclarationOnly: true,
    declaration: true,
  })
  const { diagnostics } = program.emit(undefined, (name, text) => {
    const file = join(to, relative(source(), name).replace('/src/', '/'))
    write(file, relocate(importScripts(text), file, places))
  })
  if (diagnostics.length > 0) throw new Error(ts.formatDiagnostics(diagnostics, ts.createCompilerHost({})))
}

/** Throws if versions differ. */
function dependenciesOf(...manifests) {
  const all = {}
  for (const [name, version] of manifests.flatMap(({ dependencies = {} }) => Object.entries(dependencies))) {
    if (name.startsWith('@coffer/')) continue
    all[name] ??= version
    if (all[name] !== version) throw new Error(`${name} is needed as ${all[name]} and as ${version}`)
  }
  return Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)))
}

function writeManifest(to, { private: _, scripts: __, devDependencies: ___, ...manifest }, changes) {
  writeJson(join(to, 'package.json'), { ...manifest, ...changes })
}

function copyTexts(name, to) {
  for (const file of [source(name, 'README.md'), join(root, 'LICENSE')]) cpSync(file, join(to, basename(file)))
}

async function stageClient(to) {
  const contract = join(to, 'contract')
  const client = join(to, 'client')
  const table = join(client, 'endpoints.js')
  compile(source('contract/src'), contract, {})
  rmSync(join(contract, 'portal'), { recursive: true })
  compile(source('client/src'), client, { '@coffer/contract': table })
  declare(to, { '@coffer/contract': join(contract, 'index.js') })
  rmSync(join(contract, 'portal'), { recursive: true, force: true })
  // All that calls need. Callers that check answers load the schemas.
  const { endpoints } = await import(pathToFileURL(source('contract/src/index.ts')).href)
  const routes = Object.entries(endpoints).map(([name, { method, path, streams }]) => [name, { method, path, streams }])
  write(table, `export const endpoints = ${JSON.stringify(Object.fromEntries(routes), null, 2)}\n`)
  const manifest = readJson(source('client/package.json'))
  writeManifest(to, manifest, {
    sideEffects: false,
    exports: {
      '.': { types: './client/index.d.ts', default: './client/index.js' },
      './contract': { types: './contract/index.d.ts', default: './contract/index.js' },
      './package.json': './package.json',
    },
    dependencies: dependenciesOf(manifest, readJson(source('contract/package.json'))),
  })
  copyTexts('client', to)
}

/** Keeps the repository's folders: relative paths stay valid. */
function stageServer(to) {
  const place = (...path) => join(to, 'packages', ...path)
  const manifest = readJson(source('server/package.json'))
  const within = ['contract', 'client', 'mcp', 'cli']
  const places = {
    ...Object.fromEntries(within.map((name) => [`@coffer/${name}`, place(name, 'src/index.js')])),
    '@coffer/contract/portal': place('contract/src/portal/index.js'),
  }
  for (const name of [...within, 'server']) {
    compile(source(name, 'src'), place(name, 'src'), places)
    writeJson(place(name, 'package.json'), { version: manifest.version, type: 'module' })
  }
  cpSync(source('server/assets'), place('server/assets'), { recursive: true })
  for (const name of filesIn(source('server/bin'))) {
    const code = readFileSync(source('server/bin', name), 'utf8')
    write(place('server/bin', name), code.replaceAll(/(?<=new URL\('\.[^']*)\.ts(?=')/g, '.js'))
  }
  copyPortal(place('portal/dist'))
  for (const name of readdirSync(join(root, 'docs')).filter((file) => file.endsWith('.md'))) {
    write(join(to, 'docs', name), readFileSync(join(root, 'docs', name)))
  }
  const manifests = within.map((name) => readJson(source(name, 'package.json')))
  writeManifest(to, manifest, {
    bin: Object.fromEntries(Object.keys(manifest.bin).map((name) => [name, `./packages/server/bin/${name}.mjs`])),
    dependencies: dependenciesOf(manifest, ...manifests),
  })
  copyTexts('server', to)
  cpSync(join(root, 'NOTICE'), join(to, 'NOTICE'))
}

/** Without the build stamp. */
function copyPortal(to) {
  execFileSync(process.execPath, [join(root, 'scripts/portal.mjs')], { stdio: ['ignore', 'ignore', 'inherit'] })
  cpSync(source('portal/dist'), to, { recursive: true, filter: (file) => basename(file) !== '.sources' })
}

function pack(folder, to) {
  const args = ['pack', '--json', '--pack-destination', to]
  const [{ filename }] = JSON.parse(execFileSync('npm', args, { cwd: folder, encoding: 'utf8' }))
  return join(to, filename)
}

/** CycloneDX, of what an installation of the server gets. npm reads a lock file, which the package itself has not. */
function billOfMaterials(folder, to) {
  const { name, version, dependencies } = readJson(join(folder, 'package.json'))
  const locked = [...productionPackages()].filter(([, { link }]) => !link)
  const packages = Object.fromEntries([['', { name, version, dependencies }], ...locked])
  const project = join(folder, '..', 'sbom')
  writeJson(join(mkEmpty(project), 'package.json'), { name, version, dependencies })
  writeJson(join(project, 'package-lock.json'), { name, version, lockfileVersion: 3, requires: true, packages })
  const args = ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only']
  const bill = JSON.parse(execFileSync('npm', args, { cwd: project, encoding: 'utf8', maxBuffer: 2 ** 26 }))
  bill.metadata.component = { ...bill.metadata.component, name }
  const file = join(to, `coffer-server-${version}.cdx.json`)
  writeJson(file, bill)
  rmSync(project, { recursive: true })
  return file
}

function mkEmpty(folder) {
  if (existsSync(folder)) rmSync(folder, { recursive: true })
  mkdirSync(folder, { recursive: true })
  return folder
}

const STAGES = { client: stageClient, server: stageServer }

const USAGE =
  'Usage: npm run packages [-- FOLDER]: packs the published packages, and their SBOM, into FOLDER (default: .coffer/packages).'
const [option] = process.argv.slice(2).filter((arg) => arg.startsWith('-'))
if (option !== undefined) {
  const isHelp = option === '--help' || option === '-h'
  process.stderr.write(`${USAGE}\n`)
  process.exit(isHelp ? 0 : 2)
}

const to = resolve(process.argv[2] ?? join(root, '.coffer/packages'))
for (const [name, stage] of Object.entries(STAGES)) {
  const folder = mkEmpty(join(to, name))
  await stage(folder)
  console.log(pack(folder, to))
}
console.log(billOfMaterials(join(to, 'server'), to))
