// p99 of a hundred accounts that read from memory and from the database, alone and next to one account that floods,
// asks for expensive answers, or reads files slowly. Phases in turns, each compared with the quiet one before it.
// `fair.ts [--rounds 3] [--seconds 15]`. Exits 1 if a target is missed.
import { connect, type Socket } from 'node:net'
import { parseArgs } from 'node:util'
import type { Database } from '../src/db/database.ts'
import type { EvmAddress } from '../src/domain/evm-address.ts'
import type { WalletTransaction } from '../src/domain/transaction.ts'
import { createHistoryStore } from '../src/features/history/store/history-store.ts'
import { testAddress } from '../test/test-tokens.ts'
import { benchOverDatabase } from './bench-database.ts'
import { type Caller, seedCallers } from './cached-wallets.ts'
import type { LoadOrder, LoadResult } from './load-generator.ts'
import { median } from './median.ts'
import { type ServiceProcess, startServiceProcess, startWorker } from './portfolio-service.ts'

const PROMISED_RATIO = 1.2
const ACCOUNTS = 100
/** Two requests a second for each account: a third of the default limit. */
const EVERY_MS = 500
const WARM_UP_SECONDS = 5
/** Transactions of an account; of the one that asks for much. */
const FEW = 50
const MANY = 20_000
const FLOOD_CONNECTIONS = 64
/** A key's default limit is six requests a second; an account's, three times as much. */
const EXPENSIVE = { connections: 3, everyMs: 167 }
/** Files that an account may download at once, and sockets that send half a request. */
const FILES = 3
const HALF_OPEN = 60
const SLOW_READ_MS = 100

const { values: options } = parseArgs({
  options: { rounds: { type: 'string', default: '3' }, seconds: { type: 'string', default: '15' } },
})
const rounds = Number(options.rounds)
const seconds = Number(options.seconds)

const walletOf = ({ path }: Caller) => /0x\w+/.exec(path)?.[0] as EvmAddress

async function plant({ db }: Database, wallet: EvmAddress, count: number): Promise<void> {
  const transactions = Array.from({ length: count }, (_, i): WalletTransaction => {
    const block = BigInt(i + 1)
    const moved = { token: testAddress(2, (i % 11) + 1), tokenId: null, amountRaw: 10n ** 18n, counterparty: null }
    return {
      hash: `0x${block.toString(16).padStart(64, '0')}`,
      block,
      blockHash: `0xb${block}`,
      index: 0,
      time: 1_700_000_000 + i * 60,
      from: wallet,
      to: null,
      selector: '0x',
      succeeded: true,
      feeRaw: 0n,
      type: 'TRANSFERIN',
      protocol: null,
      movements: [{ ...moved, debt: false, leg: 0, treatment: 'acquire' }],
    }
  })
  const store = createHistoryStore(db)
  for (let i = 0; i < count; i += 1_000) {
    const page = transactions.slice(i, i + 1_000)
    await store.save(
      { wallet, chain: 'ethereum' },
      page,
      { ranges: [], found: page, native: [] },
      async () => undefined,
    )
  }
}

/** Half from memory, half from the database. */
function requestOf(caller: Caller, i: number): Caller {
  const list = `/v1/transactions?addresses=${walletOf(caller)}&limit=20`
  return { key: caller.key, path: [caller.path, list, caller.path, '/v1/credits'][i % 4] ?? '' }
}

type Attack = { name: string; run(service: ServiceProcess, generator: Generator): Promise<string> }
type Generator = ReturnType<typeof startWorker>

const attacksOf = (one: Caller): Attack[] => {
  const wallet = walletOf(one)
  const load = async (generator: Generator, order: Omit<LoadOrder, 'seconds' | 'allowsRefusals'>) => {
    const { rps } = await generator.ask<LoadResult>({ ...order, seconds: seconds + 2, allowsRefusals: true })
    return `${rps.toFixed(0)} requests/s`
  }
  const flood = (path: string) => ({ requests: [{ key: one.key, path }], connections: FLOOD_CONNECTIONS })
  const search = `/v1/transactions?addresses=${wallet}&limit=100&offset=15000&initialSearchText=abcdef`
  return [
    { name: 'flood of refused requests', run: ({ url }, by) => load(by, { url, ...flood(one.path) }) },
    {
      name: 'expensive requests at the limit',
      run: ({ url }, by) => load(by, { url, requests: [{ key: one.key, path: search }], ...EXPENSIVE }),
    },
    { name: 'files read slowly', run: ({ url }) => readSlowly(url, one, wallet) },
  ]
}

/** Downloads in sequence on each connection, 64 kB every tenth of a second. */
async function readSlowly(url: string, { key }: Caller, wallet: EvmAddress): Promise<string> {
  const { hostname, port, host } = new URL(url)
  const open = () => connect({ host: hostname, port: Number(port) }).on('error', () => undefined)
  const request = `GET /v1/transactions/export?addresses=${wallet}&format=JSONL HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${key}\r\n\r\n`
  const halves = Array.from({ length: HALF_OPEN }, open)
  for (const socket of halves) socket.write(request.slice(0, 40))
  let bytes = 0
  const download = (): Socket => {
    const socket = open()
    socket.write(request)
    socket.on('data', (chunk) => {
      bytes += chunk.length
      socket.pause()
      setTimeout(() => socket.resume(), SLOW_READ_MS)
      if (!chunk.includes('"complete":true')) return
      socket.write(request)
    })
    return socket
  }
  const files = Array.from({ length: FILES }, download)
  await new Promise((resolve) => setTimeout(resolve, (seconds + 2) * 1_000))
  for (const socket of [...halves, ...files]) socket.destroy()
  return `${(bytes / 1e6).toFixed(1)} MB`
}

async function bench(database: Database, databaseUrl: string): Promise<string[]> {
  const callers = await seedCallers(database, ACCOUNTS + 1)
  const one = callers.at(-1) as Caller
  const others = callers.slice(0, ACCOUNTS)
  for (const caller of others) await plant(database, walletOf(caller), FEW)
  await plant(database, walletOf(one), MANY)
  await database.pool.query('update account set rate_limit_default = null, rate_limit_portfolio = null')
  await database.pool.query('analyze')
  const service = await startServiceProcess(databaseUrl, '', undefined, 'ethereum', { COFFER_PORTAL: 'off' })
  const [generator, attacker] = [startWorker('./load-generator.ts'), startWorker('./load-generator.ts')]
  const requests = others.map(requestOf)
  const measure = (duration: number) => {
    const order: LoadOrder = { url: service.url, requests, connections: ACCOUNTS, seconds: duration, everyMs: EVERY_MS }
    return generator.ask<LoadResult>(order)
  }
  try {
    await measure(WARM_UP_SECONDS)
    const faults: string[] = []
    for (const { name, run } of attacksOf(one)) {
      const pairs: { quiet: LoadResult; attacked: LoadResult }[] = []
      let did = ''
      for (let round = 0; round < rounds; round += 1) {
        const quiet = await measure(seconds)
        const attack = run(service, attacker)
        const attacked = await measure(seconds)
        did = await attack
        pairs.push({ quiet, attacked })
      }
      const of = (figure: (pair: (typeof pairs)[number]) => number) => median(pairs.map(figure))
      const ratio = of(({ quiet, attacked }) => attacked.p99 / quiet.p99)
      const bad = pairs.reduce((sum, { quiet, attacked }) => sum + quiet.bad + attacked.bad, 0)
      console.log(
        `${name} (${did}): p50 ${of(({ quiet }) => quiet.p50)} and ${of(({ attacked }) => attacked.p50)} ms, ` +
          `p99 ${of(({ quiet }) => quiet.p99)} and ${of(({ attacked }) => attacked.p99)} ms, ratio ${ratio.toFixed(2)}` +
          ` (rounds: ${pairs.map(({ quiet, attacked }) => (attacked.p99 / quiet.p99).toFixed(2)).join(' ')}); ${bad} bad`,
      )
      if (!(ratio <= PROMISED_RATIO)) faults.push(`${name}: p99 of the others ${ratio.toFixed(2)} times as long`)
      if (bad > 0) faults.push(`${name}: ${bad} requests of the others without a good answer`)
    }
    return faults
  } finally {
    await Promise.all([generator.stop(), attacker.stop()])
    await service.stop()
  }
}

await benchOverDatabase(bench)
