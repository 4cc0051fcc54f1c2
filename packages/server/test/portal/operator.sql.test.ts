import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { createNodeHealth } from '../../src/chains/rpc/node-health.ts'
import { startService } from '../harness.ts'
import { started } from '../started.ts'
import { auditOf, signedIn } from './portal-caller.ts'

const CANARY = 'canary-9f2c'

const service = await started(
  startService({
    endpoints: { ethereum: [`http://user:${CANARY}@127.0.0.1:9/${CANARY}`, 'http://127.0.0.1:10'] },
    config: { exchangeUrls: { binance: `http://127.0.0.1:9/${CANARY}` } },
    env: {
      COFFER_MASTER_KEY: '7f'.repeat(32),
      COFFER_KEY_PEPPER: `${CANARY}${'0'.repeat(32)}`,
      COFFER_PRICES: 'chainlink,coingecko',
      COFFER_COINGECKO_KEY: CANARY,
      COFFER_COINGECKO_URL: `http://127.0.0.1:9/${CANARY}`,
      COFFER_ETHERSCAN_API_KEY: CANARY,
      COFFER_ETHERSCAN_URL: `http://127.0.0.1:9/${CANARY}`,
      COFFER_BEACON_URL: `http://127.0.0.1:9/${CANARY}`,
      COFFER_BEACON_RELAYS: `http://127.0.0.1:9/${CANARY}`,
    },
  }),
)
const operator = await signedIn(service, 'operator')

const reads = ['accounts', 'chains', 'jobs', 'syncs', 'price-sources', 'configuration']

test('accounts are made and changed, and credits given once for a reference', async () => {
  const wanted = { name: 'acme', plan: 'LITE', entitlements: ['beacon', 'portfolio'], credits: 5 }
  const made = await operator.call('POST', '/operator/accounts', wanted)
  const own = (made.body as { id: string }).id
  const account = {
    ...{ id: own, name: 'acme', plan: 'LITE', entitlements: ['portfolio', 'beacon'], costMethod: 'AVG', credits: 5 },
    quotas: { addressBook: null, bundles: null, bundleSize: null },
    rateLimits: { default: null, portfolio: null, beacon: null },
    createdAt: expect.any(String),
  }
  expect(made).toEqual({ status: 201, body: account })
  const changes = { plan: 'PRO', costMethod: 'FIFO', quotas: { bundles: 3 }, rateLimits: { default: 1_000 } }
  const changed = {
    ...{ ...account, plan: 'PRO', costMethod: 'FIFO' },
    quotas: { ...account.quotas, bundles: 3 },
    rateLimits: { ...account.rateLimits, default: 1_000 },
  }
  expect((await operator.call('PATCH', `/operator/accounts/${own}`, changes)).body).toEqual(changed)
  const back = await operator.call('PATCH', `/operator/accounts/${own}`, { quotas: { bundles: null } })
  expect(back.body).toEqual({ ...changed, quotas: account.quotas })
  expect((await operator.call('PATCH', `/operator/accounts/${own}`, { quotas: { bundles: 0 } })).status).toBe(400)
  expect((await operator.call('PATCH', '/operator/accounts/999999', { plan: 'PRO' })).status).toBe(404)

  const grant = (amount: number, id = own) =>
    operator.call('POST', `/operator/accounts/${id}/credits`, { amount, reference: 'invoice 17' })
  expect(await grant(100)).toMatchObject({ status: 200, body: { granted: true, account: { credits: 105 } } })
  expect(await grant(100)).toMatchObject({ status: 200, body: { granted: false, account: { credits: 105 } } })
  expect((await grant(101)).status).toBe(400)
  expect((await grant(Number.MAX_SAFE_INTEGER, '1')).status).toBe(400)
  expect((await grant(1, '999999')).status).toBe(404)
  const by = operator.userId
  expect(await auditOf(service, own)).toEqual([
    { action: 'created an account', detail: wanted, by },
    { action: 'changed an account', detail: changes, by },
    { action: 'changed an account', detail: { quotas: { bundles: null } }, by },
    { action: 'gave credits', detail: { amount: 100, reference: 'invoice 17' }, by },
  ])
  expect((await operator.call('POST', '/operator/credits/verify', {})).body).toEqual({ violations: [] })
  const add = (credits: number) =>
    sql`update credit_account set available = available + ${credits}::integer where account_id = ${own}`.execute(
      service.context.database.db,
    )
  await add(1)
  const { body } = await operator.call('POST', '/operator/credits/verify', {})
  expect((body as { violations: unknown[] }).violations.length).toBeGreaterThan(0)
  await add(-1)
})

test('no answer holds a secret; nodes and settings show hosts', async () => {
  const answers = await Promise.all(reads.map((path) => operator.call('GET', `/operator/${path}`)))
  expect(answers.map(({ status }) => status)).toEqual(reads.map(() => 200))
  expect(JSON.stringify(answers)).not.toContain(CANARY)
  expect(JSON.stringify(answers)).not.toContain('7f7f')
  const [, chains, , , sources, configuration] = answers.map(({ body }) => body)
  expect(chains).toMatchObject([
    {
      chain: 'ethereum',
      headAgeSeconds: null,
      endpoints: [
        { endpoint: 'ethereum#1', host: '127.0.0.1:9', problem: null },
        { endpoint: 'ethereum#2', host: '127.0.0.1:10', problem: null },
      ],
    },
  ])
  expect(sources).toContainEqual(expect.objectContaining({ name: 'chainlink', place: 1, leavesNode: false }))
  expect(sources).toContainEqual({
    ...{ name: 'coingecko', place: 2, leavesNode: true },
    settings: expect.arrayContaining([{ variable: 'COFFER_COINGECKO_KEY', isSet: true }]),
  })
  expect(configuration).toMatchObject({
    node: process.version,
    settings: {
      chains: { ethereum: ['127.0.0.1:9', '127.0.0.1:10'] },
      masterKeys: ['[secret]'],
      keyPeppers: ['[secret]'],
      explorers: { etherscan: '127.0.0.1:9', etherscanKey: '[secret]' },
      beacon: { urls: ['127.0.0.1:9'], relays: ['127.0.0.1:9'] },
      exchangeUrls: { binance: '127.0.0.1:9' },
    },
  })
})

test('a node is judged by its answers and failures; a refusal of one call is an answer', () => {
  const health = createNodeHealth({ now: () => 1_000 })
  expect(health.of('a')).toEqual({ requests: 0, failures: 0, failuresInARow: 0, latencyMs: null, lastFailure: null })
  const observe = (outcome: string, durationMs: number) =>
    health.observe({ chain: 'c', endpoint: 'a', method: 'm', outcome, durationMs })
  observe('ok', 100)
  observe('refused', 200)
  observe('timeout', 4_000)
  expect(health.of('a')).toEqual({
    ...{ requests: 3, failures: 1, failuresInARow: 1, latencyMs: 110 },
    lastFailure: { reason: 'timeout', at: 1_000 },
  })
  observe('timeout', 4_000)
  expect(health.of('a')).toMatchObject({ failures: 2, failuresInARow: 2 })
  observe('ok', 110)
  expect(health.of('a')).toMatchObject({ failures: 2, failuresInARow: 0 })
  expect(health.of('b').requests).toBe(0)
})

test('queues and syncs say what waits and what fails', async () => {
  const { pool } = service.context.database
  await pool.query(`insert into jobs.job (name, state, completed_on) values ('sync-wallet', 'failed', now())`)
  const { body } = await operator.call('GET', '/operator/jobs')
  expect(body).toContainEqual(
    expect.objectContaining({ name: 'sync-wallet', failed: 1, waiting: 0, lastFailedAt: expect.any(String) }),
  )
  const insert = (wallet: string, state: string, reason: string | null) =>
    pool.query(
      `insert into history_sync (wallet, account_id, state, requested_at, reason, searched_before)
       values ($1, 1, $2, now(), $3, '{}')`,
      [wallet, state, reason],
    )
  await insert('0xa', 'failed', 'an internal error')
  await insert('0xb', 'running', null)
  const syncs = await operator.call('GET', '/operator/syncs')
  const failed = { wallet: '0xa', account: '1', state: 'failed', reason: 'an internal error', setAside: [] }
  expect(syncs.body).toMatchObject({ syncs: [failed], next: null })

  // By pages, with those that are set aside.
  await insert('0xc', 'paused', null)
  await pool.query(
    `insert into history_set_aside (chain, wallet, step, reason, since, retry_at)
     values ('ethereum', '0xb', 'search', 'refused', now(), now()), ('ethereum', '0xd', 'search', 'refused', now(), now())`,
  )
  const first = await operator.call('GET', '/operator/syncs?limit=2')
  expect(first.body).toMatchObject({ syncs: [{ wallet: '0xa' }, { wallet: '0xb', state: 'running' }], next: '0xb' })
  const second = await operator.call('GET', '/operator/syncs?limit=2&after=0xb')
  expect(second.body).toMatchObject({ syncs: [{ wallet: '0xc', setAside: [] }], next: null })
})

test('accounts are listed by name, in pages, and by the begin of their names', async () => {
  for (const name of ['Zebra', 'zeal', 'Zed']) {
    await operator.call('POST', '/operator/accounts', { name, plan: 'FREE', entitlements: [], credits: 0 })
  }
  const page = async (query: string) => {
    const { body } = await operator.call('GET', `/operator/accounts?name=ZE&${query}`)
    const { accounts, next } = body as { accounts: { name: string }[]; next: string | null }
    return { names: accounts.map(({ name }) => name), next }
  }
  expect((await page('')).names).toEqual(['zeal', 'Zebra', 'Zed'])
  const first = await page('limit=2')
  expect(first).toEqual({ names: ['zeal', 'Zebra'], next: expect.stringMatching(/^\d+$/) })
  expect(await page(`limit=2&after=${first.next}`)).toEqual({ names: ['Zed'], next: null })
})
