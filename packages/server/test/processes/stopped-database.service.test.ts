import { startDevnet } from '@coffer/devnet'
import { afterAll, expect, inject, it } from 'vitest'
import { startService } from '../harness.ts'
import { started } from '../started.ts'
import { startOwnPostgres } from '../stopped-postgres.ts'

const devnet = await started(startDevnet({ state: inject('devnetState') }))
const postgres = await startOwnPostgres()
const service = await started(startService({ devnet, env: { DATABASE_URL: postgres.url() } }))

afterAll(async () => {
  postgres.goOn()
  await postgres.remove()
})

let wallets = 0
const coldWallet = () => `0x${(++wallets).toString(16).padStart(8, '0').padStart(40, 'c01d')}`

/** Every type of call: from memory, with a new read, free, and with its own charge. */
const calls = () => {
  const wallet = devnet.wallets.demo.address
  return {
    cached: `/v1/wallet?addresses=${wallet}`,
    cachedPortfolio: `/v1/portfolio?addresses=${wallet}`,
    cold: `/v1/wallet?addresses=${coldWallet()}`,
    credits: '/v1/credits',
    bundles: '/v1/bundles',
    entries: '/v1/addressbook',
    transactions: `/v1/transactions?addresses=${wallet}`,
    status: `/v1/status?addresses=${wallet}`,
    historical: `/v1/historical?addresses=${wallet}&date=2026-01-01`,
  }
}

const ask = async (path: string, init: RequestInit = {}) => {
  const headers = { authorization: `Bearer ${service.ownerKey}`, 'content-type': 'application/json' }
  const { status } = await fetch(service.url + path, { ...init, headers })
  return status
}

async function askAll(): Promise<Record<string, number>> {
  const name = `stopped ${Math.random()}`
  const change = ask('/v1/bundles', {
    method: 'POST',
    body: JSON.stringify({ name, addresses: [`0x${'1'.repeat(40)}`] }),
  })
  const answers = Object.entries(calls()).map(async ([call, path]) => [call, await ask(path)] as const)
  return Object.fromEntries([...(await Promise.all(answers)), ['change', await change]])
}

/** Finally charged credits, and violations of the ledger. */
async function ledger(): Promise<{ spent: number; violations: unknown[] }> {
  const { pool } = service.context.database
  const { rows } = await pool.query<{ spent: number }>(
    `select coalesce(sum(case when kind in ('charge', 'post') then amount when kind = 'refund' then -amount else 0 end), 0)::int
      as spent from credit_line`,
  )
  const { rows: violations } = await pool.query('select * from credit_violation')
  return { spent: rows[0]?.spent ?? Number.NaN, violations }
}

it('answers every call while PostgreSQL is stopped, charges for none of them, and recovers', async () => {
  const { cached, cachedPortfolio } = calls()
  for (const path of [cached, cachedPortfolio]) await expect.poll(() => ask(path)).toBe(200)
  const before = await ledger()
  const wholeAgain = (await askAll())['status']
  expect(wholeAgain).toBe(200)
  const between = await ledger()

  postgres.stop()
  const stopped = await askAll()
  expect(stopped).toEqual(Object.fromEntries(Object.keys(stopped).map((call) => [call, 503])))
  postgres.goOn()

  await expect.poll(() => ask('/v1/credits')).toBe(200)
  // Charges by statements that the stopped server had already received are returned.
  await expect.poll(ledger).toEqual({ spent: between.spent, violations: [] })
  expect(before.violations).toEqual([])
  const again = await askAll()
  expect(Object.entries(again).filter(([, status]) => status >= 500)).toEqual([])
})

it('answers 503 and never 500 while PostgreSQL is killed under load', async () => {
  const statuses = new Map<number, number>()
  let killed = false
  const load = async (worker: number) => {
    for (let i = 0; i < 40; i += 1) {
      for (const status of Object.values(await askAll())) statuses.set(status, (statuses.get(status) ?? 0) + 1)
      if (worker === 0 && i === 4) {
        postgres.kill()
        killed = true
      }
    }
  }
  await Promise.all([0, 1, 2].map(load))
  expect(killed).toBe(true)
  expect(statuses.get(500) ?? 0).toBe(0)
  expect(statuses.get(503) ?? 0).toBeGreaterThan(0)
})
