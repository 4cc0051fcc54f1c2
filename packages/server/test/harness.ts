import { setTimeout as wait } from 'node:timers/promises'
import { type Client, createClient } from '@coffer/client'
import { type Devnet, devnetConfig } from '@coffer/devnet'
import { expect, inject } from 'vitest'
import type { ChainTypes } from '../src/chains/chain-type.ts'
import { chainTypes as shippedChainTypes } from '../src/chains/chain-types.ts'
import { readConfig } from '../src/config/config.ts'
import { type Env, rpcVariable } from '../src/config/env.ts'
import { type Context, createContext, type Overrides } from '../src/context.ts'
import { type Clock, systemClock, type Timer } from '../src/lib/clock.ts'
import { createLogger } from '../src/lib/logger.ts'
import { testDatabase } from './database.ts'
import { keyedAccount } from './ledger/accounts.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Separate API and worker over one database. */
    apart: boolean
  }
}

export type ServiceOptions = {
  /** Files that `env` names, by path. */
  files?: Readonly<Record<string, string>>
  /** With what the shipped catalog cannot know. */
  devnet?: Pick<Devnet, 'chains'>
  /** By chain key, in order of preference; replace the devnet's. */
  endpoints?: Readonly<Record<string, readonly string[]>>
  /** Content of `COFFER_CONFIG`; the devnet's by default. */
  config?: object
  /** All that ship by default. */
  chainTypes?: ChainTypes
  env?: Env
  clock?: Clock
  /** Real time by default. */
  timer?: Timer
  /** E.g. with a switch that makes them fail. */
  wrapHandlers?: Overrides['wrapHandlers']
  /** Measured by default. */
  eventLoopDelayMs?: Overrides['eventLoopDelayMs']
}

/** In this process, on a free port, over its own database. Call `stop` before the test ends. */
export type TestService = {
  url: string
  ownerKey: string
  /** Has the owner's key. */
  client: Client
  context: Context
  /** Unchanged path, no checks. */
  get(path: string, headers?: Record<string, string>): Promise<TestResponse>
  /** Only works on jobs, over the same database. `stop` ends it too. */
  startWorker(): Promise<Context>
  /** Only serves, over the same database. `stop` ends it too. */
  startApi(): Promise<{ url: string; client: Client }>
  databaseUrl: string
  /** Key of another account with portfolio access. */
  newKey(credits: number): Promise<string>
  /** Violated rules and open holds: both must be empty. */
  ledgerProblems(): Promise<unknown[]>
  /** Expects no problem of the ledger. */
  stop(): Promise<void>
}

export type TestResponse = { status: number; headers: Headers; text: string; json(): unknown }

const MOST_TRIES = 100
const AGAIN_MS = 100

/** A busy machine sheds requests before their work begins. */
export const patientFetch: typeof fetch = async (input, init) => {
  let response = await fetch(input, init)
  for (let tries = 1; response.status === 503 && tries < MOST_TRIES; tries += 1) {
    await wait(AGAIN_MS)
    response = await fetch(input, init)
  }
  return response
}

/** Few: a connection takes 40 ms of CPU time. */
const CONNECTIONS = '6'
const CONFIG_FILE = 'coffer.json'
/** Far above what tests use: the limit has its own test. */
const TEST_RATE_LIMIT = 1_000_000

export async function startService(options: ServiceOptions): Promise<TestService> {
  const { clock = systemClock } = options
  const database = await testDatabase('service')
  const content = JSON.stringify(options.config ?? (options.devnet ? devnetConfig() : {}))
  const isApart = inject('apart') && options.env?.['COFFER_ROLE'] === undefined
  const env = { ...environment(options, database.url), ...(isApart && { COFFER_ROLE: 'api' }) }
  const { chainTypes = shippedChainTypes } = options
  const contents: Readonly<Record<string, string>> = { [CONFIG_FILE]: content, ...options.files }
  const config = readConfig(env, (path) => contents[path] ?? '', chainTypes)
  const context = await createContext(config, {
    chainTypes,
    clock,
    logger: createLogger({ level: 'silent' }),
    ...(options.timer && { timer: options.timer }),
    ...(options.wrapHandlers && { wrapHandlers: options.wrapHandlers }),
    ...(options.eventLoopDelayMs && { eventLoopDelayMs: options.eventLoopDelayMs }),
  })
  const ownerKey = await context.makeOwner()
  if (ownerKey === undefined) throw new Error('the database was not empty')
  await database.pool.query(
    'update account set rate_limit_default = $1, rate_limit_portfolio = $1, rate_limit_beacon = $1',
    [TEST_RATE_LIMIT],
  )
  const url = await context.service.app.listen({ host: '127.0.0.1', port: 0 })

  async function get(path: string, headers: Record<string, string> = { authorization: `Bearer ${ownerKey}` }) {
    const response = await patientFetch(url + path, { headers })
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, json: () => JSON.parse(text) as unknown }
  }

  async function newKey(credits: number): Promise<string> {
    return (await keyedAccount(context.database.db, { credits, isLimited: true })).key
  }

  const others: Context[] = []
  async function startOther(role: 'api' | 'worker'): Promise<Context> {
    const other = await createContext(
      { ...config, roles: new Set([role]) },
      {
        ...{ chainTypes, clock, logger: createLogger({ level: 'silent' }) },
        ...(options.timer && { timer: options.timer }),
        ...(options.eventLoopDelayMs && { eventLoopDelayMs: options.eventLoopDelayMs }),
      },
    )
    others.push(other)
    return other
  }
  const startWorker = () => startOther('worker')
  async function startApi(): Promise<{ url: string; client: Client }> {
    const { app } = (await startOther('api')).service
    const url = await app.listen({ host: '127.0.0.1', port: 0 })
    return { url, client: createClient({ baseUrl: url, apiKey: ownerKey as string, fetch: patientFetch, retries: 0 }) }
  }
  if (isApart) await startWorker()

  async function ledgerProblems(): Promise<unknown[]> {
    const violations = await database.pool.query('select * from credit_violation')
    const pending = await database.pool.query('select * from credit_account where pending <> 0')
    return [...violations.rows, ...pending.rows]
  }

  return {
    url,
    ownerKey,
    client: createClient({ baseUrl: url, apiKey: ownerKey, fetch: patientFetch, retries: 0 }),
    context,
    get,
    startWorker,
    startApi,
    databaseUrl: database.url,
    newKey,
    ledgerProblems,
    async stop() {
      await Promise.all(others.map((other) => other.stop()))
      await context.stop()
      const problems = await ledgerProblems()
      await database.drop()
      expect(problems).toEqual([])
    },
  }
}

function throughPooler(databaseUrl: string): string {
  const port = inject('poolerPort')
  const url = new URL(databaseUrl)
  if (port === undefined) return databaseUrl
  url.port = String(port)
  return url.href
}

function environment({ devnet, endpoints = {}, env = {} }: ServiceOptions, databaseUrl: string): Env {
  const ofDevnet = Object.values(devnet?.chains ?? {}).map(({ key, url }): [string, readonly string[]] => [key, [url]])
  const urls = new Map([...ofDevnet, ...Object.entries(endpoints)])
  const rpc = [...urls].map(([chain, list]): [string, string] => [rpcVariable(chain), list.join(',')])
  return {
    DATABASE_URL: throughPooler(databaseUrl),
    ...(inject('postgres').workerUrls.length > 0 && { COFFER_DATABASE: 'citus' }),
    COFFER_DATABASE_CONNECTIONS: CONNECTIONS,
    COFFER_CHAINS: [...urls.keys()].join(','),
    COFFER_LOCAL_CHAINS: [...urls.keys()].join(','),
    ...Object.fromEntries(rpc),
    COFFER_CONFIG: CONFIG_FILE,
    ...env,
  }
}

/** Starts at the real time, as blocks carry real times. */
export function testClock(): Clock & { advance(ms: number): void } {
  let ahead = 0
  return {
    now: () => Date.now() + ahead,
    advance(ms) {
      ahead += ms
    },
  }
}
