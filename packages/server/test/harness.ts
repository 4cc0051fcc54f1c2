import { setTimeout as wait } from 'node:timers/promises'
import { type Client, createClient } from '@coffer/client'
import { type Devnet, devnetConfig } from '@coffer/devnet'
import { inject } from 'vitest'
import { readConfig } from '../src/config/config.ts'
import { type Env, rpcVariable } from '../src/config/env.ts'
import { type Context, createContext, type Overrides } from '../src/context.ts'
import { createAccount } from '../src/features/accounts/accounts.ts'
import { createKey } from '../src/features/keys/keys.ts'
import { openPeppers } from '../src/features/keys/peppers.ts'
import type { ChainKinds } from '../src/kinds/kind.ts'
import { kinds as shippedKinds } from '../src/kinds/kinds.ts'
import { type Clock, systemClock, type Timer } from '../src/lib/clock.ts'
import { createLogger } from '../src/lib/logger.ts'
import { testDatabase } from './database.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Whether the services of the run serve and work in two instances over one database, as API and worker do apart. */
    apart: boolean
  }
}

export type ServiceOptions = {
  /** Content of further files that `env` names, by path. */
  files?: Readonly<Record<string, string>>
  /** The local chains to read, with what the shipped catalog cannot know of them. */
  devnet?: Pick<Devnet, 'chains'>
  /** URLs by chain key, in order of preference; take the place of the devnet's. */
  endpoints?: Readonly<Record<string, readonly string[]>>
  /** The content of `COFFER_CONFIG`; the devnet's unless given. */
  config?: object
  /** The kinds of chains that there are; all that ship unless given. */
  kinds?: ChainKinds
  /** Further variables. */
  env?: Env
  clock?: Clock
  /** Waits for paces of nodes; those of real time unless given. */
  timer?: Timer
  /** Something around the handlers, e.g. a switch that makes them fail. */
  wrapHandlers?: Overrides['wrapHandlers']
  /** How late the event loop runs; what it is measured to be unless given. */
  eventLoopDelayMs?: Overrides['eventLoopDelayMs']
}

/** The whole service in this process, listening on a free port, over a database of its own. `stop` before the test ends. */
export type TestService = {
  url: string
  ownerKey: string
  /** The SDK with the owner's key. */
  client: Client
  context: Context
  /** A GET as it is sent: nothing is added to the path, nothing is checked. */
  get(path: string, headers?: Record<string, string>): Promise<TestResponse>
  /** Another process's worth of the service over the same database, that only works on jobs. `stop` ends it too. */
  startWorker(): Promise<Context>
  /** Another process's worth of the service over the same database, that only serves, with the SDK. `stop` ends it too. */
  startApi(): Promise<{ url: string; client: Client }>
  /** Where its database is, for tools beside it. */
  databaseUrl: string
  /** The key of another account, which may read portfolios, with so many credits. */
  newKey(credits: number): Promise<string>
  /** Every violated rule of the ledger, and every hold that nobody closed: both must be empty. */
  ledgerProblems(): Promise<unknown[]>
  stop(): Promise<void>
}

export type TestResponse = { status: number; headers: Headers; text: string; json(): unknown }

/** How often a request that was shed is sent again, and after how many milliseconds. */
const MOST_TRIES = 100
const AGAIN_MS = 100

/** A machine that is busy with other things sheds requests before their work begins; a client asks again, and so do tests. */
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
/** Far above what a test asks for: the limit itself is another test's. */
const TEST_RATE_LIMIT = 1_000_000

export async function startService(options: ServiceOptions): Promise<TestService> {
  const { clock = systemClock } = options
  const database = await testDatabase('service')
  const content = JSON.stringify(options.config ?? (options.devnet ? devnetConfig() : {}))
  const isApart = inject('apart') && options.env?.['COFFER_ROLE'] === undefined
  const env = { ...environment(options, database.url), ...(isApart && { COFFER_ROLE: 'api' }) }
  const { kinds = shippedKinds } = options
  const contents: Readonly<Record<string, string>> = { [CONFIG_FILE]: content, ...options.files }
  const config = readConfig(env, (path) => contents[path] ?? '', kinds)
  const context = await createContext(config, {
    kinds,
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
    const { db } = context.database
    const account = { name: 'another', plan: 'FREE', entitlements: ['portfolio'], credits } as const
    const { id } = await createAccount(db, account)
    const { key } = await createKey(db, await openPeppers(db, []), { accountId: id, name: 'another' })
    return key
  }

  const others: Context[] = []
  async function startOther(role: 'api' | 'worker'): Promise<Context> {
    const other = await createContext(
      { ...config, roles: new Set([role]) },
      {
        ...{ kinds, clock, logger: createLogger({ level: 'silent' }) },
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
      await database.drop()
    },
  }
}

function environment({ devnet, endpoints = {}, env = {} }: ServiceOptions, databaseUrl: string): Env {
  const ofDevnet = Object.values(devnet?.chains ?? {}).map(({ key, url }): [string, readonly string[]] => [key, [url]])
  const urls = new Map([...ofDevnet, ...Object.entries(endpoints)])
  const rpc = [...urls].map(([chain, list]): [string, string] => [rpcVariable(chain), list.join(',')])
  return {
    DATABASE_URL: databaseUrl,
    COFFER_DATABASE_CONNECTIONS: CONNECTIONS,
    COFFER_CHAINS: [...urls.keys()].join(','),
    COFFER_LOCAL_CHAINS: [...urls.keys()].join(','),
    ...Object.fromEntries(rpc),
    COFFER_CONFIG: CONFIG_FILE,
    ...env,
  }
}

/** A clock that a test moves; it starts at the real time, for blocks carry real times. */
export function testClock(): Clock & { advance(ms: number): void } {
  let ahead = 0
  return {
    now: () => Date.now() + ahead,
    advance(ms) {
      ahead += ms
    },
  }
}
