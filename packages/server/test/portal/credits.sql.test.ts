import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { WalletRead } from '../../src/domain/wallet-read.ts'
import { createCredits, grantCredits } from '../../src/features/credits/credits.ts'
import { viewCredits, viewLedger } from '../../src/features/credits/ledger.ts'
import { saveGap, saveSnapshot } from '../../src/features/snapshots/snapshot-store.ts'
import { insertSubscriptions } from '../../src/features/snapshots/subscriptions.ts'
import { startService } from '../harness.ts'
import { ownAccount } from '../own-data.ts'
import { started } from '../started.ts'
import { heldOf, lendingOf, priceOf, readOf, tokenOf } from '../wallet-reads.ts'
import { accountWithViewer, signedIn } from './portal-caller.ts'

// No node answers and no worker runs: nothing is read, and a started sync does not end.
const service = await started(
  startService({ endpoints: { ethereum: ['http://127.0.0.1:9'] }, env: { COFFER_ROLE: 'api' } }),
)

const [ALICE, BOB] = [
  '0x00000000000000000000000000000000000a11ce',
  '0x0000000000000000000000000000000000000b0b',
] as const
const DAY_MS = 86_400_000
const today = new Date().toISOString().slice(0, 10)

const newAccount = (credits: number) => accountWithViewer(service, credits)

test('the ledger says what each line was for, and what was available after it', async () => {
  const { db, pool } = service.context.database
  const { id, viewer } = await newAccount(100)
  const credits = createCredits({ pool, log: () => undefined })
  await credits.charge(id, 3, 'request-1')
  const hold = await credits.hold(id, 5, { source: 'request', key: 'request-2' })
  if (!hold) throw new Error('no hold')
  const receipt = await credits.post(hold)
  await credits.giveBack(receipt)
  await grantCredits(db, { accountId: id, amount: 10, reference: 'invoice: 7' })
  const line = (kind: string, purpose: string, reference: string | null, change: number, balance: number) => ({
    ...{ id: expect.stringMatching(/^\d+$/), at: expect.any(String), kind, purpose, reference, change, balance },
  })
  const lines = [
    line('grant', 'grant', 'invoice: 7', 10, 107),
    line('refund', 'request', null, 5, 97),
    line('post', 'request', 'request-2', 0, 92),
    line('hold', 'request', 'request-2', -5, 92),
    line('charge', 'request', 'request-1', -3, 97),
    line('grant', 'grant', 'account created', 100, 100),
  ]
  expect((await viewer.call('GET', `/accounts/${id}/ledger`)).body).toEqual({ lines, next: null })

  // By pages, each with the same balances.
  const seen: unknown[] = []
  for (let before: string | null = '999999999999'; before !== null; ) {
    const { body } = await viewer.call('GET', `/accounts/${id}/ledger?limit=4&before=${before}`)
    const page = body as { lines: unknown[]; next: string | null }
    seen.push(...page.lines)
    before = page.next
  }
  expect(seen).toEqual(lines)
  expect((await viewer.call('GET', `/accounts/${id}/ledger?before=x`)).status).toBe(400)
})

test('changes of own data and terms of snapshots are separate, and counted with what they took', async () => {
  const account = await ownAccount({ db: service.context.database.db, url: service.url }, { credits: 5_000 })
  const body = { addresses: [{ address: ALICE }, { address: BOB }] }
  expect((await account.call('POST', '/v1/subscribe-snapshot', body)).status).toBeLessThan(300)
  expect((await account.call('POST', '/v1/subscribe-snapshot', body)).status).toBeLessThan(300)
  await account.call('POST', '/v1/addressbook', { entries: [{ address: ALICE, label: 'a' }] })
  await account.call('POST', '/v1/sync-transactions', { addresses: [ALICE] })
  await account.call('POST', '/v1/sync-transactions', { addresses: [ALICE] })
  const lines = (await viewLedger(service.context.database.db, account.id, { limit: 10 })).lines
  expect(lines.map(({ kind, purpose, change, balance }) => [kind, purpose, change, balance])).toEqual([
    ['refund', 'sync', 1, 2598],
    ['charge', 'sync', -1, 2597],
    ['charge', 'sync', -1, 2598],
    ['charge', 'change', -1, 2599],
    ['charge', 'snapshots', -2400, 2600],
    ['grant', 'grant', 5000, 5000],
  ])
  await service.context.usage.flush()
  const viewer = await signedIn(service, { accountId: account.id, role: 'viewer' })
  const used = (await viewer.call('GET', `/accounts/${account.id}/usage`)).body as { lines: Record<string, unknown>[] }
  expect(used.lines.map(({ endpoint, requests, credits }) => [endpoint, requests, credits])).toEqual([
    ['addToAddressBook', 1, 1],
    ['subscribeSnapshot', 2, 2400],
    ['syncTransactions', 2, 1],
  ])
})

test('how long credits last follows from what was spent in thirty days, net of what was given back', async () => {
  const { db, pool } = service.context.database
  const { id, viewer } = await newAccount(1_000)
  expect(await viewCredits(db, id)).toEqual({ available: 1_000, pending: 0, perDay: '0', lastsUntil: null })
  await sql`update account set created_at = now() - interval '10 days' + interval '1 minute' where id = ${id}`.execute(
    db,
  )
  const credits = createCredits({ pool, log: () => undefined })
  await credits.charge(id, 300, 'a')
  await credits.giveBack(await credits.charge(id, 50, 'b'))
  const hold = await credits.hold(id, 100, { source: 'request', key: 'c' })
  const asked = Date.now()
  const { body } = await viewer.call('GET', `/accounts/${id}/credits`)
  // 300 in 10 days; 600 are left for 20 more.
  expect(body).toMatchObject({ available: 600, pending: 100, perDay: '30' })
  if (hold) await credits.release(hold)
  const until = Date.parse((body as { lastsUntil: string }).lastsUntil)
  expect(Math.abs(until - asked - 20 * DAY_MS)).toBeLessThan(60_000)
  await sql`update account set created_at = now() - interval '1 year' where id = ${id}`.execute(db)
  expect((await viewCredits(db, id)).perDay).toBe('10')
  await credits.charge(id, 1, 'd')
  expect((await viewCredits(db, id)).perDay).toBe('10.033333')
})

test('a quote says what a call would take, and takes nothing', async () => {
  const { db } = service.context.database
  const { id, viewer } = await newAccount(1_500)
  await insertSubscriptions(db, id, [{ address: ALICE, isPassing: false }])
  const quote = async (body: unknown) => viewer.call('POST', `/accounts/${id}/quote`, body)
  expect((await quote({ endpoint: 'subscribeSnapshot', addresses: [ALICE, BOB] })).body).toEqual({
    ...{ credits: 1200, more: null, available: 1500, isEnough: true },
    items: [
      { address: ALICE, credits: 0, why: 'running' },
      { address: BOB, credits: 1200, why: 'new' },
    ],
  })
  const carol = '0x0000000000000000000000000000000000ca401a'
  const two = await quote({ endpoint: 'subscribeSnapshot', addresses: [BOB, carol] })
  expect(two.body).toMatchObject({ credits: 2400, isEnough: false })
  const sync = { endpoint: 'syncTransactions', addresses: [carol] }
  expect((await quote(sync)).body).toEqual({
    ...{ credits: 1, more: { credits: 1, per: 250 }, available: 1500, isEnough: true },
    items: [{ address: carol, credits: 1, why: 'new' }],
  })
  const insert = (state: string, completed: Date | null) =>
    sql`
    insert into history_sync (wallet, account_id, state, requested_at, completed_at, searched_before)
    values (${carol}, ${id}, ${state}, now(), ${completed}, '{}') on conflict (wallet) do update
      set state = excluded.state, completed_at = excluded.completed_at`.execute(db)
  await insert('running', null)
  expect((await quote(sync)).body).toMatchObject({ credits: 0, more: null, items: [{ why: 'running' }] })
  await insert('done', new Date())
  expect((await quote(sync)).body).toMatchObject({ credits: 0, more: null, items: [{ why: 'fresh' }] })
  await insert('done', new Date(Date.now() - 11 * 60_000))
  expect((await quote(sync)).body).toMatchObject({ credits: 1, items: [{ why: 'new' }] })
  expect((await quote({ endpoint: 'getPortfolio', addresses: [carol] })).status).toBe(400)
  expect((await viewCredits(db, id)).available).toBe(1_500)
})

const TOKEN = '0x00000000000000000000000000000000000000aa'
const OWED = '0x00000000000000000000000000000000000000bb'

/** `units`: of a token with 18 decimals, at a price. */
const tokenRead = (wallet: string, units: bigint, usd: string, more: Partial<WalletRead> = {}) =>
  readOf(wallet, {
    ...{ holdings: [heldOf(TOKEN, units * 10n ** 18n)], tokens: [tokenOf(TOKEN, 'T'), tokenOf(OWED, 'O')] },
    ...{ prices: [priceOf(TOKEN, usd)], ...more },
  })

test('a series is the worth of each day that has all snapshots; other days say what is missing', async () => {
  const { db } = service.context.database
  const { id, viewer } = await newAccount(0)
  const day = (back: number) => new Date(Date.parse(today) - back * DAY_MS).toISOString().slice(0, 10)
  await insertSubscriptions(
    db,
    id,
    [ALICE, BOB].map((address) => ({ address, isPassing: false })),
  )
  await sql`update snapshot_subscription set subscribed_at = ${day(4)}::date where account_id = ${id}`.execute(db)
  const keep = (address: string, back: number, read: WalletRead) =>
    saveSnapshot(db, { address, date: day(back), first: null }, [read], [BigInt(id)])
  await keep(ALICE, 4, tokenRead(ALICE, 2n, '1.5'))
  await keep(BOB, 4, tokenRead(BOB, 3n, '0.000000000000000001'))
  await keep(ALICE, 3, tokenRead(ALICE, 2n, '100'))
  await saveGap(db, { address: BOB, date: day(3), first: null }, { chain: 'ethereum', reason: 'no-state' }, [
    BigInt(id),
  ])
  await keep(ALICE, 2, tokenRead(ALICE, 1n, '7', { gaps: [{ reason: 'searching' }] }))
  // A debt of a listed token without a price.
  const owing = lendingOf({ borrowed: [{ token: OWED, amountRaw: 1n }] })
  await keep(BOB, 2, tokenRead(BOB, 1n, '7', { positions: [owing] }))
  await keep(ALICE, 1, tokenRead(ALICE, 1n, '9'))

  const asked = `/accounts/${id}/series?addresses=${ALICE},${BOB}&from=${day(5)}&to=${day(1)}`
  const { status, body } = await viewer.call('GET', asked)
  expect(status).toBe(200)
  expect(body).toEqual({
    currency: 'USD',
    days: [
      {
        date: day(5),
        netWorth: 'N/A',
        gaps: [ALICE, BOB].map((address) => ({ address, reason: 'not-subscribed' })),
        incomplete: [],
      },
      { date: day(4), netWorth: '3.000000000000000003', gaps: [], incomplete: [] },
      {
        date: day(3),
        netWorth: 'N/A',
        gaps: [{ address: BOB, chain: 'ethereum', reason: 'no-state' }],
        incomplete: [],
      },
      {
        date: day(2),
        netWorth: '14',
        gaps: [],
        incomplete: [
          { address: ALICE, chain: 'ethereum', reason: 'searching' },
          { address: BOB, chain: 'ethereum', reason: 'unpriced-debt' },
        ],
      },
      { date: day(1), netWorth: 'N/A', gaps: [{ address: BOB, reason: 'pending' }], incomplete: [] },
    ],
  })
  // Another account has none of them.
  const other = await newAccount(0)
  const theirs = await other.viewer.call('GET', asked.replace(`/accounts/${id}/`, `/accounts/${other.id}/`))
  expect((theirs.body as { days: { netWorth: string }[] }).days.map(({ netWorth }) => netWorth)).toEqual(
    Array.from({ length: 5 }, () => 'N/A'),
  )
  const range = (from: string, to: string) =>
    viewer.call('GET', `/accounts/${id}/series?addresses=${ALICE}&from=${from}&to=${to}`)
  expect((await range('2024-01-01', '2024-12-31')).status).toBe(200)
  expect((await range('2024-01-01', '2025-01-01')).status).toBe(400)
  expect((await range('2024-01-02', '2024-01-01')).status).toBe(400)
})
