import { randomUUID } from 'node:crypto'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { createAccount } from '../../src/features/accounts/accounts.ts'
import { changeEntry, insertEntries } from '../../src/features/address-book/address-book.ts'
import { startBinance } from '../exchanges/binance-emulator.ts'
import { startService } from '../harness.ts'
import { operator } from '../operator.ts'
import { started } from '../started.ts'
import { auditOf, type PortalUser, signedIn } from './portal-caller.ts'

const MASTER_KEY = '7f'.repeat(32)
const readingKey = { apiKey: 'reader', secret: 'secret-canary' }
const tradingKey = { apiKey: 'trader', secret: 'trader-canary' }
const TOKEN = '0x00000000000000000000000000000000000000aa'

const binance = await started(
  startBinance({
    accounts: [
      { ...readingKey, balances: { spot: { BTC: { free: '1' } } } },
      { ...tradingKey, rights: { enableSpotAndMarginTrading: true } },
    ],
  }),
)
const service = await started(
  startService({
    endpoints: { ethereum: ['http://127.0.0.1:9'] },
    config: { exchangeUrls: { binance: binance.url } },
    env: { COFFER_MASTER_KEY: MASTER_KEY },
  }),
)

type Account = { id: string; owner: PortalUser; accountant: PortalUser; root: string }

async function newAccount(): Promise<Account> {
  const { db } = service.context.database
  const { id } = await createAccount(db, { name: 'x', plan: 'PRO', entitlements: [], credits: 10 })
  return {
    id,
    owner: await signedIn(service, { accountId: id, role: 'owner' }),
    accountant: await signedIn(service, { accountId: id, role: 'accountant' }),
    root: `/accounts/${id}/virtual-users`,
  }
}

async function newUser({ owner, root }: Account, type: 'BALANCE' | 'CEX'): Promise<string> {
  const { status, body } = await owner.call('POST', root, { type, label: 'vault' })
  expect(status).toBe(201)
  return (body as { id: string }).id
}

test('virtual users are made, renamed and removed by owners, and each change is recorded', async () => {
  const account = await newAccount()
  const { owner, accountant, root } = account
  const id = await newUser(account, 'BALANCE')
  const shown = {
    ...{ id, address: `virtual:${id}`, type: 'BALANCE', label: 'vault', exchange: null },
    createdAt: expect.any(String),
  }
  expect((await accountant.call('GET', root)).body).toEqual([shown])
  const renamed = await owner.call('PATCH', `${root}/${id}`, { label: 'cold' })
  expect(renamed).toEqual({ status: 200, body: { ...shown, label: 'cold' } })
  const outsider = await newAccount()
  expect((await outsider.owner.call('DELETE', `${outsider.root}/${id}`)).status).toBe(404)
  expect((await owner.call('DELETE', `${root}/${randomUUID()}`)).status).toBe(404)
  expect((await owner.call('DELETE', `${root}/${id}`)).status).toBe(200)
  expect((await owner.call('GET', root)).body).toEqual([])
  const by = owner.userId
  expect(await auditOf(service, account.id)).toEqual([
    { action: 'created a virtual user', detail: { id, type: 'BALANCE', label: 'vault' }, by },
    { action: 'renamed a virtual user', detail: { id, label: 'vault', to: 'cold' }, by },
    { action: 'removed a virtual user', detail: { id, label: 'cold' }, by },
  ])
})

test('a grid replaces all balances: what is left out is zero, what is the same is not written again', async () => {
  const account = await newAccount()
  const { owner, root } = account
  const id = await newUser(account, 'BALANCE')
  const set = (balances: unknown) => owner.call('POST', `${root}/${id}/balances`, { balances })
  const euros = { symbol: 'EUR', priceSource: 'fx', amount: '1000.50' }
  const token = { chain: 'eth', contract: TOKEN.toUpperCase().replace('0X', '0x'), amount: '0.000000000000000001' }
  const first = await set([euros, token, { symbol: 'gold', priceSource: 'coingecko:gold', amount: '1' }])
  expect(first).toEqual({
    status: 200,
    body: {
      balances: [
        { chain: 'ethereum', contract: TOKEN, amount: '0.000000000000000001' },
        { symbol: 'EUR', priceSource: 'fx', amount: '1000.5' },
        { symbol: 'GOLD', priceSource: 'coingecko:gold', amount: '1' },
      ],
      // No chain of this service has its feed.
      warnings: ['No source has a rate of EUR now.', 'coingecko is not among COFFER_PRICES.'],
    },
  })
  expect((await set([{ ...euros, amount: '7' }, token])).body).toMatchObject({
    balances: [{ amount: '0.000000000000000001' }, { amount: '7' }],
    warnings: ['No source has a rate of EUR now.'],
  })
  expect((await owner.call('GET', `${root}/${id}/balances`)).body).toMatchObject({ balances: [{}, { amount: '7' }] })
  const { pool } = service.context.database
  const { rows } = await pool.query(
    'select symbol, amount::text from virtual_balance_change where virtual_user_id = $1 order by number',
    [id],
  )
  // Three at first, then gold gone and the euros changed.
  expect(rows.slice(3)).toEqual([
    { symbol: 'GOLD', amount: expect.stringMatching(/^0(\.0+)?$/) },
    { symbol: 'EUR', amount: expect.stringMatching(/^7(\.0+)?$/) },
  ])
  expect((await set([{ ...euros, symbol: 'USD' }])).body).toMatchObject({ warnings: [] })
  for (const [balance, message] of [
    [{ ...token, chain: 'nowhere' }, 'balances.0.chain'],
    [{ ...token, contract: 'x' }, 'balances.0.contract'],
    [{ ...euros, symbol: 'XYZ' }, 'balances.0.priceSource'],
    [{ ...euros, priceSource: 'oracle' }, 'balances.0.priceSource'],
    [{ ...euros, amount: '-1' }, 'balances'],
    [{ ...euros, amount: '1e3' }, 'balances'],
  ] as const) {
    const { status, body } = await set([balance])
    expect([status, (body as { detail: string }).detail]).toEqual([400, expect.stringContaining(message)])
  }
  expect((await set([euros, { ...euros, symbol: 'eur' }])).status).toBe(400)
  const cex = await newUser(account, 'CEX')
  expect((await owner.call('POST', `${root}/${cex}/balances`, { balances: [euros] })).status).toBe(400)
})

test('an exchange is linked by a key that may only read, and its secret never comes out', async () => {
  const account = await newAccount()
  const { owner, root } = account
  const id = await newUser(account, 'CEX')
  const link = (credentials: object) => owner.call('POST', `${root}/${id}/link`, { exchange: 'binance', credentials })
  expect(await link(tradingKey)).toMatchObject({ status: 400, body: { detail: expect.stringContaining('may trade') } })
  expect(await link({ apiKey: 'nobody', secret: 'x' })).toMatchObject({
    status: 400,
    body: { detail: expect.stringMatching(/^Binance refuses the key/) },
  })
  expect((await owner.call('GET', root)).body).toMatchObject([{ exchange: null }])
  const linked = await link(readingKey)
  expect(linked).toEqual({
    status: 200,
    body: { exchange: 'binance', name: 'Binance', permissions: { trade: false, withdraw: false }, warning: null },
  })
  expect((await link(readingKey)).status).toBe(400)
  const answers = [linked, await owner.call('GET', root), await auditOf(service, account.id)]
  expect(JSON.stringify(answers)).not.toContain('canary')
  expect((await owner.call('GET', root)).body).toMatchObject([{ exchange: 'binance' }])
  expect(await owner.call('DELETE', `${root}/${id}/link`)).toMatchObject({ status: 200, body: { exchange: null } })
  expect((await owner.call('DELETE', `${root}/${id}/link`)).status).toBe(400)
  const { rows } = await service.context.database.pool.query('select count(*)::int as n from secret')
  expect(rows[0].n).toBe(0)
  expect((await auditOf(service, account.id)).slice(1)).toMatchObject([
    { action: 'linked an exchange', detail: { id, exchange: 'binance' } },
    { action: 'unlinked an exchange', detail: { id, exchange: 'binance' } },
  ])
  expect((await owner.call('GET', `/accounts/${account.id}/exchanges`)).body).toContainEqual({
    key: 'binance',
    name: 'Binance',
  })
})

test('owners of addresses sign in the browser; what is then kept from keys goes by the portal and the command line', async () => {
  const { db } = service.context.database
  const account = await newAccount()
  const { owner } = account
  const wallet = privateKeyToAccount(`0x${'11'.repeat(32)}`)
  const address = wallet.address.toLowerCase()
  const book = `/accounts/${account.id}/address-book`
  await insertEntries(db, account.id, [
    { address, label: 'mine' },
    { address: TOKEN, label: 'paid' },
  ])
  const made = await owner.call('POST', `${book}/${address}/challenge`, {})
  expect(made).toMatchObject({
    status: 201,
    body: { text: expect.stringContaining(`Service: Coffer at ${service.url}`) },
  })
  const sign = async (signature: string) => owner.call('POST', `${book}/${address}/signature`, { signature })
  expect((await sign(`0x${'00'.repeat(65)}`)).status).toBe(400)
  const signature = await wallet.signMessage({ message: (made.body as { text: string }).text })
  expect(await sign(signature)).toMatchObject({
    status: 200,
    body: { entry: { address, ownerAuthorized: true }, verifiedOn: null },
  })
  // A challenge is used once.
  expect((await sign(signature)).status).toBe(400)
  expect((await owner.call('POST', `${book}/0x${'22'.repeat(20)}/challenge`, {})).status).toBe(404)

  const plan = { plan: 'PRO' as const, expiresAt: new Date(Date.now() + 86_400_000) }
  await changeEntry(db, { accountId: account.id, address: TOKEN }, { plan })
  const byKeyRoute = `/accounts/${account.id}/v1/addressbook/${TOKEN}`
  expect((await owner.call('DELETE', byKeyRoute)).status).toBe(409)
  expect(await owner.call('DELETE', `${book}/${TOKEN}`)).toEqual({ status: 200, body: {} })
  const { admin } = operator({ DATABASE_URL: service.databaseUrl, COFFER_MASTER_KEY: MASTER_KEY })
  expect(await admin('address', 'remove', '--account', account.id, '--address', address)).toEqual({
    account: account.id,
    address,
  })
  expect((await owner.call('GET', book)).body).toEqual([])
  expect((await auditOf(service, account.id)).map((line) => (line as { action: string }).action)).toEqual([
    'proved the owner of an address',
    'removed an address',
    'removed an address',
  ])
})
