import { afterAll, beforeAll, expect, test } from 'vitest'
import { testDatabase } from '../../../../test/database.ts'
import type { WalletHistory } from '../../../chains/histories.ts'
import type { EvmAddress } from '../../../domain/evm-address.ts'
import { systemClock } from '../../../lib/clock.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import { createAccount } from '../../accounts/accounts.ts'
import { createHistoryStore } from '../store/history-store.ts'
import { createSyncs } from './run-sync.ts'
import { createRestartLost } from './sync-jobs.ts'
import { createSyncRestarts, createSyncStore } from './sync-store.ts'

let database: Awaited<ReturnType<typeof testDatabase>>
let accountId: string
beforeAll(async () => {
  database = await testDatabase('syncs')
  const account = { name: 'syncs', plan: 'FREE', entitlements: ['portfolio'], credits: 10 } as const
  accountId = (await createAccount(database.db, account)).id
})
afterAll(() => database.drop())

/** Syncs of a chain whose search ends with this error. */
function syncsThatMeet(error: Error) {
  return syncsThatSearch(() => Promise.reject(error))
}

function syncsThatSearch(search: WalletHistory['bringUpToDate'], chains: readonly string[] = ['ethereum']) {
  return createSyncs({
    chainsOf: () => chains,
    histories: { bringUpToDate: search, follow: () => expect.unreachable() },
    store: createHistoryStore(database.db),
    syncs: createSyncStore(database.db),
    complete: async () => undefined,
    enqueue: async () => undefined,
    wake: () => undefined,
    clock: systemClock,
    log: { warn: () => undefined },
  })
}

async function stateOf(wallet: EvmAddress) {
  const found = (await createSyncStore(database.db).find([wallet])).get(wallet)
  return [found?.state, found?.reason]
}

test('an internal error is retried, and ends the sync after the last try: another sync may be requested', async () => {
  const wallet: EvmAddress = `0x${'5'.repeat(40)}`
  const bug = new TypeError('no such thing')
  const syncs = syncsThatMeet(bug)
  const request = () => database.db.transaction().execute((trx) => syncs.request(trx, accountId, wallet))
  expect(await request()).toBe('begun')
  await expect(syncs.run(new AbortController().signal, wallet, false)).rejects.toBe(bug)
  expect(await stateOf(wallet)).toEqual(['running', null])
  expect(await request()).toBe('running')
  await expect(syncs.run(new AbortController().signal, wallet, true)).rejects.toBe(bug)
  expect(await stateOf(wallet)).toEqual(['failed', 'an internal error'])
  expect(await request()).toBe('begun')
})

test('a chain that cannot be read ends it at once, with the reason', async () => {
  const wallet: EvmAddress = `0x${'6'.repeat(40)}`
  const syncs = syncsThatMeet(new UpstreamError('timeout', 'the node took too long'))
  await database.db.transaction().execute((trx) => syncs.request(trx, accountId, wallet))
  await syncs.run(new AbortController().signal, wallet, false)
  expect(await stateOf(wallet)).toEqual(['failed', 'the node took too long'])
})

test('the result of each chain is reported, regardless of the others', async () => {
  const wallet: EvmAddress = `0x${'9'.repeat(40)}`
  const errors: Record<string, Error> = {
    base: new UpstreamError('timeout', 'the node took too long'),
    optimism: new TypeError('words of a bug'),
  }
  const search = async ({ chain }: { chain: string }) => {
    const error = errors[chain]
    if (error) throw error
  }
  const syncs = syncsThatSearch(search, ['ethereum', 'base', 'optimism'])
  await database.db.transaction().execute((trx) => syncs.request(trx, accountId, wallet))
  await expect(syncs.run(new AbortController().signal, wallet, false)).rejects.toBe(errors['optimism'])
  const { chain_ends, state } = await database.db
    .selectFrom('history_sync')
    .selectAll()
    .where('wallet', '=', wallet)
    .executeTakeFirstOrThrow()
  expect([state, chain_ends]).toEqual([
    'running',
    {
      ethereum: { state: 'done', reason: null },
      base: { state: 'failed', reason: 'the node took too long' },
      optimism: { state: 'failed', reason: 'an internal error' },
    },
  ])
})

test('a run that is asked to end stores nothing more, and leaves the sync to the next run', async () => {
  const wallet: EvmAddress = `0x${'7'.repeat(40)}`
  const stopping = new AbortController()
  const reason = new Error('the process stops')
  const syncs = syncsThatSearch(async (of, save) => {
    await save(of, [], { ranges: [{ fromBlock: 50n, toBlock: 99n }], native: [] })
    stopping.abort(reason)
    await save(of, [], { ranges: [{ fromBlock: 0n, toBlock: 49n }], native: [] })
  })
  await database.db.transaction().execute((trx) => syncs.request(trx, accountId, wallet))
  await expect(syncs.run(stopping.signal, wallet, true)).rejects.toBe(reason)
  expect(await stateOf(wallet)).toEqual(['running', null])
  const covered = await createHistoryStore(database.db).findCoverage({ wallet, chain: 'ethereum' })
  expect(covered).toEqual([{ fromBlock: 50n, toBlock: 99n }])
})

test('a sync whose jobs are lost repeatedly fails with its reason, and can be requested again', async () => {
  const wallet: EvmAddress = `0x${'8'.repeat(40)}`
  await database.db.deleteFrom('history_sync').execute()
  const enqueued: string[] = []
  const syncs = syncsThatSearch(() => expect.unreachable())
  const request = () => database.db.transaction().execute((trx) => syncs.request(trx, accountId, wallet))
  const restartLost = createRestartLost({
    db: database.db,
    syncs: { ...createSyncStore(database.db), ...createSyncRestarts(database.db) },
    findWithoutJob: async (running) => [...running],
    enqueue: async (_, lost) => void enqueued.push(lost),
    wake: () => undefined,
    clock: systemClock,
    log: { warn: () => undefined },
  })
  const look = () => restartLost(new AbortController().signal)
  expect(await request()).toBe('begun')
  for (let lost = 1; lost <= 3; lost += 1) await look()
  expect(await stateOf(wallet)).toEqual(['running', null])
  expect(enqueued).toEqual(Array.from({ length: 3 }, () => wallet))
  await look()
  expect(await stateOf(wallet)).toEqual(['failed', 'all runs were cut off before their end'])
  expect(enqueued).toHaveLength(3)
  expect(await request()).toBe('begun')
  await look()
  expect(await stateOf(wallet)).toEqual(['running', null])
})
