import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test, vi } from 'vitest'
import type { Env } from '../../src/config/env.ts'
import { findPostmaster, postmasterState } from '../../src/db/embedded-postgres-process.ts'
import { clusterFolder } from '../cluster-folder.ts'
import { testDatabase } from '../database.ts'
import { HANGS_MS } from '../hangs.ts'
import { sized } from '../sized.ts'
import { started } from '../started.ts'
import { startFailingNode } from './failing-node.ts'
import { getOnce, getPatiently } from './http-get.ts'
import { CHILD_ENV, readyAt, runAdmin, type ServiceProcess, startProcess, startProgram } from './service-process.ts'

const OWNER_CREDITS = 1_000_000
const UNKNOWN_WALLET = `0x${'7e'.repeat(20)}`

const dataDir = mkdtempSync(join(clusterFolder(), `coffer-test-${process.pid}-cycle-`))
const cluster = join(dataDir, 'postgres')
const running: ServiceProcess[] = []
let ownerKey = ''

function start(more: Env = {}, ...args: string[]): ServiceProcess {
  const service = startProcess({ ...env, ...more }, ...args)
  running.push(service)
  return service
}

function runningPostmaster(): number | undefined {
  const found = findPostmaster(cluster)
  return found && postmasterState(found.pid, cluster) === 'alive' ? found.pid : undefined
}

/** Text for people: the log's lines are JSON. */
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

const node = await started(startFailingNode(2_000))
const env = { COFFER_DATA_DIR: dataDir, COFFER_CHAINS: 'ethereum', COFFER_RPC_ETHEREUM: node.url }

afterAll(async () => {
  await Promise.all(running.map((service) => service.end('SIGKILL')))
  const pid = runningPostmaster()
  if (pid !== undefined) process.kill(pid, 'SIGQUIT')
  await vi.waitFor(() => expect(runningPostmaster()).toBeUndefined(), { timeout: HANGS_MS })
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 })
})

describe('an installation with its own PostgreSQL, from its first start on', () => {
  let service: ServiceProcess

  test('a first start that is asked to stop leaves no PostgreSQL running, and no key', async () => {
    const stopped = start()
    await vi.waitFor(() => expect(runningPostmaster()).toBeDefined(), { timeout: HANGS_MS, interval: 5 })
    expect(await stopped.end('SIGTERM')).toBe(0)
    expect(runningPostmaster()).toBeUndefined()
    expect(stopped.stdout()).toBe('')
  })

  test('on a terminal the log goes to a file; address, link, key and two lines to try stand last, of which the first answers', async () => {
    const main = join(import.meta.dirname, '../../src/main.ts')
    const command = `echo PID $$; exec ${process.execPath} ${main}`
    const onTerminal = startProgram('script', ['-qec', command, '/dev/null'], {
      ...CHILD_ENV,
      ...env,
      COFFER_PORTAL: 'on',
    })
    running.push(onTerminal)
    const [, pid] = await onTerminal.printed(/PID (\d+)\r\n/)
    await onTerminal.printed(/Logs: \S+/)
    const lines = onTerminal.stdout().trim().split('\r\n')
    expect(lines.filter((line) => line.startsWith('{'))).toEqual([])
    const at = (start: string) => lines.findIndex((line) => line.startsWith(start))
    const order = [at('Coffer is ready at'), at('Portal, with'), at('This is a new'), at('Try:'), at('Logs: ')]
    expect(order).toEqual([...order].sort((a, b) => a - b))
    expect(order).not.toContain(-1)

    const [, url = ''] = /ready at (\S+) /.exec(onTerminal.stdout()) ?? []
    ownerKey = /shown this once: (coffer_\S+)/.exec(onTerminal.stdout())?.[1] ?? ''
    expect(lines.filter((line) => line.startsWith('  curl '))).toEqual([
      `  curl -H 'Authorization: Bearer ${ownerKey}' ${url}/v1/credits`,
      expect.stringMatching(`^  curl -H 'Authorization: Bearer ${ownerKey}' '${url}/v1/portfolio\\?addresses=0x`),
    ])
    expect(await balance(url)).toBe(OWNER_CREDITS)
    const log = readFileSync(join(dataDir, 'coffer.log'), 'utf8')
    const levels = log
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).level)
    expect(levels).toContain('info')
    expect(log).not.toContain(ownerKey)
    process.kill(Number(pid), 'SIGKILL')
    await onTerminal.ended
  })

  test('a service that was killed starts again over the PostgreSQL that it left', async () => {
    const before = runningPostmaster()
    expect(before).toBeDefined()
    service = start()
    const { url } = await readyAt(service)
    expect(runningPostmaster()).toBe(before)
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

  test('ends gently: calls under way are answered, nothing stays held, PostgreSQL stops', async () => {
    const { url } = await readyAt(service)
    const calls = [1, 2, 3, 4, 5].map((digit) =>
      getPatiently(`${url}/v1/portfolio?addresses=0x${String(digit).repeat(40)}`, ownerKey),
    )
    // Their credits are deducted: the calls are being processed.
    await expect.poll(() => balance(url), { interval: 20 }).toBe(OWNER_CREDITS - calls.length)
    expect(await service.end('SIGTERM')).toBe(0)
    const statuses = (await Promise.all(calls)).map(({ status }) => status)
    expect(statuses).toEqual([502, 502, 502, 502, 502])
    expect(runningPostmaster()).toBeUndefined()
    const [owner] = JSON.parse((await runAdmin(env, 'account', 'list')).stdout) as { id: string; credits: number }[]
    expect(owner?.credits).toBe(OWNER_CREDITS)
    expect(runningPostmaster()).toBeUndefined()
  })
})

/** Configuration errors have unit tests. These show the program's output. */
const refused: readonly [what: string, env: Env, args: readonly string[], sentence: RegExp][] = [
  ['a name that nothing reads', { COFFER_PROT: '1' }, [], /^COFFER_PROT .*COFFER_PORT/],
  ['a node that is no URL', { COFFER_RPC_ETHEREUM: 'wss:/secret' }, [], /^COFFER_RPC_ETHEREUM (?!.*secret)/],
  ['an unknown argument', {}, ['--rool', 'worker'], /^Unknown arguments\. .*--help/],
]

test.each(refused.slice(0, sized({ small: 1, deep: refused.length })))(
  'a setting that cannot be right ends the start in one sentence: %s',
  async (_, wrong, args, sentence) => {
    const service = start(wrong, ...args)
    expect(await service.ended).toBe(1)
    expect(sentences(service)).toEqual([expect.stringMatching(sentence)])
    expect(service.stdout()).toBe('')
  },
)

test('a start on a port in use ends in one sentence and shows no key; a worker serves no requests, with a process that only serves', async () => {
  const database = await testDatabase('roles')
  const shared = { DATABASE_URL: database.url }
  const { port } = new URL(node.url)
  const refused = start({ ...shared, COFFER_PORT: port })
  expect(await refused.ended).toBe(1)
  expect(sentences(refused)).toEqual([expect.stringMatching(`^Port ${port} is in use`)])
  expect(refused.stdout()).toBe('')

  const worker = start(shared, '--role', 'worker')
  const [, adminUrl = ''] = await worker.printed(/^Coffer is processing jobs \(health and metrics: (\S+)\)\.\n/)
  const api = start({ ...shared, COFFER_ROLE: 'api' })
  const { adminUrl: ofApi } = await readyAt(api)
  await api.printed(/shown this once: coffer_\S+\n/)
  for (const admin of [adminUrl, ofApi]) expect((await getOnce(`${admin}/readyz`, '')).status).toBe(200)
  expect(worker.stdout()).not.toContain('coffer_')
  expect(await worker.end('SIGTERM')).toBe(0)
  await api.end('SIGTERM')
  await database.drop()
})
