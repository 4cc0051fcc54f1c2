// Separate process that reads wallets like the service, to separate its CPU from node, proxy and database.
import { NAV_CURRENCIES } from '@coffer/contract'
import { chainTypes } from '../src/chains/chain-types.ts'
import { chainTypeSettingsOf } from '../src/config/config.ts'
import { rpcVariable } from '../src/config/env.ts'
import { openDatabase } from '../src/db/database.ts'
import type { Address } from '../src/domain/address.ts'
import { historyStores } from '../src/features/history/module.ts'
import { computePoints } from '../src/features/snapshots/compute-points.ts'
import { backfill, openSnapshots } from '../src/features/snapshots/module.ts'
import { PastReads, pastOf } from '../src/features/snapshots/past-reads.ts'
import { systemClock } from '../src/lib/clock.ts'
import { createLogger } from '../src/lib/logger.ts'
import { createMetrics } from '../src/lib/metrics.ts'
import { createReading } from '../src/wallets/create-reading.ts'
import { costConfig } from './cost-config.ts'

/** `series`: net worth at times. `found`: stored data. `night`: snapshots, `atOnce` at a time. */
export type ReaderOrder =
  | { what: 'open'; databaseUrl: string; chain: string; rpcUrl: string; configFile: string }
  | { what: 'read'; wallets: readonly string[] }
  | { what: 'found'; wallets: readonly string[] }
  | { what: 'night'; wallets: readonly string[]; date: string; accountId: string; atOnce: number }
  | { what: 'series'; wallets: readonly Address[]; times: readonly number[] }
  | { what: 'usage' }

/** `ms`: until all were answered. `cpuMs`: of the process. */
export type ReadAnswer = { ms: number }
export type FoundAnswer = { tokens: string[]; positions: number; gaps: string[] }[]
export type NightAnswer = { ms: number; taken: number }
export type UsageAnswer = { cpuMs: number }

/** As in the service. */
const POOL_MAX = 20

type Opened = ReturnType<typeof open>
let opened: Opened | undefined

process.on('message', (order: ReaderOrder) => {
  void answerTo(order).then((answer) => process.send?.(answer))
})

async function answerTo(order: ReaderOrder): Promise<object> {
  if (order.what === 'open') {
    opened = open(order)
    return {}
  }
  if (order.what === 'usage') return usage()
  if (!opened) throw new Error('nothing is open')
  if (order.what === 'read') return read(opened, order.wallets)
  if (order.what === 'found') return Promise.all(order.wallets.map((wallet) => found(opened as Opened, wallet)))
  if (order.what === 'series') return series(opened, order)
  return night(opened, order)
}

function open({ databaseUrl, chain, rpcUrl, configFile }: ReaderOrder & { what: 'open' }) {
  const config = costConfig(chain, rpcUrl, configFile)
  const database = openDatabase({ connection: databaseUrl, poolMax: POOL_MAX, log: () => undefined })
  const common = { database, clock: systemClock, logger: createLogger({ level: 'error' }) }
  const reading = createReading({
    ...{ ...common, config, settings: chainTypeSettingsOf(config, NAV_CURRENCIES), rpcVariable, chainTypes },
    ...{ stores: historyStores(database.db), metrics: createMetrics({ gauges: [] }) },
  })
  const ports = { ...common, reading }
  return { chain, reading, snapshots: openSnapshots(ports), past: new PastReads(ports), db: database.db }
}

function usage(): UsageAnswer {
  const { user, system } = process.cpuUsage()
  return { cpuMs: (user + system) / 1000 }
}

async function read({ chain, reading }: Opened, wallets: readonly string[]): Promise<ReadAnswer> {
  const began = performance.now()
  await Promise.all(wallets.map((wallet) => reading.refresh(chain, wallet)))
  return { ms: performance.now() - began }
}

async function series(
  { chain, reading, past, db }: Opened,
  { wallets, times }: ReaderOrder & { what: 'series' },
): Promise<ReadAnswer> {
  const enabled = reading.enabled.find(({ key }) => key === chain)
  const pastChain = enabled && pastOf(reading, enabled)
  if (!pastChain) throw new Error(`${chain} has no past`)
  const began = performance.now()
  await computePoints({ db, past }, new AbortController().signal, { past: pastChain, wallets, times })
  return { ms: performance.now() - began }
}

async function found({ chain, reading }: Opened, wallet: string): Promise<FoundAnswer[number]> {
  const stored = await reading.store.findOne(wallet, chain)
  if (!stored) throw new Error(`nothing is stored of ${wallet}`)
  const { holdings, positions, gaps } = stored.read
  return {
    ...{ tokens: holdings.map(({ token }) => token), positions: positions.length },
    gaps: gaps.map(({ protocol = 'wallet', reason }) => `${protocol}: ${reason}`),
  }
}

async function night(
  { snapshots }: Opened,
  { wallets, date, accountId, atOnce }: ReaderOrder & { what: 'night' },
): Promise<NightAnswer> {
  const began = performance.now()
  const queue = [...wallets]
  let taken = 0
  const worker = async (): Promise<void> => {
    for (let address = queue.shift(); address !== undefined; address = queue.shift()) {
      const result = await backfill(snapshots, { address, date }, [BigInt(accountId)])
      if ('outcome' in result) taken += 1
      else if (result.problem.reason !== 'not-final') throw new Error(`no snapshot: ${result.problem.reason}`)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return { ms: performance.now() - began, taken }
}
