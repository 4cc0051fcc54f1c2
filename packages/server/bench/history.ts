// Sync of 10,000 transactions: time against the same requests replayed without processing, their number, resources, and
// listing speed per filter. The service has synced a small wallet before.
// `history.ts [--transactions 10000] [--distance 100]`. Exits 1 if a target is missed. Distance: latency of the node in
// ms per request of up to 50 calls. At 0 the node shares the cores with the service.
import { cpus } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { startDevnet } from '@coffer/devnet'
import { encodeFunctionData, erc20Abi, parseEther, toHex } from 'viem'
import type { Database } from '../src/db/database.ts'
import type { EvmAddress } from '../src/domain/evm-address.ts'
import { createAccount } from '../src/features/accounts/accounts.ts'
import { createKey } from '../src/features/keys/keys.ts'
import { openPeppers } from '../src/features/keys/peppers.ts'
import { nodeAt } from '../test/local-node.ts'
import { benchOverDatabase } from './bench-database.ts'
import { type ServiceProcess, startServiceProcess } from './portfolio-service.ts'
import { type Recorder, startRecorder } from './recorder.ts'

const PROMISED_RATIO = 1.5
const PROMISED_RSS_MB = 300
const PROMISED_P95_MS = 50
const LISTINGS = 200

const wallet: EvmAddress = `0x${'b'.repeat(40)}`
const friend: EvmAddress = `0x${'c'.repeat(40)}`
/** Its sync is not measured. */
const small: EvmAddress = `0x${'d'.repeat(40)}`
const SMALL_TRANSACTIONS = 100
const { values: options } = parseArgs({
  options: { transactions: { type: 'string', default: '10000' }, distance: { type: 'string', default: '100' } },
})
const transactions = Number(options.transactions)
const distanceMs = Number(options.distance)

const FILTERS: Record<string, string> = {
  none: '',
  'the last page': `offset=${transactions - 50}`,
  sort: 'sort=ASC',
  networks: 'networks=ethereum',
  txTypes: 'txTypes=TRANSFEROUT,SWAP',
  protocols: 'protocols=aave_v3',
  hideSpam: 'hideSpam=true',
  hideDust: 'hideDust=true',
  dates: 'startDate=2020-01-01&endDate=2090-01-01',
  tokenId: 'tokenId=1',
  interactingAddresses: `interactingAddresses=${friend}`,
  initialSearchText: 'initialSearchText=usd',
}

type Devnet = Awaited<ReturnType<typeof startDevnet>>

/** Every fourth sends coins, which no log shows. Each has its own block. */
async function play({ chains: { ethereum } }: Devnet): Promise<void> {
  const { usdc } = ethereum.addresses.tokens
  await ethereum.actions.native.give(friend, parseEther('10'))
  await ethereum.send({ from: friend, to: wallet, value: parseEther('9') })
  await ethereum.actions.erc20.mint(usdc, wallet, 10n ** 12n)
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [friend, 1n] })
  const common = { from: wallet, gas: toHex(100_000), gasPrice: '0x0' }
  const node = nodeAt(ethereum.url)
  await ethereum.actions.native.give(small, parseEther('1'))
  for (let i = 0; i < SMALL_TRANSACTIONS; i += 1) {
    await node.send('eth_sendTransactionSync', { ...common, from: small, to: friend, value: '0x1' })
  }
  for (let i = 2; i < transactions; i += 1) {
    await node.send(
      'eth_sendTransactionSync',
      i % 4 === 0 ? { ...common, to: friend, value: '0x1' } : { ...common, to: usdc, data },
    )
  }
}

/** Polls often: the sync takes seconds. */
async function ended({ db }: Database, of: EvmAddress): Promise<string> {
  for (;;) {
    const row = await db
      .selectFrom('history_sync')
      .select(['state', 'reason'])
      .where('wallet', '=', of)
      .executeTakeFirst()
    if (row && row.state !== 'running') return `${row.state} ${row.reason ?? ''}`.trim()
    await wait(10)
  }
}

function post(service: ServiceProcess, key: string, of: EvmAddress): Promise<Response> {
  return fetch(`${service.url}/v1/sync-transactions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ addresses: [of] }),
  })
}

/** Milliseconds until all are stored, and until all are priced. */
async function sync(
  database: Database,
  service: ServiceProcess,
  key: string,
  recorder: Recorder,
): Promise<{ storedMs: number; pricedMs: number; rssMb: number }> {
  const startedAt = performance.now()
  await post(service, key, wallet)
  let peak = 0
  const watching = setInterval(async () => {
    peak = Math.max(peak, (await service.usage()).rssBytes)
  }, 200)
  const stored = database.db.selectFrom('history_state').select('block').where('wallet', '=', wallet)
  while (!(await stored.executeTakeFirst())) await wait(10)
  const storedMs = performance.now() - startedAt
  recorder.mark()
  const state = await ended(database, wallet)
  clearInterval(watching)
  if (state !== 'done') throw new Error(`the sync ended as ${state}`)
  return { storedMs, pricedMs: performance.now() - startedAt, rssMb: peak / 1e6 }
}

async function listings(service: ServiceProcess, key: string): Promise<Map<string, { p50: number; p95: number }>> {
  const found = new Map<string, { p50: number; p95: number }>()
  for (const [name, query] of Object.entries(FILTERS)) {
    const times: number[] = []
    for (let i = 0; i < LISTINGS; i += 1) {
      const startedAt = performance.now()
      const response = await fetch(`${service.url}/v1/transactions?addresses=${wallet}&${query}`, {
        headers: { authorization: `Bearer ${key}` },
      })
      await response.text()
      if (response.status !== 200) throw new Error(`${name}: ${response.status}`)
      times.push(performance.now() - startedAt)
    }
    times.sort((a, b) => a - b)
    const at = (share: number) => times[Math.floor(LISTINGS * share)] ?? Number.NaN
    found.set(name, { p50: at(0.5), p95: at(0.95) })
  }
  return found
}

function print(recorder: Recorder, measured: Awaited<ReturnType<typeof sync>>, bareMs: number): number {
  const { storedMs, pricedMs, rssMb } = measured
  const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`
  console.log(
    `${transactions} transactions, a node ${distanceMs} ms away; ${cpus()[0]?.model} × ${cpus().length}, Node ${process.version}`,
  )
  for (const [method, { requests, calls }] of recorder.counts()) {
    console.log(`  ${method.padEnd(28)} ${String(calls).padStart(6)} calls in ${requests} requests`)
  }
  console.log(`searched and stored in ${seconds(storedMs)}; priced as well in ${seconds(pricedMs)}`)
  console.log(`the same requests bare, ${recorder.concurrency()} at a time: ${seconds(bareMs)}`)
  const ratio = storedMs / bareMs
  console.log(
    `ratio ${ratio.toFixed(2)} (promised ${PROMISED_RATIO}); RSS ${rssMb.toFixed(0)} MB (promised: under ${PROMISED_RSS_MB})`,
  )
  return ratio
}

async function bench(database: Database, url: string, devnet: Devnet): Promise<string[]> {
  await play(devnet)
  const recorder = await startRecorder(devnet.chains.ethereum.url, distanceMs)
  const service = await startServiceProcess(url, '', recorder.url)
  try {
    const { id } = await createAccount(database.db, {
      ...{ name: 'bench', plan: 'PRO', entitlements: ['portfolio'], credits: 1_000_000 },
    })
    await database.pool.query('update account set rate_limit_default = 1000000, rate_limit_portfolio = 1000000')
    const { key } = await createKey(database.db, await openPeppers(database.db, []), { accountId: id, name: 'bench' })
    await post(service, key, small)
    await ended(database, small)
    await service.quiet()
    recorder.reset()
    const measured = await sync(database, service, key, recorder)
    const ratio = print(recorder, measured, await recorder.replay())
    // PostgreSQL does this by itself within minutes.
    await database.pool.query('vacuum analyze')
    const listed = await listings(service, key)
    for (const [name, { p50, p95 }] of listed) {
      console.log(`  GET /v1/transactions, ${name}: p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms`)
    }
    const slow = [...listed].filter(([, { p95 }]) => p95 >= PROMISED_P95_MS).map(([name]) => name)
    return [
      ...(ratio <= PROMISED_RATIO ? [] : ['the sync takes longer than promised']),
      ...(measured.rssMb < PROMISED_RSS_MB ? [] : ['the service uses more memory than promised']),
      ...(slow.length === 0 ? [] : [`slower than ${PROMISED_P95_MS} ms: ${slow.join(', ')}`]),
    ]
  } finally {
    await service.stop()
    await recorder.stop()
  }
}

// Keeps the last states, like a full node: all would take gigabytes.
const devnet = await startDevnet({ keptStates: 500 })
try {
  await benchOverDatabase((database, url) => bench(database, url, devnet))
} finally {
  await devnet.stop()
}
