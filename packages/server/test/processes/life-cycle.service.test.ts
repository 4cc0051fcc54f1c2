import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Env } from '../../src/config/env.ts'
import { findPostmaster, postmasterState } from '../../src/db/embedded-postgres-process.ts'
import { testDatabase } from '../database.ts'
import { HANGS_MS } from '../hangs.ts'
import { startFailingNode } from './failing-node.ts'
import { getOnce, getPatiently } from './http-get.ts'
import { readyAt, runAdmin, type ServiceProcess, startProcess, startProgram } from './service-process.ts'

const OWNER_CREDITS = 1_000_000
const UNKNOWN_WALLET = `0x${'7e'.repeat(20)}`

const dataDir = mkdtempSync(join(tmpdir(), 'coffer-life-'))
const cluster = join(dataDir, 'postgres')
const started: ServiceProcess[] = []
let node: Awaited<ReturnType<typeof startFailingNode>>
let env: Env
let ownerKey = ''

function start(more: Env = {}): ServiceProcess {
  const service = startProcess({ ...env, ...more })
  started.push(service)
  return service
}

function runningPostmaster(): number | undefined {
  const found = findPostmaster(cluster)
  return found && postmasterState(found.pid, cluster) === 'alive' ? found.pid : undefined
}

/** What was written for a person: the log's lines are JSON. */
const sentences = (service: ServiceProcess) =>
  service
    .stderr()
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('{'))

async function balance(url: string): Promise<number> {
  const answer = await getOnce(`${url}/v1/credits`, ownerKey)
  expect(answer.status).toBe(200)
  return Number(answer.text)
}

beforeAll(async () => {
  node = await startFailingNode(2_000)
  env = { COFFER_DATA_DIR: dataDir, COFFER_CHAINS: 'ethereum', COFFER_RPC_ETHEREUM: node.url }
})
afterAll(async () => {
  await Promise.all(started.map((service) => service.end('SIGKILL')))
  const pid = runningPostmaster()
  if (pid !== undefined) process.kill(pid, 'SIGQUIT')
  await vi.waitFor(() => expect(runningPostmaster()).toBeUndefined(), { timeout: HANGS_MS })
  await node?.stop()
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 })
})

describe('an installation with its own PostgreSQL, from its first start on', () => {
  let service: ServiceProcess

  test('on a terminal the log goes to a file, and address, link and key stand last', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'coffer-terminal-'))
    const given = { ...env, COFFER_DATA_DIR: folder, COFFER_PORTAL: 'on' }
    const main = join(import.meta.dirname, '../../src/main.ts')
    const command = `echo PID $$; exec ${process.execPath} ${main}`
    const onTerminal = startProgram('script', ['-qec', command, '/dev/null'], given)
    started.push(onTerminal)
    try {
      const [, pid] = await onTerminal.printed(/PID (\d+)\r\n/)
      await onTerminal.printed(/Logs: \S+/)
      const lines = onTerminal.stdout().trim().split('\r\n')
      expect(lines.filter((line) => line.startsWith('{'))).toEqual([])
      const at = (start: string) => lines.findIndex((line) => line.startsWith(start))
      const order = [at('Coffer is ready at'), at('Portal, with'), at('This is a new'), at('Try:'), at('Logs: ')]
      expect(order).toEqual([...order].sort((a, b) => a - b))
      expect(order).not.toContain(-1)
      const log = readFileSync(join(folder, 'coffer.log'), 'utf8').trim().split('\n')
      expect(log.map((line) => JSON.parse(line).level)).toContain('info')
      // `script` itself, when terminated, kills its child after two seconds.
      process.kill(Number(pid), 'SIGTERM')
      expect(await onTerminal.ended).toBe(0)
      expect(findPostmaster(join(folder, 'postgres'))).toBeUndefined()
    } finally {
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    }
  })

  test('a first start that is told to stop leaves no PostgreSQL running, and no key behind', async () => {
    const stopped = start()
    await vi.waitFor(() => expect(runningPostmaster()).toBeDefined(), { timeout: HANGS_MS, interval: 5 })
    expect(await stopped.end('SIGTERM')).toBe(0)
    expect(runningPostmaster()).toBeUndefined()
    expect(stopped.stdout()).toBe('')
  })

  test('shows its key once, with two lines to try, of which the first answers', async () => {
    service = start()
    const { url } = await readyAt(service)
    await service.printed(/\/v1\/portfolio\?addresses=0x[0-9a-f]{40}'\n/)
    const lines = service.stdout().split('\n')
    ownerKey = /shown this once: (coffer_\S+)$/m.exec(service.stdout())?.[1] ?? ''
    expect(lines.filter((line) => line.startsWith('  curl '))).toEqual([
      `  curl -H 'Authorization: Bearer ${ownerKey}' ${url}/v1/credits`,
      expect.stringMatching(`^  curl -H 'Authorization: Bearer ${ownerKey}' '${url}/v1/portfolio\\?addresses=0x`),
    ])
    expect(await balance(url)).toBe(OWNER_CREDITS)
    expect(service.stderr()).not.toContain(ownerKey)
  })

  test('a second start on the folder ends in one sentence, and so does one on a port in use', async () => {
    const { url } = await readyAt(service)
    const second = start()
    expect(await second.ended).toBe(1)
    expect(sentences(second)).toEqual([expect.stringMatching(/^Another API process uses this database: .*\.$/)])
    const database = await testDatabase('life_cycle')
    const { port } = new URL(url)
    const third = start({ DATABASE_URL: database.url, COFFER_PORT: port })
    expect(await third.ended).toBe(1)
    expect(sentences(third)).toEqual([expect.stringMatching(`^Port ${port} is in use`)])
    // What nobody was shown is shown by the next start.
    const fourth = start({ DATABASE_URL: database.url })
    await fourth.printed(/shown this once: coffer_\S+\n/)
    expect(await fourth.end('SIGTERM')).toBe(0)
    await database.drop()
    expect(await balance(url)).toBe(OWNER_CREDITS)
  })

  test('a service that was killed starts again over the PostgreSQL that it left', async () => {
    const before = runningPostmaster()
    await service.end('SIGKILL')
    expect(runningPostmaster()).toBe(before)
    service = start()
    const { url } = await readyAt(service)
    expect(runningPostmaster()).toBe(before)
    expect(service.stdout()).not.toContain('coffer_')
    expect(await balance(url)).toBe(OWNER_CREDITS)
  })

  test('a service that was killed together with its PostgreSQL starts again', async () => {
    const postmaster = runningPostmaster() ?? Number.NaN
    const end = service.end('SIGKILL')
    process.kill(postmaster, 'SIGKILL')
    await end
    service = start()
    const { url } = await readyAt(service)
    expect(service.stdout()).not.toContain('coffer_')
    expect(await balance(url)).toBe(OWNER_CREDITS)
  })

  test('a wallet of a chain without a node that works is a 502, and costs nothing', async () => {
    const { url, adminUrl } = await readyAt(service)
    const answer = await getPatiently(`${url}/v1/portfolio?addresses=${UNKNOWN_WALLET}`, ownerKey)
    expect(answer.status).toBe(502)
    expect(JSON.parse(answer.text)).toMatchObject({ error: 'Bad Gateway' })
    expect(await balance(url)).toBe(OWNER_CREDITS)
    expect(service.stderr()).not.toMatch(/"level":"error"|"stack"/)
    const { text: metrics } = await getOnce(`${adminUrl}/metrics`, '')
    const asked = /^coffer_rpc_requests_total\{chain="ethereum",endpoint="ethereum#1",outcome="unavailable"\} (\d+)$/m
    expect(Number(asked.exec(metrics)?.[1])).toBeGreaterThan(0)
    expect(metrics).toContain('coffer_credit_holds 0\n')
    expect(metrics).toContain('coffer_credit_oldest_hold_seconds 0\n')
    expect(metrics).toContain('coffer_http_in_flight 0\n')
    expect(metrics).not.toContain('127.0.0.1')
  })

  test('ends gently: calls under way are answered, nothing stays held, PostgreSQL stops', async () => {
    await service.end('SIGKILL')
    service = start()
    const { url } = await readyAt(service)
    const calls = [1, 2, 3, 4, 5].map((digit) =>
      getPatiently(`${url}/v1/portfolio?addresses=0x${String(digit).repeat(40)}`, ownerKey),
    )
    // Their credits are taken off: they are at work.
    await expect.poll(() => balance(url), { interval: 20 }).toBe(OWNER_CREDITS - calls.length)
    expect(await service.end('SIGTERM')).toBe(0)
    const statuses = (await Promise.all(calls)).map(({ status }) => status)
    expect(statuses).toEqual([502, 502, 502, 502, 502])
    expect(runningPostmaster()).toBeUndefined()
    const [owner] = JSON.parse((await runAdmin(env, 'account', 'list')).stdout) as { id: string; credits: number }[]
    expect(owner?.credits).toBe(OWNER_CREDITS)
    const verified = await runAdmin(env, 'credits', 'verify')
    expect({ ...verified, stdout: JSON.parse(verified.stdout) }).toEqual({ code: 0, stdout: { violations: [] } })
    expect(runningPostmaster()).toBeUndefined()
  })
})

test.each([
  ['a name that nothing reads', { COFFER_PROT: '1' }, /^COFFER_PROT .*COFFER_PORT/],
  ['a node that is no URL', { COFFER_RPC_ETHEREUM: 'wss:/secret' }, /^COFFER_RPC_ETHEREUM (?!.*secret)/],
])('a setting that cannot be right ends the start in one sentence: %s', async (_, wrong, sentence) => {
  const service = start(wrong)
  expect(await service.ended).toBe(1)
  expect(sentences(service)).toEqual([expect.stringMatching(sentence)])
  expect(service.stdout()).toBe('')
})

test('a worker serves nobody, beside a process that serves alone', async () => {
  const database = await testDatabase('roles')
  const shared = { DATABASE_URL: database.url }
  const worker = startProcess({ ...env, ...shared }, '--role', 'worker')
  started.push(worker)
  const [, adminUrl = ''] = await worker.printed(/^Coffer works on jobs \(health and metrics: (\S+)\)\.\n/)
  const { adminUrl: ofApi } = await readyAt(start({ ...shared, COFFER_ROLE: 'api' }))
  for (const admin of [adminUrl, ofApi]) expect((await getOnce(`${admin}/readyz`, '')).status).toBe(200)
  expect(worker.stdout()).not.toContain('coffer_')
  expect(await worker.end('SIGTERM')).toBe(0)
  const wrong = startProcess(env, '--rool', 'worker')
  expect(await wrong.ended).toBe(1)
  expect(sentences(wrong)).toEqual([expect.stringMatching(/^Unknown arguments\. .*--help/)])
  await Promise.all(started.map((service) => service.end('SIGTERM')))
  await database.drop()
})
