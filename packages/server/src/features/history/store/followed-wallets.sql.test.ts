import { beforeEach, describe, expect, test } from 'vitest'
import { suiteDatabase } from '../../../../test/database.ts'
import { makeDue } from '../../../../test/followed-wallets.ts'
import { accountWith } from '../../../../test/ledger/accounts.ts'
import { seededRandom } from '../../../../test/random.ts'
import type { Address } from '../../../domain/address.ts'
import { changeEntry, deleteEntry, insertEntries } from '../../address-book/address-book.ts'
import { insertSubscriptions } from '../../snapshots/subscriptions.ts'
import { insertRequest } from '../sync/sync-store.ts'
import { claimDue, countDue, renewClaim, TOGETHER } from './followed-wallets.ts'
import { createHistoryStore } from './history-store.ts'

const CHAIN = 'ethereum'
const random = seededRandom('followed wallets')

const database = await suiteDatabase('followed_wallets')
const { db, pool } = database
const store = createHistoryStore(db)
const accountId = await accountWith(db, 10)

beforeEach(async () => void (await pool.query('truncate history_follow')))

const claim = () => claimDue(db, CHAIN)
const setState = (wallet: Address, chain = CHAIN, number = 100n) =>
  store.setState({ wallet, chain }, { number, timestamp: 1_700_000_000 })
const request = (wallet: Address) =>
  db.transaction().execute((trx) => insertRequest(trx, { accountId, wallet, now: Date.now() }))
const endSync = (wallet: Address) =>
  pool.query(`update history_sync set state = 'done', completed_at = now() - interval '1 day' where wallet = $1`, [
    wallet,
  ])
const setPlan = (address: Address, expiresAt: Date | null) =>
  changeEntry(
    db,
    { accountId, address },
    { plan: expiresAt ? { plan: 'PRO', expiresAt } : { plan: 'FREE', expiresAt } },
  )
const rows = async () =>
  (await pool.query<{ chain: string; wallet: string }>('select chain, wallet from history_follow order by 1, 2')).rows

/** Followed for a paid plan that ends in an hour, and due in the order given: the first one longest. */
async function followed(count: number, aMinuteEach = true): Promise<Address[]> {
  const wallets = Array.from({ length: count }, () => random.address())
  await insertEntries(
    db,
    accountId,
    wallets.map((address) => ({ address, label: '' })),
  )
  await pool.query(
    `update address_book_entry set plan = 'LITE', expires_at = now() + interval '1 hour' where address = any ($1)`,
    [wallets],
  )
  await store.group.setState(CHAIN, wallets, { number: 100n, timestamp: 1_700_000_000 })
  await pool.query(
    `update history_follow as follow set due_at = now() - (1 + $2::int * ($3 - place)) * interval '1 minute'
    from unnest($1::text[]) with ordinality as of (wallet, place) where follow.wallet = of.wallet`,
    [wallets, aMinuteEach ? 1 : 0, count],
  )
  return wallets
}

const inAnHour = () => new Date(Date.now() + 3_600_000)
const save = (address: Address) => insertEntries(db, accountId, [{ address, label: '' }])
const expire = (table: string, address: Address) =>
  pool.query(`update ${table} set expires_at = now() where address = $1`, [address])

describe.each<{
  reason: string
  begin(wallet: Address): Promise<unknown>
  ends: Record<string, (wallet: Address) => Promise<unknown>>
}>([
  {
    reason: 'a sync that was requested in the last 30 days',
    begin: request,
    ends: {
      'after 30 days': (wallet) =>
        pool.query(`update history_sync set requested_at = now() - interval '30 days' where wallet = $1`, [wallet]),
      'after 60 days': (wallet) =>
        pool.query(`update history_sync set requested_at = now() - interval '60 days' where wallet = $1`, [wallet]),
    },
  },
  {
    reason: 'a paid plan of a saved address',
    async begin(wallet) {
      await save(wallet)
      await setPlan(wallet, inAnHour())
    },
    ends: {
      'when it expires': (wallet) => expire('address_book_entry', wallet),
      'when an operator ends it': (wallet) => setPlan(wallet, null),
      'when the address is removed': (wallet) => deleteEntry(db, accountId, wallet),
    },
  },
  {
    reason: 'a subscription to snapshots',
    begin: (address) => insertSubscriptions(db, accountId, [{ address, isPassing: false }]),
    ends: { 'when it expires': (wallet) => expire('snapshot_subscription', wallet) },
  },
])('$reason', ({ begin, ends }) => {
  test.each(Object.entries(ends))(
    'keeps each whole history of the wallet followed, and no longer %s',
    async (_, end) => {
      const wallet = random.address()
      await begin(wallet)
      // Nothing is whole yet.
      expect([await rows(), await claim()]).toEqual([[], []])
      for (const chain of [CHAIN, 'base']) await setState(wallet, chain)
      expect([await claim(), await claimDue(db, 'base')]).toEqual([[wallet], [wallet]])
      await end(wallet)
      await makeDue(db)
      expect([await claim(), await rows()]).toEqual([[], [{ chain: 'base', wallet }]])
      expect([await claimDue(db, 'base'), await rows()]).toEqual([[], []])
    },
  )

  test('makes a wallet followed again whose histories are whole', async () => {
    const wallet = random.address()
    for (const chain of [CHAIN, 'base']) await setState(wallet, chain)
    for (const chain of [CHAIN, 'base']) expect(await claimDue(db, chain)).toEqual([])
    expect(await rows()).toEqual([])
    await begin(wallet)
    expect(await rows()).toEqual([
      { chain: 'base', wallet },
      { chain: CHAIN, wallet },
    ])
    expect(await claim()).toEqual([wallet])
  })
})

test('a wallet stays followed while one of its reasons lasts', async () => {
  const wallet = random.address()
  await request(wallet)
  await setState(wallet)
  await insertSubscriptions(db, accountId, [{ address: wallet, isPassing: false }])
  await pool.query(`update history_sync set requested_at = now() - interval '60 days' where wallet = $1`, [wallet])
  expect(await claim()).toEqual([wallet])
})

test('a wallet that was left 60 days ago is searched again by the sync that is requested then, and first of all', async () => {
  const [, wallet] = [await followed(1), random.address()]
  await request(wallet)
  await setState(wallet)
  await endSync(wallet)
  await pool.query(`update history_sync set requested_at = now() - interval '60 days' where wallet = $1`, [wallet])
  await pool.query(`update history_follow set due_at = now() - interval '60 days' where wallet = $1`, [wallet])
  expect(await request(wallet)).toBe('begun')
  // The row keeps its time: no round in between removed it.
  const [first] = (await pool.query('select wallet from history_follow order by due_at')).rows
  expect(first).toEqual({ wallet })
  expect(await claim()).toContain(wallet)
})

test('wallets are claimed longest due first, some hundreds at a time', async () => {
  const wallets = await followed(2 * TOGETHER + 1)
  const claims = [await claim(), await claim(), await claim(), await claim()]
  expect(claims.map((some) => some.toSorted())).toEqual([
    wallets.slice(0, TOGETHER).toSorted(),
    wallets.slice(TOGETHER, 2 * TOGETHER).toSorted(),
    wallets.slice(2 * TOGETHER),
    [],
  ])
})

test('wallets that nothing keeps followed do not end a round early', async () => {
  const wallets = await followed(TOGETHER + 1)
  await pool.query('update address_book_entry set expires_at = now() where address = any ($1)', [
    wallets.slice(0, TOGETHER),
  ])
  expect(await claim()).toEqual(wallets.slice(TOGETHER))
  expect(await rows()).toHaveLength(1)
})

test('workers that claim at once never take one wallet twice, and leave none', async () => {
  const wallets = await followed(3_000, false)
  const worker = async (): Promise<Address[]> => {
    const some = await claim()
    return some.length === 0 ? [] : [...some, ...(await worker())]
  }
  const taken = (await Promise.all([worker(), worker(), worker(), worker()])).flat()
  expect(taken).toHaveLength(3_000)
  expect(new Set(taken)).toEqual(new Set(wallets))
})

test('claims of a killed worker are due within a minute; those of a living one are not', async () => {
  const wallets = await followed(4)
  expect(await claim()).toHaveLength(4)
  const [living] = wallets as [Address]
  const pass = (seconds: number) =>
    pool.query('update history_follow set due_at = due_at - make_interval(secs => $1)', [seconds])
  for (const seconds of [15, 15, 15]) {
    await pass(seconds)
    await renewClaim(db, CHAIN, [living])
    expect(await claim()).toEqual([])
  }
  await pass(15)
  expect((await claim()).toSorted()).toEqual(wallets.slice(1).toSorted())
})

test('a claim does not shorten the pause of a failing wallet', async () => {
  const [wallet] = (await followed(1)) as [Address]
  await claim()
  await pool.query(`update history_follow set due_at = now() + interval '1 hour'`)
  await renewClaim(db, CHAIN, [wallet])
  const { rows: later } = await pool.query(`select from history_follow where due_at > now() + interval '59 minutes'`)
  expect(later).toHaveLength(1)
})

test('a reason that is committed during a claim is not lost', async () => {
  const [due, asked] = [(await followed(1)) as [Address], random.address()]
  await setState(asked)
  await db.transaction().execute(async (trx) => {
    await insertRequest(trx, { accountId, wallet: asked, now: Date.now() })
    // Not seen yet: the claim would remove the wallet.
    expect(await claim()).toEqual(due)
  })
  expect(await claim()).toEqual([asked])
})

test('due wallets are counted up to a limit, of the chains given', async () => {
  await followed(3)
  const [wallet] = (await followed(1)) as [Address]
  await setState(wallet, 'base')
  const counts = async (limit: number) =>
    (await countDue(db, ['base', 'gnosis', CHAIN], limit)).map((row) => row.wallets)
  expect([await counts(2), await counts(10)]).toEqual([
    [1, 0, 2],
    [1, 0, 4],
  ])
  await claim()
  expect(await counts(10)).toEqual([1, 0, 0])
})
