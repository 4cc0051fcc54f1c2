import { expect, test } from 'vitest'
import { createAccount } from '../../src/features/accounts/accounts.ts'
import { insertEntries } from '../../src/features/address-book/address-book.ts'
import { createPortalPrices } from '../../src/features/portal-users/portal-prices.ts'
import type { PortalCaller } from '../../src/http/gates.ts'
import type { Input } from '../../src/http/input.ts'
import { patientFetch, startService } from '../harness.ts'
import { started } from '../started.ts'
import { type PortalUser, signedIn } from './portal-caller.ts'

const SAVED = '0x00000000000000000000000000000000000a11ce'
const FOREIGN = '0x0000000000000000000000000000000000000b0b'

// No node answers: reads end with 502, statuses and files need none.
const service = await started(startService({ endpoints: { ethereum: ['http://127.0.0.1:9'] } }))

async function newAccount(credits = 100) {
  const { db } = service.context.database
  const { id } = await createAccount(db, { name: 'x', plan: 'PRO', entitlements: ['portfolio'], credits })
  await insertEntries(db, id, [{ address: SAVED, label: 'saved' }])
  const left = async () => {
    const { rows } = await service.context.database.pool.query<{ available: bigint }>(
      'select available from credit_account where account_id = $1',
      [id],
    )
    return Number(rows[0]?.available)
  }
  const as = (role: 'owner' | 'viewer') => signedIn(service, { accountId: id, role })
  const transactions = (user: PortalUser, addresses: string) =>
    user.call('GET', `/accounts/${id}/v1/transactions?addresses=${addresses}`)
  const file = async ({ cookie }: PortalUser, addresses: string) => {
    const path = `/portal/api/accounts/${id}/v1/transactions/export?addresses=${addresses}`
    const response = await patientFetch(service.url + path, { headers: { cookie } })
    const text = await response.text()
    return { status: response.status, body: response.ok ? text : JSON.parse(text) }
  }
  return { id, left, as, transactions, file }
}

test('reads of saved wallets are free; of others an owner pays what they cost with a key, files too', async () => {
  const { id, as, left, transactions, file } = await newAccount()
  const owner = await as('owner')
  expect((await transactions(owner, SAVED)).status).toBe(200)
  expect((await file(owner, SAVED)).status).toBe(200)
  expect(await left()).toBe(100)
  expect((await transactions(owner, FOREIGN)).status).toBe(200)
  expect(await left()).toBe(99)
  expect((await transactions(owner, `${SAVED},${FOREIGN}`)).status).toBe(200)
  expect((await file(owner, FOREIGN)).status).toBe(200)
  expect(await left()).toBe(88)
  const { body } = await owner.call('GET', `/accounts/${id}/ledger`)
  const { lines } = body as { lines: { purpose: string; change: number }[] }
  const taken = lines.filter(({ purpose, change }) => purpose === 'request' && change < 0)
  expect(taken.map(({ change }) => change)).toEqual([-10, -1, -1])
  expect(await service.ledgerProblems()).toEqual([])
})

test('who may not spend credits reads saved wallets alone', async () => {
  const { as, left, transactions, file } = await newAccount()
  const viewer = await as('viewer')
  expect((await transactions(viewer, SAVED)).status).toBe(200)
  for (const ask of [transactions, file]) {
    const { status, body } = await ask(viewer, FOREIGN)
    expect([status, body]).toMatchObject([
      403,
      { detail: 'The account has not saved these addresses; reading them costs credits and requires the role owner' },
    ])
  }
  expect(await left()).toBe(100)
})

test('an account without credits is refused what it would pay, and keeps what is free', async () => {
  const { as, transactions } = await newAccount(0)
  const owner = await as('owner')
  expect((await transactions(owner, FOREIGN)).status).toBe(402)
  expect((await transactions(owner, SAVED)).status).toBe(200)
})

test('free reads of an account have a daily bound; beyond it they cost what they cost with a key', async () => {
  const { db } = service.context.database
  const priceOf = createPortalPrices({ db, freeCredits: 25 })
  const [account, other] = [await newAccount(), await newAccount()]
  const price = (accountId: string, role: 'owner' | 'viewer', worth: number, address: string) =>
    priceOf({ accountId, role } as PortalCaller, worth, { query: { addresses: [address] } } as Input)
  const prices: number[] = []
  for (const worth of [10, 10, 5, 1, 10]) prices.push(await price(account.id, 'owner', worth, SAVED))
  expect(prices).toEqual([0, 0, 0, 1, 10])
  await expect(price(account.id, 'viewer', 1, SAVED)).rejects.toThrow(
    'The free reads of this account for today are used up (25 credits)',
  )
  // Paid calls do not change the free reads, and neither do other accounts.
  expect(await price(other.id, 'owner', 10, FOREIGN)).toBe(10)
  expect([await price(other.id, 'viewer', 10, SAVED), await price(other.id, 'viewer', 15, SAVED)]).toEqual([0, 0])
})

test('a user has 720 requests a minute over all sessions: thirty screens fit, however many sessions do not add any', async () => {
  const { id, as } = await newAccount()
  const user = await as('viewer')
  const look = () => user.call('GET', `/accounts/${id}/credits`)
  const statuses: number[] = []
  for (let i = 0; i < 72; i += 1) {
    for (const { status } of await Promise.all(Array.from({ length: 10 }, look))) statuses.push(status)
  }
  expect(statuses.filter((status) => status !== 200)).toEqual([])
  expect((await look()).status).toBe(429)
})
