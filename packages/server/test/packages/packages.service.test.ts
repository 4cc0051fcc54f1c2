import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { devnetConfig, startDevnet } from '@coffer/devnet'
import { build } from 'esbuild'
import { publint } from 'publint'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { type Env, rpcVariable } from '../../src/config/env.ts'
import { testDatabase } from '../database.ts'
import { startService } from '../harness.ts'
import { getOnce } from '../processes/http-get.ts'
import { readyAt, type ServiceProcess, startProgram } from '../processes/service-process.ts'
import { readCsv } from '../read-csv.ts'
import { started } from '../started.ts'
import { CLIENT_PROGRAM, COMPILER_OPTIONS, type ProgramOutput } from './client-program.ts'
import {
  emptyProject,
  filesOf,
  importsOf,
  install,
  manifestOf,
  type PackageName,
  packAll,
  root,
  runIn,
  unpack,
} from './packed.ts'

const deep = inject('deep')

/** The Node of each supported line, from npm. */
const NODES = ['20.20.2', '22.23.3', '24.21.0', '26.12.1']
/** Runtimes from npm, with their way to run a file. */
const OTHER_RUNTIMES = [
  ['bun', '1.4.5', 'run'],
  ['deno', '2.9.6', 'run --allow-net --allow-read'],
] as const
/** Settings of projects that differ from `COMPILER_OPTIONS`. */
const CONSUMERS = [
  ['the types of Node instead of those of browsers', { lib: ['es2022'], types: ['node'] }],
  ['a bundler', { module: 'esnext', moduleResolution: 'bundler' }],
  ['CommonJS, which loads modules', { module: 'commonjs', moduleResolution: 'bundler' }],
] as const
/** The larger part runs in `npm run test:deep`. */
const inDepth = <T>(cases: readonly T[]): readonly T[] => (deep ? cases : [])
const LARGEST_CLIENT = 15_000

const packing = emptyProject('packages')
const projects = [packing]

const devnet = await started(startDevnet({ state: inject('devnetState') }))
const starting = startService({ devnet })
const tarballs = await packAll(packing.folder)
const service = await started(starting)
afterAll(async () => {
  for (const project of projects) project.remove()
})

function newProject(name: string): string {
  const project = emptyProject(name)
  projects.push(project)
  return project.folder
}

/** Installs a package, in `npm test` only from the workspace. Returns its folder. */
async function provide(name: PackageName, project: string): Promise<string> {
  if (deep) await install(project, tarballs[name])
  else linkDependencies(await unpack(tarballs[name], name, project), name, project)
  return join(project, 'node_modules/@coffer', name)
}

/** Links npm's result from the workspace: only the packages that the manifest names resolve. */
function linkDependencies(installed: string, of: PackageName, project: string): void {
  for (const name of Object.keys(manifestOf(installed).dependencies)) {
    const link = join(project, 'node_modules', name)
    const places = [`packages/${of}/node_modules`, 'node_modules'].map((at) => join(root, at, name))
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(places.find((place) => existsSync(place)) ?? '', link)
  }
}

/** publint's messages about an unpacked package. */
async function publintOf(folder: string): Promise<unknown[]> {
  const { messages } = await publint({ pkgDir: folder, strict: true, pack: false })
  return messages.map(({ code, path }) => ({ code, path }))
}

describe('@coffer/client', () => {
  let project: string
  let installed: string
  beforeAll(async () => {
    project = newProject('client')
    installed = await provide('client', project)
    writeFileSync(join(project, 'program.ts'), CLIENT_PROGRAM)
    const tsconfig = { compilerOptions: { ...COMPILER_OPTIONS, outDir: 'out', rootDir: '.' }, include: ['program.ts'] }
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(tsconfig))
    await runIn(project, 'tsc')
  })

  async function expectToRun(...command: string[]): Promise<void> {
    const wallet = devnet.wallets.demo.address
    const [program = '', ...args] = [...command, 'out/program.js', service.url, service.ownerKey, wallet]
    const printed = JSON.parse(await runIn(project, program, ...args)) as ProgramOutput
    const { data } = (await service.get('/v1/chains/ethereum/protocols?limit=100')).json() as {
      data: { key: string }[]
    }
    expect(data.length).toBeGreaterThan(5)
    expect(printed).toEqual({
      address: wallet.toLowerCase(),
      hasWorth: true,
      protocols: data.map(({ key }) => key),
      count: data.length,
      refused: 400,
      unreached: 'No answer came from http://127.0.0.1:9',
      cancelled: 'enough',
    } satisfies ProgramOutput)
  }

  test('installs where nothing else is, compiles under strict rules, and reads the service', () =>
    expectToRun(process.execPath))

  test.each(inDepth(NODES))('runs on Node %s', async (version) => {
    const node = await installRuntime(`node-${process.platform}-${process.arch}`, version, 'bin/node')
    expect((await runIn(project, node, '--version')).trim()).toBe(`v${version}`)
    await expectToRun(node)
  })

  test.each(inDepth(OTHER_RUNTIMES))('runs on %s', async (name, version, run) => {
    const runtime = await installRuntime(name, version, `../.bin/${name}`)
    await expectToRun(runtime, ...run.split(' '))
  })

  test.each(inDepth(CONSUMERS))('compiles for %s', async (_, options) => {
    await install(project, '@types/node@24.19.2')
    const compilerOptions = { ...COMPILER_OPTIONS, ...options, verbatimModuleSyntax: false, noEmit: true }
    const include = ['use.ts']
    const lines = CLIENT_PROGRAM.split('\n').filter((line) => !line.startsWith('declare const process'))
    const body = lines.filter((line) => !line.startsWith('import ')).join('\n')
    const imports = lines.filter((line) => line.startsWith('import ')).join('\n')
    const declared = 'types' in options ? '' : 'declare const process: { argv: string[] }'
    writeFileSync(join(project, 'use.ts'), `${imports}\n${declared}\nexport async function main() {${body}}`)
    writeFileSync(join(project, 'tsconfig.use.json'), JSON.stringify({ compilerOptions, include }))
    await runIn(project, 'tsc', '-p', 'tsconfig.use.json')
  })

  test('its manifest has nothing for publint to say', async () => {
    expect(await publintOf(installed)).toEqual([])
  })

  test.each(inDepth(['attw']))('its types have nothing for %s to say', async () => {
    // Vitest resolves by the condition `development`, which leads to the package's TypeScript.
    const built = join(root, 'node_modules/@arethetypeswrong/core/dist/index.js')
    const attw: typeof import('@arethetypeswrong/core') = await import(built)
    const checked = await attw.checkPackage(attw.createPackageFromTarballData(readFileSync(tarballs.client)))
    if (!checked.types) throw new Error('no types were found')
    // ES modules only: it does not support resolution without "exports", or CommonJS before Node 20.19.
    const problems = checked.problems.filter(
      (problem) => !('resolutionKind' in problem && /^node10$|^node16-cjs$/.test(problem.resolutionKind)),
    )
    expect(problems).toEqual([])
  })

  test('has code, declarations and nothing else, and imports what it depends on', () => {
    const files = filesOf(installed)
    const others = files.filter((name) => !/^(client|contract)\/[\w-]+\.(js|d\.ts)$/.test(name))
    expect(others.sort()).toEqual(['LICENSE', 'README.md', 'package.json'])
    expect(files.filter((name) => /test|portal/.test(name))).toEqual([])
    const { dependencies } = manifestOf(installed)
    expect(importsOf(installed)).toEqual(Object.keys(dependencies).sort())
  })

  test('a client of one endpoint is small, for answers are not checked unless somebody asks for it', async () => {
    const use = `import { createClient } from '@coffer/client'
      createClient({ baseUrl: 'http://x', apiKey: 'k' }).getCredits().then(console.log)`
    const { outputFiles } = await build({
      stdin: { contents: use, resolveDir: project },
      ...{ bundle: true, minify: true, write: false, format: 'esm', platform: 'browser', metafile: true },
    })
    const size = gzipSync(outputFiles[0]?.contents ?? '').length
    console.log(JSON.stringify({ clientOfOneEndpoint: { gzipBytes: size } }))
    expect(size).toBeGreaterThan(500)
    expect(size).toBeLessThan(LARGEST_CLIENT)
  })
})

/** A runtime's program from npm, kept between runs. Returns its path. */
async function installRuntime(name: string, version: string, program: string): Promise<string> {
  const folder = join(root, '.coffer/runtimes', `${name}-${version}`)
  const found = join(folder, 'node_modules', name, program)
  if (existsSync(found)) return found
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "private": true }')
  await install(folder, `${name}@${version}`)
  return found
}

test('the packer says how it is used, and packs into no folder named as an option', async () => {
  const packer = join(root, 'scripts/packages.mjs')
  for (const [option, code] of [
    ['--help', 0],
    ['--out', 2],
  ] as const) {
    const process = startProgram(globalThis.process.execPath, [packer, option], {})
    expect([await process.ended, process.stdout(), process.stderr()]).toEqual([
      code,
      '',
      expect.stringContaining('Usage: npm run packages'),
    ])
  }
})

type Bill = { metadata: { component: { name: string } }; components: Component[] }
type Component = { name: string; version: string; hashes?: unknown[]; licenses?: unknown[] }

test('the SBOM of the server lists each package that an installation gets, with hash and licence, and no other', async () => {
  const { name, version, dependencies } = manifestOf(join(packing.folder, 'server'))
  const bill: Bill = JSON.parse(readFileSync(join(packing.folder, `coffer-server-${version}.cdx.json`), 'utf8'))
  expect(bill.metadata.component.name).toBe(name)
  const versions = new Set(bill.components.map((each) => `${each.name}@${each.version}`))
  expect(Object.entries(dependencies).filter((each) => !versions.has(each.join('@')))).toEqual([])
  expect(bill.components.filter(({ hashes, licenses }) => !hashes?.length || !licenses?.length)).toEqual([])
  const names = bill.components.map((each) => each.name)
  expect(names).toContain('avvio')
  expect(names.filter((each) => ['typescript', 'esbuild', 'solc', 'vitest', 'react-dom'].includes(each))).toEqual([])
})

describe('@coffer/server', () => {
  let project: string
  let installed: string
  let coffer: string
  let database: Awaited<ReturnType<typeof testDatabase>>
  let env: Env
  const running: ServiceProcess[] = []
  beforeAll(async () => {
    project = newProject('server')
    installed = await provide('server', project)
    coffer = join(installed, 'packages/server/bin/coffer.mjs')
    database = await testDatabase('packed_server')
    const chains = Object.values(devnet.chains).map(({ key, url }): [string, string] => [rpcVariable(key), url])
    const keys = Object.values(devnet.chains).map(({ key }) => key)
    writeFileSync(join(project, 'coffer.json'), JSON.stringify(devnetConfig()))
    env = {
      ...{ DATABASE_URL: database.url, COFFER_CONFIG: join(project, 'coffer.json'), ...Object.fromEntries(chains) },
      ...{ COFFER_CHAINS: keys.join(','), COFFER_LOCAL_CHAINS: keys.join(','), COFFER_LOG_LEVEL: 'error' },
    }
  })
  afterAll(async () => {
    for (const { child, ended } of running) {
      child.kill()
      await ended
    }
    await database?.drop()
  })

  function run(args: readonly string[], node = process.execPath, further: Env = {}): ServiceProcess {
    const process = startProgram(node, [coffer, ...args], { ...env, ...further })
    running.push(process)
    return process
  }

  async function outcome(process: ServiceProcess) {
    return { code: await process.ended, stdout: process.stdout(), stderr: process.stderr() }
  }

  test('starts the service, which answers as from its sources, serves the portal, and is operated', async () => {
    const server = run(['start'])
    const { url } = await readyAt(server)
    const [, key = ''] = await server.printed(/shown this once: (\S+)\n/)
    expect(await getOnce(`${url}/v1/credits`, key)).toMatchObject({ status: 200, text: '1000000' })
    const wallet = devnet.wallets.demo.address
    const { status, text } = await getOnce(`${url}/v1/wallet?addresses=${wallet}&waitForSync=true`, key)
    expect(status).toBe(200)
    expect(JSON.parse(text)).toMatchObject([{ address: wallet.toLowerCase(), incomplete: expect.any(Array) }])
    expect((await getOnce(`${url}/docs/`, key)).status).toBe(200)
    const portal = await getOnce(`${url}/`, key)
    const [, script = ''] = /<script[^>]* src="(\/assets\/[^"]+)"/.exec(portal.text) ?? []
    expect(script).not.toBe('')
    expect((await getOnce(url + script, key)).status).toBe(200)

    const [accounts, doctor] = await Promise.all([
      outcome(run(['admin', 'account', 'list'])),
      outcome(run(['doctor', '--format', 'json'])),
    ])
    expect(JSON.parse(accounts.stdout)).toMatchObject([{ name: 'owner' }])
    expect(JSON.parse(doctor.stdout)).toContainEqual(expect.objectContaining({ check: 'database', state: 'ok' }))

    expect(await server.end('SIGTERM')).toBe(0)
  })

  test('says what there is, and which version it is', async () => {
    const { version } = manifestOf(installed)
    expect(await outcome(run(['--version']))).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
    const { code, stdout } = await outcome(run([]))
    expect(code).toBe(2)
    const commands = [...stdout.matchAll(/^ {2}coffer (\w+)/gm)].map(([, name]) => name)
    const columns = [...stdout.matchAll(/^ {2}coffer .*? {2,}(?=\S)/gm)].map(([name]) => name.length)
    expect([...new Set(columns)]).toHaveLength(1)
    expect(commands).toEqual(expect.arrayContaining(['start', 'admin', 'doctor', 'mcp', 'login', 'portfolio', 'watch']))
    expect(await outcome(run(['--help']))).toEqual({ code: 0, stdout, stderr: '' })
    for (const option of ['--help', ...inDepth(['-h'])]) {
      expect(await outcome(run(['start', option]))).toEqual({
        code: 0,
        stdout: expect.stringMatching(/^Usage: .*--role /s),
        stderr: '',
      })
    }
    expect(await outcome(run(['strat']))).toEqual({
      code: 2,
      stdout: '',
      stderr: 'There is no command "strat". "coffer --help" lists them.\n',
    })
  })

  /** Uses it as on another machine: only with a URL and a key. */
  async function askAsUser(node = process.execPath): Promise<void> {
    const further = { COFFER_URL: service.url, COFFER_API_KEY: service.ownerKey }
    const wallet = devnet.wallets.demo.address
    const { code, stdout } = await outcome(run(['portfolio', wallet, '--csv'], node, further))
    expect(code).toBe(0)
    const rows = readCsv(stdout)
    expect(new Set(rows.map((row) => row['wallet']))).toEqual(new Set([wallet.toLowerCase()]))
    const protocols = rows.map((row) => row['protocol'])
    expect(protocols).toEqual(expect.arrayContaining(['Wallet', 'Aave V3']))
    expect(protocols).not.toContain('Ethereum')
    const refused = await outcome(run(['credits'], node, { ...further, COFFER_API_KEY: 'coffer_nobody' }))
    expect(refused).toMatchObject({ code: 3, stdout: '' })
  }

  test('is a command line for users', () => askAsUser())

  test.each(inDepth(NODES.slice(2)))('starts on Node %s', async (version) => {
    const node = await installRuntime(`node-${process.platform}-${process.arch}`, version, 'bin/node')
    const server = run(['start'], node)
    const { url } = await readyAt(server)
    expect((await getOnce(`${url}/v1/credits`, 'coffer_nobody')).status).toBe(401)
    expect(await server.end('SIGTERM')).toBe(0)
    await askAsUser(node)
  })

  test('says on an older Node which one it needs, as its manifest does', async () => {
    const older = 'Object.defineProperty(process.versions, "node", { value: "24.6.0" })'
    const further = { NODE_OPTIONS: `--import "data:text/javascript,${encodeURIComponent(older)}"` }
    for (const command of ['start', 'doctor', 'portfolio']) {
      const { code, stdout, stderr } = await outcome(run([command], process.execPath, further))
      expect([code, stdout]).toEqual([1, ''])
      expect(stderr).toMatch(/^Coffer needs Node 24[.]7 or newer, and this is v[\d.]+: install .+[.]\n$/)
    }
    expect(manifestOf(installed).engines).toEqual({ node: '>=24.7' })
  })

  test.each(inDepth(NODES.slice(0, 2)))('says on Node %s which one it needs', async (version) => {
    const node = await installRuntime(`node-${process.platform}-${process.arch}`, version, 'bin/node')
    expect(await outcome(run(['start'], node))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`Coffer needs Node 24.7 or newer, and this is v${version}`),
    })
  })

  test('imports what it depends on, and has nothing that only the workspace needs', async () => {
    expect(await publintOf(installed)).toEqual([])
    const files = filesOf(installed).filter((name) => !name.startsWith('node_modules/'))
    const known =
      /^docs\/[\w-]+\.md$|^packages\/(server\/(bin|assets)\/|portal\/dist\/|(server|contract|client|mcp|cli)\/(src\/|package\.json$))/
    expect(files.filter((name) => !known.test(name)).sort()).toEqual(['LICENSE', 'NOTICE', 'README.md', 'package.json'])
    expect(files.filter((name) => /\.(ts|sol|map)$|\.test\.|\.sources$/.test(name))).toEqual([])
    expect(readFileSync(join(installed, 'packages/portal/dist/licenses.md'), 'utf8')).toMatch(
      /^## react - [\d.]+ \(MIT\)$/m,
    )
    const needed = importsOf(join(installed, 'packages'))
    const { dependencies } = manifestOf(installed)
    expect(needed).toEqual(Object.keys(dependencies).sort())
  })
})
