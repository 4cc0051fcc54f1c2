import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { type Env, processEnv } from '../../src/config/env.ts'
import { getOnce } from '../processes/http-get.ts'
import { readyAt, type ServiceProcess, startProgram } from '../processes/service-process.ts'
import { install, packAll, REACHING, root, runIn } from './packed.ts'

type Installer = { name: string; program: 'npm' | 'pnpm'; version: string; nodes: RegExp; env?: Env }
type Cell = { installer: Installer; node: string; user: 'root' | 'user'; from: 'clone' | 'package' }

/** `nodes`: lines of Node that the release supports. */
const INSTALLERS: readonly Installer[] = [
  { name: 'npm 12', program: 'npm', version: '12.2.2', nodes: /^(22|24|26)\./ },
  { name: 'npm 11', program: 'npm', version: '11.21.2', nodes: /^(20|22|24|26)\./ },
  { name: 'npm 10', program: 'npm', version: '10.9.9', nodes: /^(20|22|24|26)\./ },
  { name: 'npm 9', program: 'npm', version: '9.9.4', nodes: /^(20|22|24|26)\./ },
  { name: 'pnpm 10', program: 'pnpm', version: '10.34.8', nodes: /^(20|22|24|26)\./ },
  {
    name: 'npm 11 --ignore-scripts',
    program: 'npm',
    version: '11.21.2',
    nodes: /^(20|22|24|26)\./,
    env: { npm_config_ignore_scripts: 'true' },
  },
]
const NODES = ['24.21.0', '26.12.1', '22.23.3', '20.20.2']
/** Linux's user `nobody`. */
const OTHER_USER = 65_534
const isRoot = process.getuid?.() === 0

const every: readonly Cell[] = (['clone', 'package'] as const).flatMap((from) =>
  (isRoot ? (['root', 'user'] as const) : (['user'] as const)).flatMap((user) =>
    NODES.flatMap((node) =>
      INSTALLERS.filter(({ nodes }) => nodes.test(node)).map((installer) => ({ installer, node, user, from })),
    ),
  ),
)
const cells = inject('deep') ? every : every.slice(0, 1)

const folder = mkdtempSync(join(tmpdir(), 'coffer-installers-'))
const started: ServiceProcess[] = []
let tarball = ''
let registry = ''

beforeAll(async () => {
  // The other user reads and enters it.
  chmodSync(folder, 0o755)
  registry = (await runIn(root, 'npm', 'config', 'get', 'registry')).trim()
  if (cells.some(({ from }) => from === 'package')) tarball = (await packAll(join(folder, 'packed'))).server
})
afterAll(async () => {
  await Promise.all(started.map((process) => process.end('SIGKILL')))
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
})

/** A package with a program, installed once for all cells. */
async function installOnce(name: string, version: string): Promise<string> {
  const project = join(folder, 'programs', `${name}-${version}`)
  if (!existsSync(project)) {
    mkdirSync(project, { recursive: true })
    writeFileSync(join(project, 'package.json'), '{ "private": true }')
    await install(project, `${name}@${version}`)
  }
  return join(project, 'node_modules', name)
}

/** The files of a clone of this working tree. */
function copyClone(to: string): void {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
  const names = execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 }).split('\0')
  for (const name of names.filter((each) => each !== '' && existsSync(join(root, each)))) {
    mkdirSync(dirname(join(to, name)), { recursive: true })
    cpSync(join(root, name), join(to, name))
  }
}

/** The Node of the cell: this one if it suffices, though another user may be unable to enter it. */
async function nodeOf({ node, user }: Cell): Promise<string> {
  if (node === process.versions.node && !(user === 'user' && isRoot)) return process.execPath
  return join(await installOnce(`node-${process.platform}-${process.arch}`, node), 'bin/node')
}

/** A folder with the cell's `node`, `npm` and `pnpm`. */
async function binOf(cell: Cell, home: string): Promise<string> {
  const { installer } = cell
  const bin = join(home, 'bin')
  mkdirSync(bin)
  symlinkSync(await nodeOf(cell), join(bin, 'node'))
  const npm = await installOnce('npm', installer.program === 'npm' ? installer.version : '11.21.2')
  symlinkSync(join(npm, 'bin/npm-cli.js'), join(bin, 'npm'))
  symlinkSync(join(npm, 'bin/npx-cli.js'), join(bin, 'npx'))
  if (installer.program === 'pnpm') {
    symlinkSync(join(await installOnce('pnpm', installer.version), 'bin/pnpm.cjs'), join(bin, 'pnpm'))
  }
  return bin
}

async function startCell(cell: Cell, home: string): Promise<{ service: ServiceProcess; isOld: boolean }> {
  const { installer, node, from } = cell
  const { program } = installer
  const project = join(home, 'project')
  const bin = await binOf(cell, home)
  const uid = cell.user === 'user' && isRoot ? OTHER_USER : undefined
  const own = processEnv()
  const env = {
    ...Object.fromEntries(REACHING.map((name) => [name, own[name]])),
    ...installer.env,
    PATH: [bin, '/usr/bin', '/bin'].join(delimiter),
    HOME: home,
    npm_config_registry: registry,
    npm_config_cache:
      uid === undefined ? (own['npm_config_cache'] ?? join(own['HOME'] ?? home, '.npm')) : join(folder, 'cache'),
    npm_config_prefer_offline: 'true',
    COFFER_DATA_DIR: join(home, 'data'),
    COFFER_CHAINS: 'ethereum',
    COFFER_RPC_ETHEREUM: 'http://127.0.0.1:9',
    COFFER_PORTAL: 'off',
    COFFER_LOG_LEVEL: 'error',
  }
  const run = (command: string, args: string[]) => {
    const process = startProgram(join(bin, command), args, env, { cwd: project, uid, gid: uid, detached: true })
    started.push(process)
    return process
  }
  const giveTo = (path: string) => uid !== undefined && chownSync(path, uid, uid)
  mkdirSync(join(folder, 'cache'), { recursive: true })
  mkdirSync(project, { recursive: true })
  if (from === 'clone') copyClone(project)
  else {
    writeFileSync(join(project, 'package.json'), '{ "private": true }')
    cpSync(tarball, join(project, 'server.tgz'))
  }
  for (const path of [home, project, join(folder, 'cache')]) giveTo(path)
  if (uid !== undefined) execFileSync('chown', ['-R', `${uid}:${uid}`, project])

  if (from === 'clone') return { service: run(program, ['start']), isOld: false }
  const added = run(program, [program === 'npm' ? 'install' : 'add', './server.tgz'])
  expect([await added.ended, added.stderr()]).toEqual([0, expect.any(String)])
  const service = program === 'npm' ? run('npx', ['coffer', 'start']) : run('pnpm', ['exec', 'coffer', 'start'])
  return { service, isOld: Number(node.split('.')[0]) < 24 }
}

test.each(
  cells.map((cell) => ({ ...cell, name: `${cell.installer.name}, Node ${cell.node}, ${cell.user}, ${cell.from}` })),
)('installs and starts: $name', async ({ name, ...cell }) => {
  const home = mkdtempSync(join(folder, 'cell-'))
  const startedAt = performance.now()
  try {
    const { service, isOld } = await startCell(cell, home)
    if (isOld) {
      expect(await service.ended).not.toBe(0)
      expect(service.stderr()).toContain(`Coffer needs Node 24.7 or newer, and this is v${cell.node}`)
    } else {
      const { url } = await readyAt(service)
      expect((await getOnce(`${url}/v1/credits`, 'coffer_nobody')).status).toBe(401)
      await service.end('SIGTERM')
    }
    const seconds = Math.round((performance.now() - startedAt) / 1_000)
    console.log(JSON.stringify({ installed: name, result: isOld ? 'says which Node it needs' : 'answers', seconds }))
  } finally {
    await rm(home, { recursive: true, force: true, maxRetries: 5 })
  }
})
