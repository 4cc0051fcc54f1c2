import pg from 'pg'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Finding } from '../../src/features/doctor/findings.ts'
import { HANGS_MS } from '../hangs.ts'
import { startService } from '../harness.ts'
import { operator } from '../operator.ts'
import { startReplicatedPostgres } from '../replicated-postgres.ts'
import { started } from '../started.ts'
import { playSteps } from '../stored-steps.ts'

const WALLET = '0x1111111111111111111111111111111111111111'
const TOKEN = '0x2222222222222222222222222222222222222222'
const START = 1_767_225_600

const servers = await started(startReplicatedPostgres())
const endpoints = { ethereum: ['http://127.0.0.1:9'] }
const env = { DATABASE_URL: servers.url(), DATABASE_REPLICA_URL: servers.replicaUrl() }
const service = await started(startService({ endpoints, env }))

let written = 0
async function write(): Promise<void> {
  written += 1
  const moves = [['acquire', TOKEN, 1, '1']] as const
  const step = { block: written, time: START + written, type: 'TRANSFERIN' as const, moves }
  await playSteps(service.context.database.db, WALLET, [step])
}

async function expectAll(): Promise<void> {
  const query = `addresses=${WALLET}`
  const list = await service.get(`/v1/transactions?${query}`)
  expect(list.status).toBe(200)
  expect((list.json() as { transactions: object[] }).transactions).toHaveLength(written)
  const file = await service.get(`/v1/transactions/export?${query}&format=JSONL`)
  expect(file.status).toBe(200)
  expect(JSON.parse(file.text.trim().split('\n').at(-1) ?? '')).toMatchObject({ complete: true, rows: written })
}

const ready = async () => (await service.context.admin.inject('/readyz')).json() as object

async function fromReplica(): Promise<number> {
  const { body } = await service.context.admin.inject('/metrics')
  return Number(/^coffer_replica_statements\{server="replica"\} (\d+)$/m.exec(body)?.[1])
}

const serves = () =>
  vi.waitFor(
    async () => {
      await expectAll()
      expect(await ready()).toEqual({ status: 'ready', replica: 'serving' })
    },
    { timeout: HANGS_MS },
  )

async function diagnosed(): Promise<Partial<Finding> | undefined> {
  const settings = { ...env, COFFER_CHAINS: 'ethereum', COFFER_RPC_ETHEREUM: endpoints.ethereum[0] }
  const { stdout } = await operator(settings).run(['doctor', '--format', 'json'])
  return (JSON.parse(stdout) as Finding[]).find(({ check }) => check === 'replica')
}

test('histories are read from the replica, each with all that was stored before', async () => {
  await serves()
  const before = await fromReplica()
  for (let n = 0; n < 5; n += 1) {
    await write()
    await expectAll()
  }
  await serves()
  expect(await fromReplica()).toBeGreaterThan(before)
})

test('a replica that stands still or ends costs no request and no row, and is reported', async () => {
  await serves()
  const name = new URL(env.DATABASE_REPLICA_URL).host
  await vi.waitFor(
    async () => expect(await diagnosed()).toEqual({ check: 'replica', name, facts: { state: 'serving' }, state: 'ok' }),
    { timeout: HANGS_MS },
  )
  const standby = new pg.Client(servers.replicaAdminUrl('coffer'))
  standby.on('error', () => undefined)
  await standby.connect()
  onTestFinished(() => standby.end())
  await standby.query('select pg_wal_replay_pause()')
  await write()
  await expectAll()
  expect(await ready()).toEqual({ status: 'ready', replica: 'behind' })
  expect(await diagnosed()).toMatchObject({ facts: { state: 'behind' }, state: 'warn' })
  await standby.query('select pg_wal_replay_resume()')
  await serves()
  await servers.killReplica()
  await write()
  await expectAll()
  expect(await ready()).toEqual({ status: 'ready', replica: 'away' })
  expect(await diagnosed()).toMatchObject({ facts: { state: 'away' }, state: 'warn' })
})
