import { PassThrough } from 'node:stream'
import { afterEach, expect, test } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { type Context, createContext } from '../../src/context.ts'
import { createLogger } from '../../src/lib/logger.ts'
import { testDatabase } from '../database.ts'

const opened: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close()
})

/** Starts the service with these settings. `said`: its output at the start. */
async function start(env: Record<string, string>): Promise<{ context: Context; said: string }> {
  const database = await testDatabase('beacon')
  opened.push(database.drop)
  const stream = new PassThrough()
  const settings = { DATABASE_URL: database.url, COFFER_CHAINS: 'base', COFFER_RPC_BASE: 'http://127.0.0.1:9', ...env }
  const config = readConfig(settings, () => '')
  const context = await createContext(config, { logger: createLogger({ level: 'info', stream }) })
  opened.push(context.stop)
  return { context, said: String(stream.read() ?? '') }
}

const VALIDATOR = '/v1/beacon/validators'
const REWARDS = 'rangeType=epoch&rangeFrom=1&rangeTo=2&granularity=epoch'

const AWAY = [502, 'text/plain; charset=utf-8', 'A source that this answer needs could not be read']
const NOT_SET = [
  501,
  'application/json; charset=utf-8',
  '{"error":"Validators are not read here: the operator has not set COFFER_BEACON_URL"}',
]

test.each([
  ['is not set', {}, 'COFFER_BEACON_URL is not set', NOT_SET],
  [
    'names a node that is away',
    { COFFER_BEACON_URL: 'http://127.0.0.1:9/key' },
    'COFFER_RPC_ETHEREUM is not set',
    AWAY,
  ],
])('where COFFER_BEACON_URL %s the routes say so, and so does the start', async (_what, env, words, expected) => {
  const { context, said } = await start(env)
  expect(said).toContain(words)
  expect(said).not.toContain('127.0.0.1:9/key')
  const headers = { authorization: `Bearer ${await context.makeOwner()}` }
  for (const path of ['details/index/3', `rewards/index/3?${REWARDS}`, 'withdrawals/index/3', 'deposits/index/3']) {
    const answer = await context.service.app.inject({ url: `${VALIDATOR}/${path}`, headers })
    expect([answer.statusCode, answer.headers['content-type'], answer.body], path).toEqual(expected)
  }
})
