import { startDevnet } from '@coffer/devnet'
import { parseUnits } from 'viem'
import { expect, inject, test } from 'vitest'
import { insertEntries } from '../../src/features/address-book/address-book.ts'
import { endSync } from '../../src/features/history/sync/sync-store.ts'
import { saveGap } from '../../src/features/snapshots/snapshot-store.ts'
import { listenTo } from '../event-reader.ts'
import { startService, testClock } from '../harness.ts'
import { started } from '../started.ts'
import { startReceiver } from '../webhook-receiver.ts'

const WALLET = '0x00000000000000000000000000000000000a11ce'

const clock = testClock()

const receiver = await started(startReceiver((_, response) => response.end()))
const devnet = await started(startDevnet({ state: inject('devnetState') }))
const service = await started(
  startService({
    ...{ endpoints: { ethereum: [devnet.chains.ethereum.url] }, clock },
    env: { COFFER_WEBHOOK_NETWORKS: '127.0.0.1', COFFER_MASTER_KEY: '6'.repeat(64) },
  }),
)
await insertEntries(service.context.database.db, '1', [{ address: WALLET, label: 'a' }])

function listen(headers: Record<string, string> = {}) {
  const authorization = `Bearer ${service.ownerKey}`
  return listenTo(`${service.url}/v1/events`, { authorization, ...headers }, { hasIds: true })
}

/** A sync of the wallet that ended with `state`. */
async function syncEnds(state: 'done' | 'failed', reason: string | null): Promise<void> {
  const { db, pool } = service.context.database
  await pool.query(
    `insert into history_sync (wallet, account_id, state, requested_at, stored, searched_before)
      values ($1, 1, 'running', now(), 7, '{}') on conflict (wallet) do update set state = 'running'`,
    [WALLET],
  )
  await endSync(db, WALLET, { state, reason }, Date.now())
}

const missDay = (date: string) =>
  saveGap(
    service.context.database.db,
    { address: WALLET, date, first: null },
    { chain: 'ethereum', reason: 'no-state' },
    [1n],
  )

test('events come as a stream that is resumed where it was left, and to a webhook with the same ids', async () => {
  const stream = await listen()
  expect(stream.status).toBe(200)
  expect(stream.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  expect(stream.headers.get('access-control-allow-origin')).toBe('*')
  expect(stream.headers.get('x-ratelimit-limit')).not.toBeNull()
  expect(await stream.next()).toEqual({ id: 'evt_0', event: 'ready', data: {} })
  const url = `${receiver.url}/hook`
  const { data } = await service.client.createWebhook({ body: { url, kinds: ['sync.ended', 'snapshot.missed'] } })
  await syncEnds('done', null)
  const ended = await stream.next()
  expect(ended).toMatchObject({
    ...{ id: 'evt_1', event: 'sync.ended' },
    data: { type: 'sync.ended', data: { address: WALLET, state: 'done', reason: null, newTransactions: 7 } },
  })
  stream.leave()
  // Two more events without a listener. A second gap on the same day is not an event.
  await missDay('2026-01-02')
  await missDay('2026-01-02')
  await syncEnds('failed', 'pruned')
  const again = await listen({ 'last-event-id': 'evt_1' })
  expect(await again.next()).toEqual({ id: 'evt_1', event: 'ready', data: {} })
  expect(await again.next()).toMatchObject({
    ...{ id: 'evt_2', event: 'snapshot.missed' },
    data: { data: { address: WALLET, date: '2026-01-02', chain: 'ethereum', reason: 'no-state' } },
  })
  expect(await again.next()).toMatchObject({ id: 'evt_3', event: 'sync.ended' })
  again.leave()
  const params = { webhookId: data.id }
  await expect
    .poll(async () => {
      const page = await service.client.listWebhookDeliveries({ params, query: { state: 'delivered' } })
      return page.data.map(({ messageId }) => messageId)
    })
    .toEqual(['evt_3', 'evt_2', 'evt_1'])
  expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual(['evt_1', 'evt_2', 'evt_3'])
})

test('a stream needs a key, and an id that is one', async () => {
  expect((await listen({ authorization: 'Bearer coffer_no' })).status).toBe(401)
  expect((await listen({ 'last-event-id': '17' })).status).toBe(400)
  const outsider = await service.newKey(0)
  const other = await listen({ authorization: `Bearer ${outsider}`, 'last-event-id': 'evt_0' })
  expect(await other.next()).toMatchObject({ event: 'ready' })
  await syncEnds('done', null)
  const own = await listen({ 'last-event-id': 'evt_3' })
  await own.next()
  expect(await own.next()).toMatchObject({ event: 'sync.ended' })
  // The other account gets only its own events.
  await saveGap(
    service.context.database.db,
    { address: WALLET, date: '2026-01-03', first: null },
    { chain: 'ethereum', reason: 'unreadable' },
    [2n],
  )
  expect(await other.next()).toMatchObject({ event: 'snapshot.missed', data: { data: { date: '2026-01-03' } } })
  own.leave()
  other.leave()
})

/** Makes all watches due and runs the job. */
async function look(job: string): Promise<void> {
  await service.context.database.pool.query('update watch set checked_at = null')
  await service.context.jobs.send(job, {}, { singletonKey: 'now' })
}

async function untilKnown(state: string): Promise<void> {
  const states = async () => (await service.client.listWatches()).data.map((watch) => watch.state)
  await expect.poll(states).toContain(state)
}

test('a watched value is reported when it crosses a threshold, and an account cannot watch what it may not see', async () => {
  const { actions, addresses } = devnet.chains.ethereum
  const { usdc } = addresses.tokens
  const stream = await listen()
  expect(await stream.next()).toMatchObject({ event: 'ready' })
  const { data: balance } = await service.client.createWatch({
    body: { type: 'balance', address: WALLET, chain: 'ethereum', contract: usdc, direction: 'above', threshold: '5' },
  })
  await look('watch-wallets')
  await untilKnown('clear')
  await actions.erc20.mint(usdc, WALLET, parseUnits('6.25', 6))
  // Longer than a read is fresh.
  clock.advance(61_000)
  await look('watch-wallets')
  expect(await stream.next()).toMatchObject({
    event: 'balance.threshold',
    data: { data: { watchId: balance.id, address: WALLET, chain: 'ethereum', value: '6.25', threshold: '5' } },
  })
  await service.client.removeWatch({ params: { watchId: balance.id } })

  const left = await service.client.getCredits()
  const { data: credits } = await service.client.createWatch({ body: { type: 'credits', threshold: String(left) } })
  await look('watch-credits')
  await untilKnown('clear')
  await service.client.listAddressBook()
  await look('watch-credits')
  const value = String(left - 1)
  expect(await stream.next()).toMatchObject({
    event: 'credits.low',
    data: { data: { watchId: credits.id, threshold: String(left), value } },
  })
  stream.leave()

  const outsider = await service.newKey(0)
  const create = async (body: object) => {
    const headers = { authorization: `Bearer ${outsider}`, 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body: JSON.stringify(body) }
    return (await fetch(`${service.url}/v1/watches`, init)).status
  }
  expect(await create({ type: 'validator', validator: '7' })).toBe(403)
  expect(await create({ type: 'credits', threshold: '1.5' })).toBe(400)
  expect(await create({ type: 'airdrops', address: WALLET })).toBe(400)
  expect(await create({ type: 'netWorth', address: WALLET, direction: 'above', threshold: '1e3' })).toBe(400)
  expect(await create({ type: 'netWorth', address: WALLET, direction: 'above', threshold: '1000' })).toBe(201)
})
