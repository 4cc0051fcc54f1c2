import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { HANGS_MS } from '../hangs.ts'
import { NODE_PACKAGES } from './node-packages.ts'

// The launcher over a temporary folder, with a fake npm that records its calls and installs two packages and a Node.

const SCRIPTS = join(import.meta.dirname, '../../../../scripts')
const CHOOSER = 'packages/server/bin/pinned-node.mjs'

const PACKAGE = `node_modules/${NODE_PACKAGES[`${process.platform}-${process.arch}`]}`
const PINNED = `${PACKAGE}/bin/node`

/** Like npm, it records the installed packages at its end: for development packages, the requested ones. */
const FAKE_NPM = `
const { appendFileSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } = require('node:fs')
const args = process.argv.slice(2)
appendFileSync('npm.log', args.join(' ') + '\\n')
mkdirSync('node_modules/.bin', { recursive: true })
writeFileSync('node_modules/half', '')
if (existsSync('npm-hangs')) setInterval(() => {}, 1000)
else if (existsSync('npm-fails')) {
  process.stderr.write(readFileSync('npm-fails'))
  process.exit(1)
} else {
  mkdirSync('${PACKAGE}/bin', { recursive: true })
  if (!existsSync('${PINNED}')) symlinkSync(process.execPath, '${PINNED}')
  const { packages } = JSON.parse(readFileSync('package-lock.json'))
  const omitted = ({ dev }) => dev && args.includes('--omit=dev')
  const installed = Object.entries(packages).filter(([path, each]) => !each.optional && !omitted(each))
  if (existsSync('npm-omits')) installed.pop()
  writeFileSync('node_modules/.package-lock.json', JSON.stringify({ packages: Object.fromEntries(installed) }))
}
`

const lockOf = (version: string) => ({
  packages: {
    '': { name: 'coffer' },
    'node_modules/lint': { version, dev: true },
    'node_modules/other-platform': { version, optional: true },
    'node_modules/server': { version },
  },
})

/** A build that leaves a half-finished file, whichever way it ends. */
const FAKE_VITE = `
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
export async function build({ root, build: { outDir } }) {
  const at = (name) => root + '/../../' + name
  appendFileSync(at('vite.log'), [process.cwd() === root, process.env.NODE_ENV].join(' ') + '\\n')
  mkdirSync(outDir, { recursive: true })
  writeFileSync(outDir + '/half', '')
  if (existsSync(at('vite-hangs'))) await new Promise((resolve) => setInterval(resolve, 2 ** 30))
  if (existsSync(at('vite-fails'))) throw new Error('Build failed with 1 error:\\n\\n\\x1b[31m[PARSE]\\x1b[0m in main.tsx\\nmore')
  writeFileSync(outDir + '/index.html', readFileSync(root + '/src/main.tsx'))
}
`

const FAKE_SERVICE = `
const [mode] = process.argv.slice(2)
if (mode === 'wait' || mode === 'starting') {
  if (mode === 'wait') process.send?.('listening')
  const running = setInterval(() => {}, 1000)
  process.on('SIGTERM', () => { clearInterval(running); console.log('drained') })
} else process.exitCode = 7
console.log(JSON.stringify(process.argv.slice(2)))
`

let root: string
let children: ChildProcessWithoutNullStreams[]

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'coffer-launcher-'))
  children = []
  for (const name of ['install.mjs', 'lock.mjs', 'portal.mjs', 'run.mjs', 'unread.mjs']) {
    mkdirSync(join(root, 'scripts'), { recursive: true })
    copyFileSync(join(SCRIPTS, name), join(root, 'scripts', name))
  }
  mkdirSync(join(root, 'packages/server/bin'), { recursive: true })
  copyFileSync(join(SCRIPTS, '..', CHOOSER), join(root, CHOOSER))
  writeLock('1.0.0')
  write('npm.js', FAKE_NPM)
  write('packages/server/src/main.ts', FAKE_SERVICE)
  write('scripts/check.mjs', '')
})

afterEach(() => {
  for (const child of children) child.kill('SIGKILL')
  rmSync(root, { recursive: true, force: true })
})

function write(name: string, content: string): void {
  mkdirSync(dirname(join(root, name)), { recursive: true })
  writeFileSync(join(root, name), content)
}

const writeLock = (version: string) => write('package-lock.json', JSON.stringify(lockOf(version)))

function launch(...args: string[]): ChildProcessWithoutNullStreams {
  return execute('run.mjs', args, { COFFER_PORTAL: 'off' })
}

function execute(script: string, args: string[] = [], further: Record<string, string> = {}) {
  const env = { PATH: '/usr/bin:/bin', npm_execpath: join(root, 'npm.js'), ...further }
  const child = spawn(process.execPath, [join(root, 'scripts', script), ...args], { cwd: root, env, stdio: 'pipe' })
  children.push(child)
  return child
}

const run = (...args: string[]) => endOf(launch(...args))

async function endOf(child: ChildProcessWithoutNullStreams): Promise<{ code: unknown; out: string; err: string }> {
  const [[code], out, err] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)])
  return { code, out, err }
}

function npmRuns(): string[] {
  const file = join(root, 'npm.log')
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
  return lines.map((line) => /--(omit|include)=dev/.exec(line)?.[0] ?? line)
}

describe('the launcher', () => {
  test('installs what the service needs once, then runs it with the arguments and keeps its exit code', async () => {
    const first = await run('start', '--role', 'api')
    expect(first).toMatchObject({ code: 7, out: '["--role","api"]\n' })
    expect(first.err).toMatch(
      /^Installing the 1 packages that Coffer needs to run \(npm install, once\) ...\nInstalled in \d+ s.\n$/,
    )
    expect(await run('start')).toEqual({ code: 7, out: '[]\n', err: '' })
    expect(npmRuns()).toEqual(['--omit=dev'])
  })

  test('runs no install script of a package', async () => {
    await run('start')
    expect(readFileSync(join(root, 'npm.log'), 'utf8')).toContain(' --ignore-scripts ')
  })

  test('keeps the development packages of an installation by hand, and installs nothing over it', async () => {
    await endOf(execute('../npm.js', ['install']))
    await run('start')
    expect(npmRuns()).toEqual(['install'])
    writeLock('1.0.1')
    await run('start')
    expect(npmRuns()).toEqual(['install', '--include=dev'])
  })

  test('adds what checks and tests need; all of it satisfies the service too', async () => {
    await run('start')
    await run('check')
    await run('start')
    expect(npmRuns()).toEqual(['--omit=dev', '--include=dev'])
  })

  test('installs folders with lock files of their own for checks and tests, not for a start', async () => {
    const folder = 'packages/devnet/protocols'
    write(`${folder}/package-lock.json`, JSON.stringify(lockOf('1.0.0')))
    const isInstalled = () => existsSync(join(root, folder, 'node_modules/.package-lock.json'))
    await run('start')
    expect(isInstalled()).toBe(false)
    await run('check')
    expect(isInstalled()).toBe(true)
    await run('check')
    expect(npmRuns()).toEqual(['--omit=dev', '--include=dev'])
  })

  test('removes what nothing reads of packages that it installs, and what compiles only for a service', async () => {
    const files = ['server/index.js', 'server/index.js.map', 'server/src/index.ts', 'typescript/package.json']
    for (const file of files) write(`node_modules/${file}`, '')
    symlinkSync(join(root, 'packages'), join(root, 'node_modules/link'))
    const left = () => files.filter((file) => existsSync(join(root, 'node_modules', file)))
    await run('check')
    expect(left()).toEqual(['server/index.js', 'typescript/package.json'])
    rmSync(join(root, 'node_modules/.package-lock.json'))
    expect(await run('start')).toMatchObject({ code: 7 })
    expect(left()).toEqual(['server/index.js'])
  })

  test('installs again when the lock file changed, and then no less than before', async () => {
    await run('check')
    writeLock('1.0.1')
    await run('start')
    expect(npmRuns()).toEqual(['--include=dev', '--include=dev'])
  })

  test('installs once for launches at the same moment', async () => {
    const all = await Promise.all([1, 2, 3, 4].map(() => run('start')))
    expect(all.map(({ code }) => code)).toEqual([7, 7, 7, 7])
    expect(npmRuns()).toEqual(['--omit=dev'])
  })

  test('installs everything again after a launch that was killed while it installed', async () => {
    write('npm-hangs', '')
    const killed = launch('start')
    await vi.waitFor(() => expect(existsSync(join(root, 'node_modules/half'))).toBe(true), { timeout: HANGS_MS })
    const holders = await vi.waitFor(
      () => {
        const pids = readFileSync(join(root, '.coffer/install.lock'), 'utf8').split(' ').map(Number)
        expect(pids).toHaveLength(2)
        return pids
      },
      { timeout: HANGS_MS },
    )
    write('node_modules/left', '')
    killed.kill('SIGKILL')
    await once(killed, 'exit')
    process.kill(holders[1] ?? 0, 'SIGKILL')
    rmSync(join(root, 'npm-hangs'))
    expect(await run('start')).toMatchObject({ code: 7 })
    expect(existsSync(join(root, 'node_modules/left'))).toBe(false)
  })

  test.each([
    [
      'npm error code ENOTFOUND\nnpm error network request failed\n',
      /The npm registry cannot be reached: check the network/,
    ],
    ['npm ERR! code EACCES\nnpm ERR! syscall mkdir\n', /This user cannot write below .+ run as the owner/],
    ['npm error code ENOSPC\n', /The disk is full/],
    ['npm error code EOTHER\nnpm error why\n', /Its messages are above/],
    ['', /It printed no reason/],
  ])('passes on why npm failed (%j), and says what to do', async (messages, remedy) => {
    write('npm-fails', messages)
    const failed = await run('start')
    expect(failed).toMatchObject({ code: 1, out: '' })
    const [, printed, advice = ''] = /^Installing .+\n([\s\S]*)npm install failed[.] (.+[.])\n$/.exec(failed.err) ?? []
    expect(printed).toBe(messages)
    expect(advice).toMatch(remedy)
  })

  test('names a package that npm left out though it ended well, and tries again the next time', async () => {
    write('npm-omits', '')
    const { code, err } = await run('start')
    expect([code, err]).toEqual([1, expect.stringContaining('left out 1 packages, among them node_modules/server')])
    rmSync(join(root, 'npm-omits'))
    expect(await run('start')).toMatchObject({ code: 7 })
  })

  test('where the lock pins no Node for the platform: the running one, or a sentence that it is too old', async () => {
    await run('start')
    rmSync(join(root, PINNED))
    expect(await run('start')).toMatchObject({ code: 7 })
    const older = 'Object.defineProperty(process.versions, "node", { value: "24.6.0" })'
    const child = execute('run.mjs', ['start'], {
      NODE_OPTIONS: `--import "data:text/javascript,${encodeURIComponent(older)}"`,
    })
    expect(await endOf(child)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^Coffer needs Node 24[.]7 or newer, .+[.]\n$/),
    })
  })

  test('passes signals on and ends when the service has ended', async () => {
    const child = launch('start', 'wait')
    const closed = once(child, 'close')
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
    expect((await lines.next()).value).toBe('["wait"]')
    child.kill('SIGTERM')
    expect((await lines.next()).value).toBe('drained')
    expect(await closed).toEqual([0, null])
  })

  test('names the commands there are', async () => {
    expect(await run('strat')).toMatchObject({ code: 1, err: expect.stringContaining('start, ') })
  })
})

describe('the portal', () => {
  beforeEach(async () => {
    await run('start')
    write('packages/portal/package.json', '{}')
    write('packages/portal/src/main.tsx', 'first')
    write('node_modules/vite/package.json', '{ "type": "module", "exports": "./index.js" }')
    write('node_modules/vite/index.js', FAKE_VITE)
  })

  const read = (name: string) =>
    existsSync(resolve(root, name)) ? readFileSync(resolve(root, name), 'utf8') : undefined
  const served = () => read('packages/portal/dist/index.html')
  const builds = () => read('vite.log')?.trim().split('\n').length ?? 0
  const build = () => endOf(execute('portal.mjs'))
  const serve = (env: Record<string, string> = {}, mode = 'wait') => execute('run.mjs', ['start', mode], env)
  /** Ends the service and all its children: the streams close with the last process that has them open. */
  const end = async (service: ChildProcessWithoutNullStreams) => {
    const closed = once(service, 'close')
    service.kill('SIGTERM')
    expect(await closed).toEqual([0, null])
  }
  const lineOf = async (stream: NodeJS.ReadableStream) =>
    (await createInterface(stream)[Symbol.asyncIterator]().next()).value as string

  test('is built in silence while the service runs, once for the same sources and packages', async () => {
    const service = serve()
    const ended = endOf(service)
    expect(await lineOf(service.stdout)).toBe('["wait"]')
    await vi.waitFor(() => expect(served()).toBe('first'), { timeout: HANGS_MS })
    expect(read('vite.log')).toBe('true production\n')
    service.kill('SIGTERM')
    expect(await ended).toMatchObject({ code: 0, err: '' })
    expect(await build()).toEqual({ code: 0, out: '', err: '' })
    expect(builds()).toBe(1)
    write('packages/portal/src/main.tsx', 'second')
    await build()
    expect([served(), builds()]).toEqual(['second', 2])
    writeLock('1.0.1')
    await build()
    expect(builds()).toBe(3)
    write('packages/portal/node_modules/.vite/cache', '')
    await build()
    expect(builds()).toBe(3)
  })

  test('is built once by launches at the same moment', async () => {
    const all = await Promise.all([1, 2, 3, 4].map(build))
    expect(all.map(({ code }) => code)).toEqual([0, 0, 0, 0])
    expect([served(), builds()]).toEqual(['first', 1])
  })

  test('does not keep the service waiting, ends with it, and is whole or as before', async () => {
    await build()
    write('vite-hangs', '')
    write('packages/portal/src/main.tsx', 'second')
    const service = serve()
    expect(await lineOf(service.stdout)).toBe('["wait"]')
    await vi.waitFor(() => expect(existsSync(join(root, '.coffer/portal-next/half'))).toBe(true), { timeout: HANGS_MS })
    expect(served()).toBe('first')
    await end(service)
    rmSync(join(root, 'vite-hangs'))
    expect(await build()).toMatchObject({ code: 0 })
    expect(served()).toBe('second')
    expect(existsSync(join(root, 'packages/portal/dist/half'))).toBe(true)
  })

  test('that cannot be built is said in one line, and leaves the service and the last build alone', async () => {
    await build()
    write('vite-fails', '')
    write('packages/portal/src/main.tsx', 'second')
    const service = serve()
    const ended = endOf(service)
    await Promise.all([once(service.stderr, 'data'), once(service.stdout, 'data')])
    service.kill('SIGTERM')
    expect(await ended).toEqual({
      code: 0,
      out: '["wait"]\ndrained\n',
      err: 'The portal was not built: Build failed with 1 error: [PARSE] in main.tsx\n',
    })
    expect(served()).toBe('first')
    expect((await build()).code).toBe(1)
    rmSync(join(root, 'vite-fails'))
    expect((await build()).code).toBe(0)
  })

  test.each([
    ['is not built with COFFER_PORTAL=off', { COFFER_PORTAL: 'off' }, 'wait', 1],
    ['is not built before the service listens', {}, 'starting', 1],
    ['is built with COFFER_PORTAL=on', { COFFER_PORTAL: 'on' }, 'wait', 2],
  ])('%s', async (_, env, mode, processes) => {
    write('vite-hangs', '')
    const service = serve(env, mode)
    await lineOf(service.stdout)
    const started = () => read(`/proc/${service.pid}/task/${service.pid}/children`)?.trim().split(' ')
    await vi.waitFor(() => expect(started()).toHaveLength(processes), { timeout: HANGS_MS })
    await end(service)
  })

  test('is served by Vite from its own folder while it is worked on', async () => {
    write('node_modules/vite/bin/vite.js', 'console.log(process.cwd(), process.argv.slice(2))')
    expect((await run('portal', '--port', '3000')).out).toBe(`${root}/packages/portal [ '--port', '3000' ]\n`)
  })
})
