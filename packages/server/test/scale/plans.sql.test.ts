import { createEndpoints } from '@coffer/contract'
import { expect, inject, test } from 'vitest'
import { chainTypes } from '../../src/chains/chain-types.ts'
import { addMember } from '../../src/features/portal-users/users.ts'
import { createWalletReadStore } from '../../src/wallets/wallet-read-store.ts'
import { samplesFor, saved, solanaWallet, validator } from '../conformance/contract-samples.ts'
import { putSnapshot, putSolanaSnapshot, putValidator, resetOwnData } from '../conformance/own-data.ts'
import { listenTo } from '../event-reader.ts'
import { HANGS_MS } from '../hangs.ts'
import { patientFetch, startService } from '../harness.ts'
import { everyEndpoint } from '../portal/every-endpoint.ts'
import { signedIn } from '../portal/portal-caller.ts'
import { started } from '../started.ts'
import { heldOf, priceOf, readOf, tokenOf } from '../wallet-reads.ts'
import { generate, walletOf } from './generate.ts'
import { recordScans, type Scan } from './recorded-plans.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** In the generated database; more than 10,000. */
    wallets: number
  }
}

const MOST_ROWS = 10_000
const WALLETS = inject('wallets')
const ACCOUNTS = 12_000
const CALLS = 12
/** Jobs with an interval. */
const CLOCKS = 13
const STREAM = 'text/event-stream'

/** Statements that may read more, by a part of their text. */
const ALLOWED: Readonly<Record<string, string>> = {
  'select distinct "key_id" from "secret"': 'once, at the start of a process',
  'select * from "token" where "chain" = $1 order by': 'once, at the start of a process',
  "then 'owner' else m.role end as role": 'an operator may open every account',
  '.pgboss.': 'pg-boss counts and deletes its jobs',
  'as ended': 'this test',
}

const TEMPLATE = '0x00000000000000000000000000000000000000aa'
const WALLET = walletOf(30)
const TODAY = new Date().toISOString().slice(0, 10)
const DAY_MS = 86_400_000

type Sample = { params?: Readonly<Record<string, unknown>>; query?: Readonly<Record<string, unknown>>; body?: unknown }
type Samples = Readonly<Record<string, Sample>>
type Call = { name: string; method: string; path: string; cookie?: string; key?: string; body?: unknown }

/** For reads in the portal alone. */
const PORTAL_SAMPLES: Samples = {
  explainPrice: { query: { chain: 'ethereum', token: TEMPLATE } },
  getSeries: { query: { addresses: WALLET, from: TODAY, to: TODAY } },
  getBalances: { params: { id: saved.virtualUserId } },
  getPnlPeriods: { query: { addresses: WALLET, to: TODAY } },
  ...Object.fromEntries(
    ['listSoldLots', 'listOpenLots', 'listEarnings'].map((name) => [
      name,
      { query: { addresses: WALLET, method: 'FIFO', from: '2021-01-01', to: TODAY } },
    ]),
  ),
}

let aheadMs = 0
const service = await started(
  startService({
    endpoints: { ethereum: ['http://127.0.0.1:9'], solana: ['http://127.0.0.1:9'] },
    env: {
      COFFER_ROLE: 'api',
      COFFER_MASTER_KEY: '11'.repeat(32),
      COFFER_BEACON_URL: 'http://127.0.0.1:9',
    },
    eventLoopDelayMs: () => 0,
    clock: { now: () => Date.now() + aheadMs },
  }),
)
const { db, pool } = service.context.database

test('no request, clock or gauge reads more than 10,000 rows of a table', async () => {
  const { cookie, samples } = await prepare()
  const isAnswered = ([, endpoint]: [string, object]) => !('produces' in endpoint && endpoint.produces === STREAM)
  const publicEndpoints = Object.entries(createEndpoints(chainTypes.addresses)).filter(isAnswered)
  const portalReads = Object.entries(everyEndpoint).filter(isAnswered)
  const calls = [
    ...portalReads
      .filter(([, { method }]) => method === 'GET')
      .map(([name, endpoint]) => callOf(name, endpoint, samples, { cookie })),
    ...publicEndpoints.map(([name, endpoint]) => callOf(name, endpoint, samples, { key: service.ownerKey })),
  ]
  const [reads, writes, removals] = [['GET'], ['PATCH', 'POST'], ['DELETE']].map((methods) =>
    calls.filter(({ method }) => methods.includes(method)),
  ) as [Call[], Call[], Call[]]
  const empty = await measure(service.url, reads)
  await generate(service.databaseUrl, { wallets: WALLETS, accounts: ACCOUNTS }, TEMPLATE)
  const full = await measure(service.url, reads)
  console.log(tableOf(reads, empty, full))
  const { scans, stop } = await recordScans(service.databaseUrl)
  try {
    const { url } = await service.startApi()
    nextMinute()
    for (const call of [...reads, ...writes, ...removals]) await send(url, call)
    await listen(url, cookie)
    await runClocks()
  } finally {
    stop()
  }
  expect(refused).toEqual([])
  expect(scans.length).toBeGreaterThan(calls.length)
  expect(tooLarge(scans)).toEqual([])
})

/** What all calls need, in account 1. */
async function prepare() {
  await resetOwnData(db, '1')
  await putValidator(db, { index: 3, pubkey: validator.toLowerCase() as never })
  await putSnapshot(db, '1', WALLET)
  await putSolanaSnapshot(db, '1', solanaWallet)
  const token = tokenOf('0x00000000000000000000000000000000000000bb', 'T')
  const held = { holdings: [heldOf(token.address, 10n ** 18n)], tokens: [token], prices: [priceOf(token.address, '2')] }
  for (const wallet of [TEMPLATE, WALLET] as const) {
    await createWalletReadStore(db).save(readOf(wallet, { ...held, readAt: Date.now() + DAY_MS }), [])
  }
  const url = 'https://hooks.example.invalid/'
  const { data } = await service.client.createWebhook({ body: { url, kinds: ['sync.ended'] } })
  const operator = await signedIn(service, 'operator')
  await addMember(db, { userId: operator.userId, accountId: '1', role: 'owner' })
  const own = JSON.parse(JSON.stringify(samplesFor(WALLET)).replaceAll(saved.webhookId, data.id)) as Samples
  return { cookie: operator.cookie, samples: { ...own, ...PORTAL_SAMPLES, getNav: { query: { addresses: WALLET } } } }
}

function callOf(
  name: string,
  { method, path }: { method: string; path: string },
  samples: Samples,
  as: { cookie: string } | { key: string },
): Call {
  const { params = {}, query = {}, body } = samples[name] ?? {}
  const filled = path.replace(':account', '1').replaceAll(/:(\w+)/g, (_, key: string) => String(params[key]))
  const search = new URLSearchParams(
    Object.entries(query).map(([key, value]): [string, string] => [key, String(value)]),
  )
  return { name: 'key' in as ? name : `portal: ${name}`, method, path: `${filled}?${search}`, body, ...as }
}

const refused: string[] = []

async function send(url: string, { name, method, path, cookie, key, body }: Call): Promise<void> {
  const response = await patientFetch(url + path, {
    method,
    headers: {
      ...(cookie && { cookie, origin: url }),
      ...(key && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  const isRefused = method === 'GET' ? response.status !== 200 : response.status >= 500
  // Without nodes some calls cannot be answered.
  if (isRefused && response.status !== 502) refused.push(`${name}: ${response.status} ${text.slice(0, 200)}`)
}

/** Rate limits begin again. */
function nextMinute(): void {
  aheadMs += 60_000
}

/** In ms, ascending. */
async function measure(url: string, calls: readonly Call[]): Promise<number[][]> {
  const all: number[][] = []
  for (const call of calls) {
    nextMinute()
    const times: number[] = []
    for (let i = 0; i < CALLS; i += 1) {
      const begun = performance.now()
      await send(url, call)
      times.push(performance.now() - begun)
    }
    all.push(times.sort((a, b) => a - b))
  }
  return all
}

const at = (times: readonly number[] | undefined, share: number) =>
  (times?.[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0).toFixed(1)

const tableOf = (calls: readonly Call[], empty: readonly number[][], full: readonly number[][]): string =>
  calls
    .map(
      ({ name }, i) =>
        `| ${name} | ${[empty[i], full[i]].map((times) => `${at(times, 0.5)} / ${at(times, 0.95)}`).join(' | ')} |`,
    )
    .join('\n')

/** One look of each stream: of an account with all syncs, and of one with many saved wallets. */
async function listen(url: string, cookie: string): Promise<void> {
  for (const account of ['1', '2']) {
    const stream = await listenTo(`${url}/portal/api/accounts/${account}/events`, { cookie }, { hasIds: false })
    expect(await stream.next()).toMatchObject({ event: expect.any(String) })
    stream.leave()
  }
  const events = await listenTo(`${url}/v1/events`, { authorization: `Bearer ${service.ownerKey}` }, { hasIds: true })
  expect(await events.next()).toMatchObject({ event: 'ready' })
  events.leave()
}

/** A worker begins each clock's job at its start. */
async function runClocks(): Promise<void> {
  const worker = await service.startWorker()
  const left = async () => {
    const { rows } = await pool.query<{ ended: number; left: number }>(`
      select (count(*) filter (where state > 'active'))::integer as ended,
        (count(*) filter (where state <= 'active'))::integer as left
      from jobs.job where singleton_key = name`)
    return rows[0]
  }
  await expect.poll(left, { timeout: HANGS_MS, interval: 500 }).toEqual({ ended: CLOCKS, left: 0 })
  expect((await worker.admin.inject({ url: '/metrics' })).statusCode).toBe(200)
}

function tooLarge(scans: readonly Scan[]): string[] {
  const large = scans.filter(
    ({ rows, statement }) => rows > MOST_ROWS && !Object.keys(ALLOWED).some((part) => statement.includes(part)),
  )
  const most = new Map<string, Scan>()
  for (const scan of large) {
    const key = `${scan.table} ${scan.statement}`
    if ((most.get(key)?.rows ?? 0) < scan.rows) most.set(key, scan)
  }
  return [...most.values()].map(
    ({ table, rows, node, statement }) => `${table}, ${rows} rows, ${node}: ${statement.replaceAll(/\s+/g, ' ')}`,
  )
}
