import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'

// The launcher over a folder of its own, with an npm that records how it was called and installs only a Node.

const SCRIPTS = join(import.meta.dirname, '../../../../scripts')

const FAKE_NPM = `
const { appendFileSync, existsSync, mkdirSync, symlinkSync, writeFileSync } = require('node:fs')
appendFileSync('npm.log', process.argv.slice(2).join(' ') + '\\n')
mkdirSync('node_modules/.bin', { recursive: true })
writeFileSync('node_modules/half', '')
if (existsSync('npm-hangs')) setInterval(() => {}, 1000)
else if (existsSync('npm-fails')) process.exit(1)
else if (!existsSync('node_modules/.bin/node')) symlinkSync(process.execPath, 'node_modules/.bin/node')
`

const FAKE_SERVICE = `
if (process.argv[2] === 'wait') {
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
  for (const name of ['install.mjs', 'run.mjs']) {
    mkdirSync(join(root, 'scripts'), { recursive: true })
    copyFileSync(join(SCRIPTS, name), join(root, 'scripts', name))
  }
  write('package-lock.json', '{}')
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

function launch(...args: string[]): ChildProcessWithoutNullStreams {
  const env = { PATH: '/usr/bin:/bin', npm_execpath: join(root, 'npm.js') }
  const child = spawn(process.execPath, [join(root, 'scripts/run.mjs'), ...args], { cwd: root, env, stdio: 'pipe' })
  children.push(child)
  return child
}

async function run(...args: string[]): Promise<{ code: unknown; out: string; err: string }> {
  const child = launch(...args)
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
    expect(first.err).toMatch(/^Installing what Coffer needs to run \(npm install, once\) ...\nInstalled in \d+ s.\n$/)
    expect(await run('start')).toEqual({ code: 7, out: '[]\n', err: '' })
    expect(npmRuns()).toEqual(['--omit=dev'])
  })

  test('adds what checks and tests need; all of it satisfies the service too', async () => {
    await run('start')
    await run('check')
    await run('start')
    expect(npmRuns()).toEqual(['--omit=dev', '--include=dev'])
  })

  test('installs again when the lock file changed, and then no less than before', async () => {
    await run('check')
    write('package-lock.json', '{ "changed": true }')
    await run('start')
    expect(npmRuns()).toEqual(['--include=dev', '--include=dev'])
  })

  test('installs once for launches at the same moment', async () => {
    const all = await Promise.all([1, 2, 3, 4].map(() => run('start')))
    expect(all.map(({ code }) => code)).toEqual([7, 7, 7, 7])
    expect(npmRuns()).toEqual(['--omit=dev'])
  })

  test('installs everything anew after a launch that was killed while it installed', async () => {
    write('npm-hangs', '')
    const killed = launch('start')
    await vi.waitFor(() => expect(existsSync(join(root, 'node_modules/half'))).toBe(true), { timeout: 20_000 })
    const holders = await vi.waitFor(
      () => {
        const pids = readFileSync(join(root, '.coffer/install.lock'), 'utf8').split(' ').map(Number)
        expect(pids).toHaveLength(2)
        return pids
      },
      { timeout: 20_000 },
    )
    write('node_modules/left', '')
    killed.kill('SIGKILL')
    await once(killed, 'exit')
    process.kill(holders[1] ?? 0, 'SIGKILL')
    rmSync(join(root, 'npm-hangs'))
    expect(await run('start')).toMatchObject({ code: 7 })
    expect(existsSync(join(root, 'node_modules/left'))).toBe(false)
  })

  test('says in a sentence that the installation failed, and tries again the next time', async () => {
    write('npm-fails', '')
    const failed = await run('start')
    expect(failed).toMatchObject({ code: 1, out: '' })
    expect(failed.err).toMatch(/\nnpm install failed[.] .+[.]\n$/)
    rmSync(join(root, 'npm-fails'))
    expect(await run('start')).toMatchObject({ code: 7 })
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
