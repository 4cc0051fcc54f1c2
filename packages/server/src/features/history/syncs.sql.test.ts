import { afterAll, beforeAll, expect, test } from 'vitest'
import { testDatabase } from '../../../test/database.ts'
import type { EvmAddress } from '../../domain/evm-address.ts'
import { systemClock } from '../../lib/clock.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import { createAccount } from '../accounts/accounts.ts'
import { createHistoryStore } from './history-store.ts'
import { createSyncStore } from './sync-store.ts'
import { createSyncs } from './syncs.ts'

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
  const fail = () => Promise.reject(error)
  return createSyncs({
    chainsOf: () => ['ethereum'],
    histories: { bringUpToDate: fail, follow: fail },
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

test('an error of ours is tried again, and ends the sync with the last try: another one may be asked for', async () => {
  const wallet: EvmAddress = `0x${'5'.repeat(40)}`
  const bug = new TypeError('no such thing')
  const syncs = syncsThatMeet(bug)
  const request = () => database.db.transaction().execute((trx) => syncs.request(trx, accountId, wallet))
  expect(await request()).toBe(true)
  await expect(syncs.run(wallet, false)).rejects.toBe(bug)
  expect(await stateOf(wallet)).toEqual(['running', null])
  expect(await request()).toBe(false)
  await expect(syncs.run(wallet, true)).rejects.toBe(bug)
  expect(await stateOf(wallet)).toEqual(['failed', 'an internal error'])
  expect(await request()).toBe(true)
})

test('a chain that cannot be read ends it at once, with the reason', async () => {
  const wallet: EvmAddress = `0x${'6'.repeat(40)}`
  const syncs = syncsThatMeet(new UpstreamError('timeout', 'the node took too long'))
  await database.db.transaction().execute((trx) => syncs.request(trx, accountId, wallet))
  await syncs.run(wallet, false)
  expect(await stateOf(wallet)).toEqual(['failed', 'the node took too long'])
})
