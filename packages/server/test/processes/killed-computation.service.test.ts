import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import type { Address } from '../../src/domain/address.ts'
import { testDatabase } from '../database.ts'
import { HANGS_MS } from '../hangs.ts'
import { keyedAccount } from '../ledger/accounts.ts'
import { playSteps, repeatStep } from '../stored-steps.ts'
import { startFailingNode } from './failing-node.ts'
import { readyAt, type ServiceProcess, startProcess } from './service-process.ts'
import { oneChainEnv } from './two-processes.ts'

const WALLET: Address = `0x${'5'.repeat(40)}`
const COIN: Address = `0x${'c'.repeat(40)}`
/** Two days of 5,333 fill a page. The last page is empty. */
const TRANSACTIONS = 64_000
const PAGES = 7

const database = await testDatabase('killed computation')
const { db } = database
const node = await startFailingNode()
const running: ServiceProcess[] = []

function start(role: string): ServiceProcess {
  const service = startProcess({ ...oneChainEnv(database, node), COFFER_ROLE: role })
  running.push(service)
  return service
}

async function startWorker(): Promise<ServiceProcess> {
  const service = start('worker')
  await service.printed(/Coffer is processing jobs/)
  return service
}

afterAll(async () => {
  await Promise.all(running.map((service) => service.end('SIGKILL')))
  await node.stop()
})

const findRun = () =>
  db
    .selectFrom('accounting')
    .select(['next', 'revision'])
    .where('scope', 'like', `wallet ${WALLET} %`)
    .executeTakeFirst()

test('a computation whose worker is killed continues on another one, from its last commit', async () => {
  const purchase = { block: 1, time: 1_700_000_000, type: 'TRANSFERIN' as const }
  await playSteps(db, WALLET, [{ ...purchase, moves: [['acquire', COIN, 1, '1']] }])
  await repeatStep(db, WALLET, TRANSACTIONS)
  await sql`
    insert into history_state (wallet, chain, block, block_time)
    values (${WALLET}, 'ethereum', ${TRANSACTIONS}, now()) on conflict do nothing`.execute(db)
  const { key } = await keyedAccount(db, { credits: 1_000, plan: 'PRO' })
  const { url } = await readyAt(start('api'))
  const ask = async () => {
    const answer = await fetch(`${url}/v1/transactions?addresses=${WALLET}&limit=1`, {
      headers: { authorization: `Bearer ${key}` },
    })
    const { transactions } = (await answer.json()) as { transactions: { closedPnl: string; pnlReason?: string }[] }
    return [answer.status, transactions.map(({ pnlReason }) => pnlReason)]
  }
  const first = await startWorker()
  expect(await ask()).toEqual([200, ['computing']])
  await expect.poll(async () => (await findRun())?.revision ?? 0n, { timeout: HANGS_MS }).toBeGreaterThan(3n)
  await first.end('SIGKILL')
  const killed = await findRun()
  expect(killed?.next).not.toBeNull()
  await startWorker()
  await expect.poll(async () => (await findRun())?.next, { timeout: HANGS_MS, interval: 500 }).toBeNull()
  // Each commit adds one: none is repeated.
  expect((await findRun())?.revision).toBe(BigInt(PAGES + 1))
  expect(await ask()).toEqual([200, [undefined]])
})
