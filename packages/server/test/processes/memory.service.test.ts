import { once } from 'node:events'
import { Agent, get, type IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import { decimal } from '../../src/domain/decimal.ts'
import type { EvmAddress } from '../../src/domain/evm-address.ts'
import { createWalletReadStore } from '../../src/wallets/wallet-read-store.ts'
import { testDatabase } from '../database.ts'
import { keyedAccount } from '../ledger/accounts.ts'
import { sized } from '../sized.ts'
import { started } from '../started.ts'
import { testAddress } from '../test-tokens.ts'
import { startEndlessNode } from './endless-node.ts'
import { getOnce, getPatiently } from './http-get.ts'
import { readyAt, startProcess } from './service-process.ts'

/** The process's limit at any time, under any load. */
const MOST_MB = 400
/** Allowed remainder of an attack: free memory that the allocator keeps. */
const LEFT_MB = 120
const TOKENS = 150
const A_DAY_MS = 86_400_000
const WALLET: EvmAddress = testAddress(1, 1)

const database = await testDatabase('memory')
const node = await started(startEndlessNode())
const service = startProcess({
  DATABASE_URL: database.url,
  COFFER_CHAINS: 'ethereum',
  COFFER_RPC_ETHEREUM: node.url,
  COFFER_LOG_LEVEL: 'error',
  // This test sets every caller's address: no limit per address applies.
  COFFER_TRUST_PROXY: '127.0.0.1',
})
const { url, adminUrl } = await readyAt(service)
const { key } = await keyedAccount(database.db, { plan: 'PRO', credits: 1_000_000 })
await saveWallet()

afterAll(async () => {
  await service.end('SIGKILL')
  await database.drop()
})

/** A fresh wallet. Its tokens make an answer with images a tenth of a megabyte. */
async function saveWallet(): Promise<void> {
  const chain = 'ethereum'
  const tokens = Array.from({ length: TOKENS }, (_, i) => testAddress(2, i + 1))
  await createWalletReadStore(database.db).save(
    {
      ...{ chain, wallet: WALLET, block: 1n, blockTime: 1_700_000_000, readAt: Date.now() + A_DAY_MS },
      holdings: tokens.map((token) => ({ token, amountRaw: 10n ** 18n, receipt: false })),
      positions: [],
      tokens: tokens.map((address) => ({ chain, address, symbol: 'T', name: 'Token', decimals: 18, listed: true })),
      prices: tokens.map((token) => ({ chain, token, usd: decimal('1'), source: 'chainlink', confidence: 1 })),
      gaps: [],
    },
    [],
  )
}

async function gauge(name: string): Promise<number> {
  const { text } = await getOnce(`${adminUrl}/metrics`, '')
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN)
}
const rssMb = async () => (await gauge('process_resident_memory_bytes')) / 1e6

/** Highest memory of the process during `work`. */
async function highestMb(work: Promise<unknown>): Promise<number> {
  let highest = 0
  let over = false
  const done = work.finally(() => {
    over = true
  })
  while (!over) highest = Math.max(highest, await rssMb())
  await done
  return Math.max(highest, await rssMb())
}

/** The process returns to its size, except for memory that the allocator keeps. */
async function isBack(beforeMb: number): Promise<void> {
  await expect.poll(rssMb, { interval: 200 }).toBeLessThan(beforeMb + LEFT_MB)
}

/** Requests the largest public file and reads nothing. */
async function askUnread(n: number): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const client = connect({ host: hostname, port: Number(port) })
  client.on('error', () => undefined)
  await once(client, 'connect')
  const caller = `X-Forwarded-For: 10.0.${n >> 8}.${n & 255}`
  client.write(`GET /docs/reference/js/scalar.js HTTP/1.1\r\nHost: x\r\n${caller}\r\n\r\n`)
  // Its answer has begun.
  await once(client, 'readable')
  return client
}

/** Stores `count` transactions of a wallet, each with one movement. */
async function storeTransactions(wallet: EvmAddress, count: number): Promise<void> {
  const { pool } = database
  const blocks = `select $1, 'ethereum', n / 3, n % 3`
  const numbers = 'from generate_series(1, $2::bigint) as n'
  await pool.query(
    `insert into history_transaction (wallet, chain, block, tx_index, hash, block_hash, block_time, sender, recipient, selector,
       succeeded, fee, type)
     ${blocks}, '0x' || n, '0xb', to_timestamp(1700000000 + n / 7), $1, null, '0x', true, 0, 'TRANSFERIN' ${numbers}`,
    [wallet, count],
  )
  await pool.query(
    `insert into history_movement (wallet, chain, block, tx_index, place, token, amount, debt, leg, treatment)
     ${blocks}, 0, $3, n, false, 0, 'acquire' ${numbers}`,
    [wallet, count, testAddress(2, 1)],
  )
  await pool.query('analyze history_transaction, history_movement')
}

test('sockets that read nothing of four megabytes cost almost nothing, and are closed', async () => {
  const count = sized({ small: 100, deep: 300 })
  ;(await askUnread(0)).destroy()
  const before = await rssMb()
  const attack = Promise.all(Array.from({ length: count }, (_, n) => askUnread(n + 1)))
  expect(await highestMb(attack)).toBeLessThan(MOST_MB)
  const clients = await attack
  expect(await gauge('coffer_http_connections')).toBeGreaterThanOrEqual(count)
  if (sized({ small: false, deep: true })) {
    // The clients stay; the service does not wait for them.
    await expect.poll(() => gauge('coffer_http_connections'), { interval: 500 }).toBeLessThan(count)
  }
  for (const client of clients) client.destroy()
  await isBack(before)
})

test('thousands of hosts leave one copy of the answer', async () => {
  const count = sized({ small: 200, deep: 6_000 })
  const agent = new Agent({ keepAlive: true, maxSockets: 8 })
  const ask = async (n: number) => {
    const host = `h${n}.${'a'.repeat(230)}.example`
    const path = `/v1/portfolio?addresses=${WALLET}&includeImages=true`
    const { text } = await getPatiently(url + path, key, { agent, host })
    expect(text).toContain(`"imgSmall":"http://${host}/icons/`)
  }
  for (let n = 0; n < 50; n += 1) await ask(n)
  const before = await rssMb()
  let next = 0
  const client = async () => {
    while (next < count) {
      next += 1
      await ask(next)
    }
  }
  expect(await highestMb(Promise.all(Array.from({ length: 8 }, client)))).toBeLessThan(MOST_MB)
  agent.destroy()
  await isBack(before)
})

test('five answers without end at once are cut, and leave nothing', async () => {
  const before = await rssMb()
  const calls = Promise.all(
    [1, 2, 3, 4, 5].map((n) => getPatiently(`${url}/v1/portfolio?addresses=${testAddress(3, n)}`, key)),
  )
  expect(await highestMb(calls)).toBeLessThan(MOST_MB)
  expect((await calls).map(({ status }) => status)).toEqual([502, 502, 502, 502, 502])
  expect(node.begun()).toBeGreaterThanOrEqual(5)
  await isBack(before)
})

test('sends three of forty parallel files of an account, and returns their memory', async () => {
  const wallet = testAddress(4, 1)
  const count = sized({ small: 10_000, deep: 300_000 })
  await storeTransactions(wallet, count)
  const file = () => getOnce(`${url}/v1/transactions/export?addresses=${wallet}&partial=true`, key)
  const before = await rssMb()
  const files = Promise.all(Array.from({ length: 40 }, file))
  expect(await highestMb(files)).toBeLessThan(MOST_MB)
  const answers = await files
  const whole = answers.filter(({ status }) => status === 200)
  expect(whole.length).toBeGreaterThanOrEqual(3)
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(40 - whole.length)
  // A header, a line that reports the wallet as never searched, and a line per movement.
  for (const { text } of whole) expect(text.trimEnd().split('\r\n')).toHaveLength(count + 2)
  await isBack(before)
})

test('a shutdown under load resets no connection', async () => {
  const outcomes: string[] = []
  let begun = 0
  const started = Promise.withResolvers<void>()

  /** One call over the client's kept connection. True if the connection stays usable. */
  const call = (agent: Agent) =>
    new Promise<boolean>((resolve) => {
      const receive = (response: IncomingMessage) => {
        outcomes.push(String(response.statusCode))
        response.resume()
        response.on('end', () => resolve(response.headers.connection !== 'close'))
      }
      get(`${url}/v1/credits`, { agent, headers: { authorization: `Bearer ${key}` } }, receive).on(
        'error',
        (error: NodeJS.ErrnoException) => {
          outcomes.push(error.code ?? error.message)
          resolve(false)
        },
      )
      begun += 1
      if (begun === 500) started.resolve()
    })
  const client = async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    while (await call(agent));
    agent.destroy()
  }
  const clients = Promise.all(Array.from({ length: 32 }, client))
  await started.promise
  expect(await service.end('SIGTERM')).toBe(0)
  await clients
  expect(outcomes.filter((outcome) => outcome !== '200' && outcome !== '503')).toEqual([])
  expect(outcomes.length).toBeGreaterThanOrEqual(500)
})
