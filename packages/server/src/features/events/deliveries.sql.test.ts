import { createHmac } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { suiteDatabase } from '../../../test/database.ts'
import { accountWith } from '../../../test/ledger/accounts.ts'
import { seededRandom } from '../../../test/random.ts'
import { sized } from '../../../test/sized.ts'
import { startReceiver } from '../../../test/webhook-receiver.ts'
import { httpRequest } from '../../lib/http-client.ts'
import { createReach } from '../../lib/public-network.ts'
import { secret } from '../../lib/secret.ts'
import { createMasterKeys } from '../secrets/master-keys.ts'
import { openVault } from '../secrets/secret-vault.ts'
import { createDeliveries } from './deliveries.ts'
import { claimQueues, nextOfQueue, noteDelivered } from './delivery-queue-store.ts'
import { moveOutbox, reportToAccounts } from './outbox.ts'
import {
  createWebhook,
  listDeliveries,
  removeWebhook,
  replayDeliveries,
  rotateSecret,
  selectWebhooks,
  testWebhook,
  updateWebhook,
} from './webhooks.ts'

const database = await suiteDatabase('deliveries')
const { db, pool } = database
const keys = createMasterKeys({ configured: [secret('1'.repeat(64))], dataDir: '' })
const vault = await openVault(db, keys)
const reach = createReach(['127.0.0.0/8'])
const context = { db, vault, reach }
const quiet = { warn: () => undefined }

const parts = { ...context, request: httpRequest, clock: { now: () => Date.now() }, log: quiet }
const setClock = (seconds: number) =>
  pool.query(
    `create or replace function coffer_now() returns timestamptz language sql stable as $$ select timestamptz '2027-01-01T00:00:00Z' + interval '${seconds} seconds' $$`,
  )

const FIRST_MOMENT = { from: '2027-01-01T00:00:00.000Z', to: '2027-01-01T00:00:00.000Z' }

let account = ''
beforeEach(async () => {
  await setClock(0)
  // Disables the webhooks of earlier tests.
  await pool.query('update webhook set enabled = false')
  account = await accountWith(db, 0)
})

const tell = (subjects: readonly string[], from = 0) =>
  reportToAccounts(
    db,
    'sync.ended',
    [BigInt(account)],
    // Delivered data may have any form.
    subjects.map((subject, i) => ({ subject, data: { subject, n: from + i } as never })),
  )
const newWebhook = (url: string) => createWebhook(context, account, { url, kinds: ['sync.ended'] })
const statesOf = async (id: string) => {
  const { rows } = await pool.query<{ state: string; count: number }>(
    'select state, count(*)::integer as count from webhook_delivery where webhook_id = $1 group by state',
    [id],
  )
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]))
}

async function deliverAll(deliveries = createDeliveries(parts)): Promise<void> {
  await deliveries.look()
  await deliveries.settle()
}

test('an event arrives once, signed by its secret, and both secrets sign while one is replaced', async () => {
  const receiver = await startReceiver((_, response) => response.end('thanks'))
  const { data, secret: first } = await newWebhook(`${receiver.url}/hook?x=1`)
  await tell(['a'])
  await deliverAll()
  await deliverAll()
  expect(receiver.received).toHaveLength(1)
  const [one] = receiver.received
  expect(one?.path).toBe('/hook?x=1')
  const body = '{"type":"sync.ended","timestamp":"2027-01-01T00:00:00.000Z","data":{"n":0,"subject":"a"}}'
  expect(one?.body).toBe(body)
  const signed = (text: string, { headers, body: content }: NonNullable<typeof one>) =>
    `v1,${createHmac('sha256', Buffer.from(text.slice(6), 'base64'))
      .update(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${content}`)
      .digest('base64')}`
  expect(one?.headers['webhook-signature']).toBe(signed(first, one as never))
  const { secret: second } = await rotateSecret(context, { accountId: account, id: data.id }, 1)
  await tell(['a'], 1)
  await deliverAll()
  const two = receiver.received[1] as NonNullable<typeof one>
  expect(two.headers['webhook-signature']).toBe(`${signed(second, two)} ${signed(first, two)}`)
  await setClock(3_601)
  await tell(['a'], 2)
  await deliverAll()
  const three = receiver.received[2] as NonNullable<typeof one>
  expect(three.headers['webhook-signature']).toBe(signed(second, three))
  const page = await listDeliveries(context, { accountId: account, id: data.id }, { limit: 2 })
  expect(page.data[1]).toMatchObject({ state: 'delivered', attempts: 1, status: 200, response: 'thanks', error: null })
  expect(page.next).not.toBeNull()
  await receiver.stop()
})

test('a receiver that fails at times and is dead for an hour gets everything, in order within a subject', async () => {
  const random = seededRandom('webhook deliveries')
  const total = sized({ small: 300, deep: 100_000 })
  let dead = false
  const got = new Map<string, number[]>()
  const ids = new Map<string, string>()
  const receiver = await startReceiver(({ headers, body }, response) => {
    const isHeard = !dead && random.index(10) >= 3
    const { subject, n } = (JSON.parse(body) as { data: { subject: string; n: number } }).data
    const id = String(headers['webhook-id'])
    // All attempts for one event have the same ID.
    expect(ids.get(id) ?? `${n}`).toBe(`${n}`)
    ids.set(id, `${n}`)
    if (isHeard) got.set(subject, [...(got.get(subject) ?? []), n])
    // In some cases the receiver has taken the event, but its answer is lost.
    if (isHeard && random.index(100) === 0) response.destroy()
    else response.writeHead(isHeard ? 204 : 500).end()
  })
  const { data } = await newWebhook(receiver.url)
  const subjectOf = (n: number) => `subject ${n % (total / 20)}`
  const reported = Array.from({ length: total }, (_, n) => subjectOf(n))
  for (let from = 0; from < total; from += 1_000) await tell(reported.slice(from, from + 1_000), from)
  const both = [createDeliveries(parts), createDeliveries(parts)]
  for (let seconds = 0, left = total; left > 0; seconds += 1_800) {
    dead = seconds > 1_800 && seconds <= 5_400
    await setClock(seconds)
    await Promise.all(both.map(deliverAll))
    left = (await statesOf(data.id))['waiting'] ?? 0
    if (seconds > 2 * 86_400) throw new Error('it does not end')
  }
  for (const [subject, numbers] of got) {
    const first = numbers.filter((n, i) => numbers.indexOf(n) === i)
    expect(first).toEqual(reported.flatMap((one, n) => (one === subject ? [n] : [])))
    // A repeated event directly follows itself: no later one came before it.
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
  }
  expect([...got.values()].flat().length).toBeGreaterThanOrEqual(total)
  expect(ids.size).toBe(total)
  expect(await statesOf(data.id)).toEqual({ delivered: total })
  await receiver.stop()
})

test('what a process took and did not mark comes back, and its late mark counts for nothing', async () => {
  const receiver = await startReceiver((_, response) => response.end())
  await newWebhook(receiver.url)
  await tell(['a', 'a'])
  await moveOutbox(db)
  const [queue] = await claimQueues(db, { busy: [], limit: 10 })
  const [first] = queue ? await nextOfQueue(db, queue, 10) : []
  if (!queue || !first) throw new Error('nothing to take')
  // Sent but not marked, because the process died.
  await deliverAll()
  expect(receiver.received).toHaveLength(0)
  await setClock(61)
  await deliverAll()
  expect(receiver.received.map(({ body }) => (JSON.parse(body) as { data: { n: number } }).data.n)).toEqual([0, 1])
  expect(await noteDelivered(db, queue, first.id, { status: 200, error: null, response: '' })).toBe(false)
  await receiver.stop()
})

test('one slow receiver keeps nothing from another', async () => {
  const held: (() => void)[] = []
  const slow = await startReceiver((_, response) => held.push(() => response.end()))
  const quick = await startReceiver((_, response) => response.end())
  await newWebhook(slow.url)
  const { data } = await newWebhook(quick.url)
  await tell(Array.from({ length: 60 }, (_, i) => `subject ${i}`))
  const deliveries = createDeliveries(parts)
  await deliveries.look()
  for (let waiting = 1; waiting > 0; ) {
    await deliveries.look()
    waiting = (await statesOf(data.id))['waiting'] ?? 0
  }
  expect(quick.received).toHaveLength(60)
  expect(slow.received.length).toBeLessThanOrEqual(11)
  const stopped = deliveries.stop()
  for (const release of held) release()
  await stopped
  await slow.stop()
  await quick.stop()
})

test('redirects are not followed, answers are cut, and after three days a delivery is given up', async () => {
  let hits = 0
  const receiver = await startReceiver(({ path }, response) => {
    hits += 1
    if (path === '/there') response.writeHead(200).end()
    else response.writeHead(302, { location: '/there' }).end(`\u0000${'x'.repeat(1_000_000)}`)
  })
  const { data } = await newWebhook(receiver.url)
  const own = { accountId: account, id: data.id }
  await tell(['a', 'a', 'b'])
  await deliverAll()
  expect(hits).toBe(2)
  const { data: shown } = await listDeliveries(context, own, { state: 'waiting', limit: 10 })
  expect(shown.map(({ attempts }) => attempts).toSorted()).toEqual([0, 1, 1])
  const tried = shown.find(({ attempts }) => attempts === 1)
  expect(tried).toMatchObject({ status: 302, error: 'answered 302: redirects are not followed' })
  expect(tried?.response).toBe('x'.repeat(1_000))
  expect(shown.map(({ nextAttemptAt }) => nextAttemptAt)).toEqual(Array(3).fill('2027-01-01T00:00:05.000Z'))
  await setClock(3 * 86_400 + 1)
  await deliverAll()
  expect(hits).toBe(4)
  expect(await statesOf(data.id)).toEqual({ dead: 3 })
  expect((await selectWebhooks(db, account))[0]).toMatchObject({ waiting: 0, dead: 3 })
  const { data: given } = await listDeliveries(context, own, { state: 'dead', limit: 1 })
  expect(given[0]).toMatchObject({ attempts: expect.any(Number), nextAttemptAt: null })
  // Replayed events go to the webhook's current URL, in order.
  await updateWebhook(context, own, { url: `${receiver.url}/there` })
  receiver.received.length = 0
  const span = { from: '2027-01-01T00:00:00.000Z', to: '2027-01-01T00:00:00.000Z', state: 'dead' } as const
  expect(await replayDeliveries(context, own, span)).toBe(3)
  expect(await replayDeliveries(context, own, span)).toBe(0)
  await setClock(3 * 86_400 + 100)
  await deliverAll()
  expect(await statesOf(data.id)).toEqual({ delivered: 3 })
  const order = receiver.received.map(({ body }) => (JSON.parse(body) as { data: { n: number } }).data.n)
  expect(order.filter((n) => n < 2)).toEqual([0, 1])
  await receiver.stop()
})

test('what is replayed does not wait for hours that failures made, and leaves a queue to the process that has it', async () => {
  const receiver = await startReceiver((_, response) => response.end())
  const { data } = await newWebhook(receiver.url)
  await tell(['a'])
  await deliverAll()
  const queueIn = (span: string) =>
    pool.query(`update webhook_lane set next_at = coffer_now() + interval '${span}' where webhook_id = $1`, [data.id])
  const again = () => replayDeliveries(context, { accountId: account, id: data.id }, FIRST_MOMENT)
  await queueIn('1 minute')
  expect(await again()).toBe(1)
  await deliverAll()
  expect(receiver.received).toHaveLength(1)
  await setClock(60)
  await deliverAll()
  expect(receiver.received).toHaveLength(2)
  await queueIn('12 hours')
  expect(await again()).toBe(1)
  await deliverAll()
  expect(receiver.received).toHaveLength(3)
  await receiver.stop()
})

test.each([
  ['a webhook that is enabled', { enabled: true }, 2],
  ['a URL that is given', { url: 'http://127.0.0.1:9/' }, 1],
  ['other kinds', { kinds: ['sync.ended'] as const }, 1],
])('%s: what waits after failures is tried at once, by whatever may have mended them', async (_, changes, received) => {
  const receiver = await startReceiver((_request, response) => response.writeHead(500).end())
  const { data } = await newWebhook(receiver.url)
  await tell(['a'])
  await deliverAll()
  await pool.query(`update webhook_lane set next_at = coffer_now() + interval '12 hours' where webhook_id = $1`, [
    data.id,
  ])
  await updateWebhook(context, { accountId: account, id: data.id }, changes)
  await deliverAll()
  expect(receiver.received).toHaveLength(received)
  const { rows } = await pool.query('select failures from webhook_lane where webhook_id = $1', [data.id])
  expect(rows).toEqual([{ failures: 'kinds' in changes ? 1 : 2 }])
  await receiver.stop()
})

test('an address that is not public is not asked, and a receiver that is gone is left alone', async () => {
  const receiver = await startReceiver((_, response) => response.writeHead(410).end())
  const strict = createDeliveries({ ...parts, reach: createReach([]) })
  const { data } = await newWebhook(receiver.url)
  await tell(['a'])
  await deliverAll(strict)
  expect(receiver.received).toHaveLength(0)
  await setClock(5)
  await deliverAll()
  expect(receiver.received).toHaveLength(1)
  await setClock(86_400)
  await deliverAll()
  expect(receiver.received).toHaveLength(1)
  expect((await selectWebhooks(db, account))[0]).toMatchObject({ id: data.id, enabled: false, waiting: 1 })
  const { data: kept } = await listDeliveries(context, { accountId: account, id: data.id }, { limit: 1 })
  expect(kept[0]).toMatchObject({ state: 'waiting', nextAttemptAt: null })
  await receiver.stop()
})

test('an account without a listener gets no event, and an event that is rolled back is not sent', async () => {
  const receiver = await startReceiver((_, response) => response.end())
  await tell(['before'])
  await newWebhook(receiver.url)
  await reportToAccounts(db, 'snapshot.taken', [BigInt(account)], [{ subject: 'another kind', data: {} as never }])
  const undone = db.transaction().execute(async (trx) => {
    await reportToAccounts(trx, 'sync.ended', [BigInt(account)], [{ subject: 'undone', data: {} as never }])
    throw new Error('no')
  })
  await expect(undone).rejects.toThrow('no')
  await deliverAll()
  expect(receiver.received).toHaveLength(0)
  expect((await pool.query('select from event where account_id = $1', [account])).rowCount).toBe(0)
  await receiver.stop()
})

test('webhooks are replayed and removed while they are delivered to', async () => {
  const receiver = await startReceiver((_, response) => response.end())
  const both = [createDeliveries(parts), createDeliveries(parts)]
  for (let round = 0; round < sized({ small: 6, deep: 100 }); round += 1) {
    const { data } = await newWebhook(receiver.url)
    const own = { accountId: account, id: data.id }
    await tell(['a', 'b', 'c', 'd', 'e'])
    const looked = both.map(deliverAll)
    for (let again = 0; again < 3; again += 1) await replayDeliveries(context, own, FIRST_MOMENT)
    await tell(['a', 'b', 'c', 'd', 'e'])
    await Promise.all([both[0]?.look(), removeWebhook(context, own)])
    await Promise.all(looked)
  }
  expect(await selectWebhooks(db, account)).toEqual([])
  await receiver.stop()
})

test('webhooks of another account are not there, and an eleventh is one too many', async () => {
  const { data } = await newWebhook('http://127.0.0.1:9/')
  const outsider = { accountId: await accountWith(db, 0), id: data.id }
  for (const ask of [
    () => updateWebhook(context, outsider, { enabled: false }),
    () => rotateSecret(context, outsider, 0),
    () => removeWebhook(context, outsider),
    () => testWebhook(context, outsider),
    () => listDeliveries(context, outsider, { limit: 1 }),
    () => replayDeliveries(context, outsider, { deliveryId: '1' }),
    () => removeWebhook(context, { accountId: account, id: 'x' }),
  ]) {
    await expect(ask()).rejects.toMatchObject({ code: 'NOT_FOUND' })
  }
  for (let i = 1; i < 10; i += 1) await newWebhook('http://127.0.0.1:9/')
  await expect(newWebhook('http://127.0.0.1:9/')).rejects.toMatchObject({ code: 'WEBHOOK_QUOTA_REACHED' })
  const { rowCount } = await pool.query('select from secret where account_id = $1', [account])
  await rotateSecret(context, { accountId: account, id: data.id }, 24)
  await removeWebhook(context, { accountId: account, id: data.id })
  expect((await pool.query('select from secret where account_id = $1', [account])).rowCount).toBe((rowCount ?? 0) - 1)
})
