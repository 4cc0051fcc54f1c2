import { expect, test } from 'vitest'
import { suiteDatabase } from '../../../../test/database.ts'
import { accountWith } from '../../../../test/ledger/accounts.ts'
import { syncsOf } from '../../../../test/stored-steps.ts'
import type { WalletHistory } from '../../../chains/histories.ts'
import type { Address } from '../../../domain/address.ts'
import type { WalletTransaction } from '../../../domain/transaction.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import type { SyncContext } from '../context.ts'
import { createHistoryStore } from '../store/history-store.ts'
import { requestSync, runSync } from './run-sync.ts'
import { restartLost } from './sync-jobs.ts'
import { findSync } from './sync-store.ts'

const database = await suiteDatabase('syncs')
const { db } = database
const accountId = await accountWith(db, 10)

const walletOf = (digit: number): Address => `0x${String(digit).repeat(40)}`
const signal = new AbortController().signal

const syncsThatSearch = (search: WalletHistory['bringUpToDate'], chains = ['ethereum']) =>
  syncsOf(db, chains, { histories: { bringUpToDate: search, follow: () => expect.unreachable() } })

const request = (syncs: SyncContext, wallet: Address) =>
  db.transaction().execute((trx) => requestSync(syncs, trx, accountId, wallet))

async function stateOf(wallet: Address) {
  const found = await findSync(db, wallet)
  return [found?.state, found?.reason]
}

test('an internal error is retried, and ends the sync after the last try: another sync may be requested', async () => {
  const wallet = walletOf(5)
  const bug = new TypeError('no such thing')
  const syncs = syncsThatSearch(() => Promise.reject(bug))
  expect(await request(syncs, wallet)).toBe('begun')
  await expect(runSync(syncs, signal, wallet, false)).rejects.toBe(bug)
  expect(await stateOf(wallet)).toEqual(['running', null])
  expect(await request(syncs, wallet)).toBe('running')
  await expect(runSync(syncs, signal, wallet, true)).rejects.toBe(bug)
  expect(await stateOf(wallet)).toEqual(['failed', 'an internal error'])
  expect(await request(syncs, wallet)).toBe('begun')
})

test('a chain that cannot be read ends it at once, with the reason', async () => {
  const wallet = walletOf(6)
  const syncs = syncsThatSearch(() => Promise.reject(new UpstreamError('timeout', 'the node took too long')))
  await request(syncs, wallet)
  await runSync(syncs, signal, wallet, false)
  expect(await stateOf(wallet)).toEqual(['failed', 'the node took too long'])
})

test('the result of each chain is reported, regardless of the others', async () => {
  const wallet = walletOf(9)
  const errors: Record<string, Error> = {
    base: new UpstreamError('timeout', 'the node took too long'),
    optimism: new TypeError('words of a bug'),
  }
  const search = async ({ chain }: { chain: string }) => {
    if (errors[chain]) throw errors[chain]
  }
  const syncs = syncsThatSearch(search, ['ethereum', 'base', 'optimism'])
  await request(syncs, wallet)
  await expect(runSync(syncs, signal, wallet, false)).rejects.toBe(errors['optimism'])
  expect(await findSync(db, wallet)).toMatchObject({
    state: 'running',
    chain_ends: {
      ethereum: { state: 'done', reason: null },
      base: { state: 'failed', reason: 'the node took too long' },
      optimism: { state: 'failed', reason: 'an internal error' },
    },
  })
})

test('a run that is asked to end stores nothing more, and leaves the sync to the next run', async () => {
  const wallet = walletOf(7)
  const stopping = new AbortController()
  const reason = new Error('the process stops')
  const syncs = syncsThatSearch(async (of, save) => {
    await save(of, [], { ranges: [{ fromBlock: 50n, toBlock: 99n }], native: [] })
    stopping.abort(reason)
    await save(of, [], { ranges: [{ fromBlock: 0n, toBlock: 49n }], native: [] })
  })
  await request(syncs, wallet)
  await expect(runSync(syncs, stopping.signal, wallet, true)).rejects.toBe(reason)
  expect(await stateOf(wallet)).toEqual(['running', null])
  const covered = await createHistoryStore(db).findCoverage({ wallet, chain: 'ethereum' })
  expect(covered).toEqual([{ fromBlock: 50n, toBlock: 99n }])
})

test('transactions that the last credits pay for are stored with the hashes that reveal a replaced block', async () => {
  const wallet = walletOf(4)
  const poor = await accountWith(db, 1)
  const found = Array.from({ length: 300 }, (_, i): WalletTransaction => {
    const at = { hash: `0x${i}`, block: BigInt(i), blockHash: `0xb${i}`, index: 0, time: i, from: wallet, to: null }
    return { ...at, selector: '0x', succeeded: true, feeRaw: 0n, type: 'TRANSFEROUT', protocol: null, movements: [] }
  })
  const seen = [{ block: 999n, hash: '0xhead' }]
  const ranges = [{ fromBlock: 0n, toBlock: 999n }]
  const syncs = syncsThatSearch((of, save) => save(of, found, { ranges, native: ranges, seen }))
  await db.transaction().execute((trx) => requestSync(syncs, trx, poor, wallet))
  await runSync(syncs, signal, wallet, true)
  expect(await stateOf(wallet)).toEqual(['paused', 'out of credits'])
  expect(await db.selectFrom('history_transaction').select('hash').where('wallet', '=', wallet).execute()).toHaveLength(
    250,
  )
  const { findCoverage, group } = createHistoryStore(db)
  expect(await findCoverage({ wallet, chain: 'ethereum' })).toEqual([])
  expect(await group.findSeenBlocks('ethereum', [wallet])).toEqual(new Map([[wallet, seen]]))
})

test('a sync whose jobs are lost repeatedly fails with its reason, and can be requested again', async () => {
  const wallet = walletOf(8)
  await db.deleteFrom('history_sync').execute()
  const enqueued: object[] = []
  const syncs = syncsThatSearch(() => expect.unreachable())
  const send = async (_: string, data: object) => enqueued.push(data) > 0
  const look = () => restartLost({ ...syncs, jobs: { ...syncs.jobs, send } }, signal)
  expect(await request(syncs, wallet)).toBe('begun')
  for (let lost = 1; lost <= 3; lost += 1) await look()
  expect(await stateOf(wallet)).toEqual(['running', null])
  expect(enqueued).toEqual(Array.from({ length: 3 }, () => ({ wallet })))
  await look()
  expect(await stateOf(wallet)).toEqual(['failed', 'all runs were cut off before their end'])
  expect(enqueued).toHaveLength(3)
  expect(await request(syncs, wallet)).toBe('begun')
  await look()
  expect(await stateOf(wallet)).toEqual(['running', null])
})
