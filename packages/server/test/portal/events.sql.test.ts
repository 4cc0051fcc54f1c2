import { expect, test } from 'vitest'
import { insertEntries } from '../../src/features/address-book/address-book.ts'
import { createWalletReadStore } from '../../src/wallets/wallet-read-store.ts'
import { listenTo } from '../event-reader.ts'
import { startService, type TestService } from '../harness.ts'
import { started } from '../started.ts'
import { readOf } from '../wallet-reads.ts'
import { accountWithViewer, type PortalUser, signedIn } from './portal-caller.ts'

const WALLET = '0x00000000000000000000000000000000000a11ce'
/** Reported after the other. */
const LAST = '0x00000000000000000000000000000000000b0b00'

const service = await started(startService({ endpoints: { ethereum: ['http://127.0.0.1:9'] } }))

const newAccount = () => accountWithViewer(service)

const listen = ({ url }: TestService, accountId: string, cookie: string) =>
  listenTo(`${url}/portal/api/accounts/${accountId}/events`, { cookie }, { hasIds: false })

const setSync = (accountId: string, state: string, stored: number, wallet = WALLET) =>
  service.context.database.pool.query(
    `insert into history_sync (wallet, account_id, state, requested_at, stored, searched_before, completed_at)
     values ($1, $2, $3, now(), $4, '{}', case when $3 = 'done' then now() end)
     on conflict (wallet) do update set state = excluded.state, stored = excluded.stored, completed_at = excluded.completed_at`,
    [wallet, accountId, state, stored],
  )

test('a sync is reported to its end, and reads that end, only to the account that has the wallet', async () => {
  const { db } = service.context.database
  const [own, other] = [await newAccount(), await newAccount()]
  const payer = await newAccount()
  await insertEntries(db, own.id, [{ address: WALLET, label: 'a' }])
  await setSync(payer.id, 'running', 3)
  const stream = await listen(service, own.id, own.viewer.cookie)
  const silent = await listen(service, other.id, other.viewer.cookie)
  expect(stream.status).toBe(200)
  expect(stream.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  expect(stream.headers.get('access-control-allow-origin')).toBeNull()
  const sync = (state: string, newTransactions: number) => ({
    event: 'sync',
    data: { address: WALLET, sync: expect.objectContaining({ state, newTransactions }) },
  })
  expect(await stream.next()).toEqual(sync('running', 3))
  await setSync(payer.id, 'done', 7)
  expect(await stream.next()).toEqual(sync('done', 7))
  const read = readOf(WALLET, { block: 17n, blockTime: 1_700_000_000, readAt: 1_700_000_001_000 })
  await createWalletReadStore(db).save(read, [])
  expect(await stream.next()).toEqual({
    event: 'read',
    data: { address: WALLET, chain: 'ethereum', block: '17', readAt: '2023-11-14T22:13:21.000Z' },
  })
  stream.leave()
  // The other account got no event: its first one is about its own wallet.
  await insertEntries(db, other.id, [{ address: WALLET, label: 'b' }])
  expect(await silent.next()).toEqual(sync('done', 7))
  silent.leave()
  // Searches that ended before are not reported, running ones are.
  await insertEntries(db, own.id, [{ address: LAST, label: 'c' }])
  await setSync(payer.id, 'running', 0, LAST)
  const late = await listen(service, own.id, own.viewer.cookie)
  expect(await late.next()).toEqual({ event: 'sync', data: expect.objectContaining({ address: LAST }) })
  late.leave()
})

test('a stream needs a session that may see the account; of one session the newest four continue', async () => {
  const [own, other] = [await newAccount(), await newAccount()]
  const statusOf = async (accountId: string, { cookie }: Pick<PortalUser, 'cookie'>) => {
    const { status, leave } = await listen(service, accountId, cookie)
    leave()
    return status
  }
  expect(await statusOf(own.id, { cookie: '' })).toBe(401)
  expect(await statusOf(own.id, { cookie: `coffer=${'A'.repeat(43)}` })).toBe(401)
  expect(await statusOf(own.id, other.viewer)).toBe(404)
  const withKey = await fetch(`${service.url}/portal/api/accounts/1/events`, {
    headers: { authorization: `Bearer ${service.ownerKey}` },
  })
  expect(withKey.status).toBe(401)
  const open = () => listen(service, own.id, own.viewer.cookie)
  const oldest = await open()
  const others = await Promise.all([open(), open(), open()])
  const fifth = await open()
  expect(fifth.status).toBe(200)
  expect([await oldest.next(), await oldest.next()]).toEqual([{ event: 'replaced', data: {} }, undefined])
  for (const { leave } of [...others, fifth]) leave()
})

test('operators hear of queues', async () => {
  const operator = await signedIn(service, 'operator')
  const stream = await listen(service, '1', operator.cookie)
  expect(await stream.next()).toEqual({
    event: 'jobs',
    data: { queues: expect.arrayContaining([expect.objectContaining({ name: 'sync-wallet' })]) },
  })
  stream.leave()
})

test('a shutdown ends streams and waits for none', async () => {
  const stopped = await startService({})
  const operator = await signedIn(stopped, 'operator')
  const stream = await listen(stopped, '1', operator.cookie)
  expect(stream.status).toBe(200)
  const stopping = stopped.stop()
  while ((await stream.next()) !== undefined);
  await stopping
})
