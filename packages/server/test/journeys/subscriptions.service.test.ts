import type { SnapshotSubscription } from '@coffer/contract'
import { beforeEach, describe, expect, it } from 'vitest'
import { SNAPSHOT_DAY } from '../conformance/contract-samples.ts'
import { putSolanaSnapshot } from '../conformance/own-data.ts'
import { startService } from '../harness.ts'
import { keyedAccount } from '../ledger/accounts.ts'
import { callWith } from '../own-data.ts'
import { startFailingNode } from '../processes/failing-node.ts'
import { started } from '../started.ts'

const [A, B, C] = ['a', 'b', 'c'].map((digit) => `0x${digit.repeat(40)}`) as [string, string, string]
/** No chain of its type is read here. */
const OUTSIDER = 'So11111111111111111111111111111111111111112'
const YEAR = 1_200
const MORE_THAN_A_HUNDRED = Array.from({ length: 101 }, (_, n) => ({ address: `0x${String(n).padStart(40, '0')}` }))

/** From a new account for each test. */
let key: string

const node = await started(startFailingNode())
const service = await started(startService({ endpoints: { ethereum: [node.url] } }))

beforeEach(async () => {
  key = await service.newKey(10_000)
  await setTime('2027-03-01T10:00:00Z')
})

async function setTime(moment: string): Promise<void> {
  await service.context.database.pool.query(
    `create or replace function coffer_now() returns timestamptz language sql stable as $$ select timestamptz '${moment}' $$`,
  )
}

async function post(body: unknown, as = key) {
  const { status, body: answer } = await callWith(service.url, as)('POST', '/v1/subscribe-snapshot', body)
  return { status, answer: answer as { message: string; subscriptions: SnapshotSubscription[] } }
}

const subscribe = (...addresses: (string | { address: string; description: string | null })[]) =>
  post({ addresses: addresses.map((of) => (typeof of === 'string' ? { address: of } : of)) })

const credits = async (as = key) => (await callWith(service.url, as)('GET', '/v1/credits')).body

/** Its year began at the start of the test, by default. */
const subscribed = (address: string, changes: Partial<SnapshotSubscription> = {}): SnapshotSubscription => ({
  ...{ address, description: null, credits: YEAR },
  ...{ subscribedAt: '2027-03-01T10:00:00.000Z', expiresAt: '2028-03-01T10:00:00.000Z', ...changes },
})

describe('a subscription', () => {
  it('is a calendar year of each address, in the order of the request, charged together', async () => {
    const { status, answer } = await subscribe(B, { address: A.toUpperCase().replace('X', 'x'), description: 'Gold' })
    expect(status).toBe(200)
    const subscriptions = [subscribed(B), subscribed(A, { description: 'Gold' })]
    expect(answer).toEqual({ message: expect.any(String), subscriptions })
    expect(await credits()).toBe(10_000 - 2 * YEAR)
  })

  it.each([
    ['2028-02-29T12:00:00Z', '2029-02-28T12:00:00.000Z'],
    ['2027-02-28T00:00:00Z', '2028-02-28T00:00:00.000Z'],
    ['2027-12-31T23:59:59.999Z', '2028-12-31T23:59:59.999Z'],
  ])('that begins at %s ends at %s', async (begin, end) => {
    await setTime(begin)
    const { answer } = await subscribe(A)
    expect(answer.subscriptions[0]?.expiresAt).toBe(end)
  })

  it('that runs costs nothing when it is asked for again, and only what is new is paid', async () => {
    await subscribe({ address: A, description: 'Gold' })
    await setTime('2028-01-31T09:59:59Z')
    const { status, answer } = await subscribe(A, C)
    expect(status).toBe(200)
    expect(answer.subscriptions).toEqual([
      subscribed(A, { description: 'Gold', credits: 0 }),
      expect.objectContaining({ address: C, subscribedAt: '2028-01-31T09:59:59.000Z', credits: YEAR }),
    ])
    expect(await credits()).toBe(10_000 - 2 * YEAR)
    const { answer: described } = await subscribe({ address: A, description: null })
    expect(described.subscriptions[0]).toMatchObject({ description: null, credits: 0 })
  })

  it('is renewed from its end inside its last thirty days, once', async () => {
    await subscribe(A)
    // Thirty days before its end to the second.
    await setTime('2028-01-31T10:00:00Z')
    const { answer } = await subscribe(A)
    const renewed = subscribed(A, { expiresAt: '2029-03-01T10:00:00.000Z' })
    expect(answer.subscriptions).toEqual([renewed])
    const { answer: again } = await subscribe(A)
    expect(again.subscriptions).toEqual([{ ...renewed, credits: 0 }])
    expect(await credits()).toBe(10_000 - 2 * YEAR)
  })

  it('that is over begins again, from now', async () => {
    await subscribe({ address: A, description: 'Gold' })
    await setTime('2028-03-01T10:00:00Z')
    const { answer } = await subscribe(A)
    const times = { subscribedAt: '2028-03-01T10:00:00.000Z', expiresAt: '2029-03-01T10:00:00.000Z' }
    expect(answer.subscriptions).toEqual([subscribed(A, times)])
  })

  it('asks for its first snapshot with the same commit, once', async () => {
    await subscribe(A)
    await subscribe(A)
    const { rows } = await service.context.database.pool.query(
      "select data from jobs.job where name = 'snapshot' and data->>'accountId' = (select max(id)::text from account)",
    )
    expect(rows).toEqual([{ data: expect.objectContaining({ address: A, date: '2027-03-01' }) }])
  })
})

describe('a refusal', () => {
  it('for want of credits leaves nothing: all addresses or none', async () => {
    const poor = await service.newKey(2_399)
    const { status, answer } = await post({ addresses: [{ address: A }, { address: B }] }, poor)
    expect(status).toBe(402)
    const amounts = { creditsRequired: 2_400, creditsAvailable: 2_399, creditsNeeded: 2_400 }
    expect(answer).toEqual({ message: expect.any(String), ...amounts })
    expect(await credits(poor)).toBe(2_399)
    // One of them is affordable. The other then is not, in addition to the running one.
    expect((await post({ addresses: [{ address: A }] }, poor)).status).toBe(200)
    const second = await post({ addresses: [{ address: A }, { address: B }] }, poor)
    expect(second.answer).toMatchObject({ creditsRequired: 1_200, creditsAvailable: 1_199 })
    // A running one can be requested without a credit.
    expect((await post({ addresses: [{ address: A }] }, poor)).status).toBe(200)
  })

  it.each([
    ['no body', undefined],
    ['no addresses', { addresses: [] }],
    ['addresses that are texts', { addresses: [A] }],
    ['an address that is none', { addresses: [{ address: '0x12' }] }],
    ['an address of Tron', { addresses: [{ address: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8' }] }],
    ['an address of Solana, which is not read here', { addresses: [{ address: A }, { address: OUTSIDER }] }],
    ['the same address twice', { addresses: [{ address: A }, { address: A.toUpperCase().replace('X', 'x') }] }],
    ['a description that is too long', { addresses: [{ address: A, description: 'x'.repeat(256) }] }],
    ['more than a hundred', { addresses: MORE_THAN_A_HUNDRED }],
  ])('of %s is a 400 that costs nothing', async (_, body) => {
    const { status, answer } = await post(body)
    expect(status).toBe(400)
    expect(answer).toEqual({ error: 'Bad Request', message: expect.any(String) })
    expect(await credits()).toBe(10_000)
  })

  it('of two calls at once charges each year once', async () => {
    const answers = await Promise.all([1, 2, 3, 4].map(() => subscribe(A, B)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    const charged = answers.flatMap(({ answer }) => answer.subscriptions.map((one) => one.credits))
    expect(charged.reduce((sum, one) => sum + one, 0)).toBe(2 * YEAR)
    expect(await credits()).toBe(10_000 - 2 * YEAR)
  })
})

describe('a wallet of a chain type without a chain', () => {
  it('keeps the snapshots that it has; of other days it is refused, free of charge', async () => {
    const { db } = service.context.database
    const account = await keyedAccount(db, { credits: 10, plan: 'PRO' })
    const call = callWith(service.url, account.key)
    await putSolanaSnapshot(db, account.id, OUTSIDER)
    for (const [index, path] of ['historical', 'token-overview'].entries()) {
      const on = (date: string) => call('GET', `/v1/${path}?addresses=${OUTSIDER}&date=${date}`)
      expect((await on(SNAPSHOT_DAY)).status).toBe(200)
      const message = `this service has no node for wallets of this type: ${OUTSIDER}`
      expect(await on('2026-01-03')).toEqual({ status: 400, body: { error: 'Bad Request', message } })
      expect(await credits(account.key)).toBe(10 - index - 1)
    }
  })
})
