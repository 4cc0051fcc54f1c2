import type { SyncProgress } from '@coffer/contract'
import { afterAll, expect, test } from 'vitest'
import { testDatabase } from '../../../test/database.ts'
import { accountWith } from '../../../test/ledger/accounts.ts'
import type { PortalCaller } from '../../http/gates.ts'
import { insertEntries } from '../address-book/address-book.ts'
import { openLive } from './module.ts'

const WALLET = '0x00000000000000000000000000000000000a11ce'

const database = await testDatabase('live')
afterAll(() => database.drop())

const running: SyncProgress = {
  ...{ state: 'running', reason: null, action: 'wait', advice: null },
  ...{ requestedAt: '2027-01-01T00:00:00.000Z', newTransactions: 0, chains: [] },
}

test('a page gets the running sync of a saved wallet, and again when it has changed', async () => {
  let progress = running
  const findProgress = async () => () => ({ completedAt: null, progress })
  const live = openLive({ database, history: { findProgress }, logger: { warn: () => undefined } })
  const accountId = await accountWith(database.db, 0)
  await insertEntries(database.db, accountId, [{ address: WALLET, label: 'Alice' }])
  const session = { id: '1', userId: '1', isOperator: false }
  const caller = { accountId, session } as PortalCaller
  const sent: unknown[] = []
  const end = live.listen(caller, (event, data) => void sent.push([event, data]))
  const reported = (sync: SyncProgress) => ['sync', { address: WALLET, sync }]
  await expect.poll(() => sent).toEqual([reported(running)])
  progress = { ...running, newTransactions: 250 }
  await expect.poll(() => sent).toEqual([reported(running), reported(progress)])
  end()
  // The session has ended.
  expect(await live.isAlive(caller)).toBe(false)
})
