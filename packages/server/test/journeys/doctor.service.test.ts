import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startDevnet } from '@coffer/devnet'
import { afterAll, expect, inject, test } from 'vitest'
import type { Env } from '../../src/config/env.ts'
import type { Finding } from '../../src/features/doctor/findings.ts'
import { testDatabase } from '../database.ts'
import { startService } from '../harness.ts'
import { operator } from '../operator.ts'
import { type RpcCall, startRpcProxy } from '../rpc-proxy.ts'
import { started } from '../started.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'coffer-doctor-'))

const devnet = await started(startDevnet({ state: inject('devnetState') }))
const service = await started(startService({ devnet }))
afterAll(async () => rmSync(dataDir, { recursive: true }))

async function doctor(env: Env, ...args: string[]) {
  const chains = env['COFFER_RPC_BASE'] ? 'ethereum,base' : 'ethereum'
  const { code, stdout, stderr } = await operator({
    ...{ DATABASE_URL: service.databaseUrl, COFFER_CHAINS: chains, COFFER_LOCAL_CHAINS: chains },
    COFFER_DATA_DIR: dataDir,
    ...env,
  }).run(['doctor', ...args])
  expect(stderr).toBe('')
  return { code, stdout }
}

const withKey = (url: string) => `${url}/?key=secret-key`

test('a healthy installation is reported with what its nodes offer, and only the host of their URLs', async () => {
  const { url, client } = devnet.chains.ethereum
  const { code, stdout } = await doctor({ COFFER_RPC_ETHEREUM: withKey(url) }, '--format', 'json')
  expect(code).toBe(0)
  const findings: Finding[] = JSON.parse(stdout)
  expect(findings.map(({ check, name }) => [check, name.split('#')[0]])).toMatchObject([
    ['endpoint', 'ethereum'],
    ['runtime', 'node'],
    ['database', 'postgres'],
    ['database', 'session'],
    ['clock', 'this machine'],
    ['disk', dataDir],
    ['prices', expect.any(String)],
    ['queue', 'jobs'],
    ['secrets', 'master key and pepper'],
  ])
  expect(findings[0]).toMatchObject({
    state: 'ok',
    facts: {
      ...{ host: new URL(url).host, head: (await client.getBlockNumber()).toString() },
      // The chain was loaded from a file: it has no earlier states.
      ...{ archive: false, traces: true, logRange: 'all', gas: expect.any(Number), latencyMs: expect.any(Number) },
    },
  })
  expect(findings[1]).toMatchObject({ state: 'ok', facts: { version: process.versions.node } })
  // The embedded PostgreSQL has no newer release.
  const problem = expect.stringMatching(/^PostgreSQL 18[.]4 lacks fixes .*: 18[.]\d+ of 2026-/)
  expect(findings[2]).toMatchObject({ state: 'warn', problem, facts: { version: '18.4' } })
  expect(findings[3]).toMatchObject({ name: 'session', state: 'ok' })
  expect(findings.map(({ state }) => state)).not.toContain('fail')
  expect(stdout).not.toContain('secret-key')
})

test('a dead endpoint and one of another chain fail by their names', async () => {
  const { url } = devnet.chains.ethereum
  const { code, stdout } = await doctor({
    COFFER_RPC_ETHEREUM: `${url},http://127.0.0.1:9/secret-key`,
    COFFER_RPC_BASE: url,
  })
  expect(code).toBe(1)
  const lines = stdout.split('\n')
  expect(lines[0]).toMatch(/^endpoint +state +host +head +lagSeconds +latencyMs +archive +traces +gas +logRange$/)
  expect(lines[1]).toMatch(/^ethereum#1 +ok +127\.0\.0\.1:\d+ +\d+ +-?\d+ +\d+ +no +yes +\d+ +all$/)
  expect(lines[2]).toMatch(/^ethereum#2 +fail +127\.0\.0\.1:9$/)
  expect(stdout).toMatch(/^fail: ethereum#2: .*connection failed \(ECONNREFUSED\)$/m)
  expect(stdout).toMatch(/^fail: base#1: it serves another chain: /m)
  expect(stdout).not.toContain('secret-key')
})

test('a node that takes only narrow searches and refuses archives and traces is reported so', async () => {
  const proxy = await startRpcProxy(devnet.chains.ethereum.url)
  const widthOf = ({ params: [filter] }: RpcCall) => {
    const { fromBlock, toBlock } = filter as { fromBlock: string; toBlock: string }
    return Number(toBlock) - Number(fromBlock) + 1
  }
  const refused = { error: { code: -32601, message: 'the method does not exist' } }
  proxy.add({ when: ({ method }) => /^(debug|trace)_/.test(method), fault: refused })
  proxy.add({
    when: (call) => call.method === 'eth_getLogs' && widthOf(call) > 100,
    fault: { error: { code: -32005, message: 'block range is too wide' } },
  })
  const { code, stdout } = await doctor({ COFFER_RPC_ETHEREUM: proxy.url }, '--format', 'json')
  const [endpoint]: Finding[] = JSON.parse(stdout)
  expect([code, endpoint?.facts]).toMatchObject([0, { traces: false, logRange: '100', gas: expect.any(Number) }])
  await proxy.stop()
})

test('a database that the service has never used is said to be so', async () => {
  const database = await testDatabase('doctor')
  await database.pool.query('drop schema jobs cascade')
  const { stdout } = await doctor(
    { DATABASE_URL: database.url, COFFER_RPC_ETHEREUM: devnet.chains.ethereum.url },
    '--format',
    'json',
  )
  const findings: Finding[] = JSON.parse(stdout)
  expect(findings.find(({ check }) => check === 'queue')).toMatchObject({
    state: 'warn',
    problem: 'the service has never been started with this database',
  })
  await database.drop()
})

test('a pepper that keys were made with and that is gone fails: the service would not start', async () => {
  const { url, drop } = await testDatabase('doctor_secrets')
  const env = { DATABASE_URL: url, COFFER_RPC_ETHEREUM: devnet.chains.ethereum.url }
  const withPepper = await doctor({ ...env, COFFER_KEY_PEPPER: 'p'.repeat(64) })
  expect(withPepper.stdout).toMatch(/^master key and pepper +ok$/m)
  const { code, stdout } = await doctor(env)
  expect(code).toBe(1)
  expect(stdout).toContain('fail: master key and pepper: COFFER_KEY_PEPPER was set when API keys were made here')
  await drop()
})
