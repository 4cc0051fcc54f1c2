import { describe, expect, test } from 'vitest'
import { updateAccount } from '../../src/features/accounts/accounts.ts'
import { startService } from '../harness.ts'
import { type OwnAccount, ok, ownAccount, refusal } from '../own-data.ts'
import { seededRandom } from '../random.ts'
import { started } from '../started.ts'

const random = seededRandom('address book')
const EVM = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045'
const SOLANA = 'So11111111111111111111111111111111111111112'
const TRON = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'
const STARKNET = '0x049D36570D4e46f48e99674bd3fcc84644DdD6b96F7C741B1562B82f9e004dC7'
/** The letters of `SOLANA` with one in the other case: another address. */
const OTHER_SOLANA = '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T'
const OTHER_SOLANA_CASE = '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4t'

const service = await started(startService({ endpoints: { ethereum: ['http://127.0.0.1:9'] } }))

const newAccount = (options?: { credits?: number }) =>
  ownAccount({ db: service.context.database.db, url: service.url }, options)

const entry = (address: string, label = '') => ({ address, label, plan: 'FREE', expiresAt: null, isPaid: false })
/** Another spelling of the same address. */
const upper = (address: string) => address.toUpperCase().replace('0X', '0x')
const untrustedContracts = (count: number) => Array.from({ length: count }, () => ({ address: random.address() }))

/** An account with `count` saved addresses. Returns them in order. */
async function withEntries(count: number): Promise<{ account: OwnAccount; addresses: string[] }> {
  const account = await newAccount()
  const entries = untrustedContracts(count)
  for (let from = 0; from < count; from += 100) {
    await account.call('POST', '/v1/addressbook', { entries: entries.slice(from, from + 100) })
  }
  return { account, addresses: entries.map(({ address }) => address) }
}

const createBundle = (account: OwnAccount, name: string, addresses: readonly string[]) =>
  account.call('POST', '/v1/bundles', { name, addresses })

async function bundleOf(account: OwnAccount, name: string, addresses: readonly string[]): Promise<string> {
  const { status, body } = await createBundle(account, name, addresses)
  expect(status).toBe(201)
  return (body as { data: { id: string } }).data.id
}

async function refusesFreeOfCharge(
  account: OwnAccount,
  requests: readonly (readonly [method: string, path: string, body?: unknown])[],
): Promise<void> {
  const before = await account.ledger()
  for (const [method, path, sent] of requests) {
    const answer = await account.call(method, path, sent)
    expect(answer, `${method} ${path} ${JSON.stringify(sent)?.slice(0, 100)}`).toEqual(refusal(400, 'VALIDATION_ERROR'))
  }
  expect(await account.ledger()).toEqual(before)
}

describe('address book', () => {
  test('keeps addresses of four families, oldest first, each in the one spelling of its family', async () => {
    const account = await newAccount()
    expect(await account.call('GET', '/v1/addressbook')).toEqual(ok([]))
    const entries = [
      { address: SOLANA, label: 'Sol' },
      { address: EVM, label: '  as sent ' },
      { address: TRON },
      { address: STARKNET },
      { address: OTHER_SOLANA },
    ]
    const data = [
      entry(SOLANA, 'Sol'),
      entry(EVM.toLowerCase(), '  as sent '),
      entry(TRON),
      entry(STARKNET),
      entry(OTHER_SOLANA),
    ]
    expect(await account.call('POST', '/v1/addressbook', { entries })).toEqual(ok(data))
    const again = {
      entries: [{ address: upper(EVM), label: 'new' }, { address: OTHER_SOLANA_CASE }],
    }
    const both = [...data, entry(OTHER_SOLANA_CASE)]
    expect(await account.call('POST', '/v1/addressbook', again)).toEqual(ok(both))
    expect(await account.call('GET', '/v1/addressbook?unknown=1')).toEqual(ok(both))
  })

  test('gives another label and takes entries away', async () => {
    const account = await newAccount()
    await account.call('POST', '/v1/addressbook', { entries: [{ address: EVM, label: 'a' }, { address: SOLANA }] })
    const path = `/v1/addressbook/${EVM}`
    const long = '😀'.repeat(255)
    expect(await account.call('PATCH', path, { label: long })).toEqual(ok(entry(EVM.toLowerCase(), long)))
    expect(await account.call('PATCH', path.toLowerCase(), { label: '' })).toMatchObject({
      body: { data: { label: '' } },
    })
    expect(await account.call('DELETE', path)).toEqual({ status: 204, body: null })
    const gone = refusal(404, 'ADDRESSBOOK_ENTRY_NOT_FOUND')
    expect(await account.call('DELETE', path)).toEqual(gone)
    expect(await account.call('PATCH', path, { label: 'x' })).toEqual(gone)
    expect(await account.call('DELETE', `/v1/addressbook/${SOLANA.replace('S', 's')}`)).toMatchObject({ status: 404 })
    expect(await account.call('GET', '/v1/addressbook')).toEqual(ok([entry(SOLANA)]))
    expect(await account.ledger()).toEqual([
      ...Array.from({ length: 4 }, () => 'charge 1'),
      ...Array.from({ length: 3 }, () => ['charge 1', 'refund 1']).flat(),
      'hold 1',
      'post 1',
    ])
  })

  test('isPaid follows the time at which the plan ends; paid and owner-authorised entries stay', async () => {
    const { account, addresses } = await withEntries(3)
    const [paid, lapsed, authorized] = addresses as [string, string, string]
    const { pool } = service.context.database
    const set = (values: string, address: string) =>
      pool.query(`update address_book_entry set ${values} where account_id = $1 and address = $2`, [
        account.id,
        address,
      ])
    await set(`plan = 'PRO', expires_at = '2999-01-02T03:04:05.678Z'`, paid)
    await set(`plan = 'LITE', expires_at = '2020-01-02T03:04:05Z'`, lapsed)
    await set('owner_authorized = true', authorized)
    expect(await account.call('GET', '/v1/addressbook')).toEqual(
      ok([
        { address: paid, label: '', plan: 'PRO', expiresAt: '2999-01-02T03:04:05.678Z', isPaid: true },
        { address: lapsed, label: '', plan: 'LITE', expiresAt: '2020-01-02T03:04:05.000Z', isPaid: false },
        entry(authorized),
      ]),
    )
    const kept = refusal(409, 'ADDRESSBOOK_ENTRY_NOT_DELETABLE')
    expect(await account.call('DELETE', `/v1/addressbook/${paid}`)).toEqual(kept)
    expect(await account.call('DELETE', `/v1/addressbook/${authorized}`)).toEqual(kept)
    expect((await account.call('DELETE', `/v1/addressbook/${lapsed}`)).status).toBe(204)
  })

  test('holds 50 addresses without a paid plan, or as many as the account was given; all or nothing', async () => {
    const { account, addresses } = await withEntries(49)
    const full = (quota: number, current: number) => refusal(422, 'ADDRESSBOOK_QUOTA_REACHED', { quota, current })
    const add = (entries: object[]) => account.call('POST', '/v1/addressbook', { entries })
    const sizeOf = async () => ((await account.call('GET', '/v1/addressbook')).body as { data: [] }).data.length
    expect(await add(untrustedContracts(2))).toEqual(full(50, 49))
    expect(await sizeOf()).toBe(49)
    expect(await add(untrustedContracts(1))).toMatchObject({ status: 200 })
    expect(await add(untrustedContracts(1))).toEqual(full(50, 50))
    const known = addresses.slice(0, 3).map((address) => ({ address }))
    expect(await add([...known, ...untrustedContracts(1)])).toEqual(full(50, 50))
    expect(await add(known)).toMatchObject({ status: 200 })
    const { db } = service.context.database
    await updateAccount(db, account.id, { quotas: { addressBook: 51 } })
    expect(await add(untrustedContracts(2))).toEqual(full(51, 50))
    expect(await add(untrustedContracts(1))).toMatchObject({ status: 200 })
    await updateAccount(db, account.id, { plan: 'LITE', quotas: { addressBook: null } })
    expect(await add(untrustedContracts(100))).toMatchObject({ status: 200 })
    expect(await sizeOf()).toBe(151)
    await updateAccount(db, account.id, { plan: 'PRO', quotas: { addressBook: 151 } })
    expect(await add(untrustedContracts(1))).toEqual(full(151, 151))
  })

  test('refuses what is no entry, no label and no address, free of charge', async () => {
    const account = await newAccount()
    const good = random.address()
    const bodies = [
      {},
      { entries: null },
      { entries: {} },
      { entries: [] },
      { entries: untrustedContracts(101) },
      { entries: [null] },
      { entries: [{}] },
      ...[
        null,
        7,
        '',
        good.slice(0, -1),
        `0x${'1'.repeat(65)}`,
        'O0Il'.repeat(10),
        `${TRON.slice(0, -1)}u`,
        `0x8${'0'.repeat(63)}`,
        'virtual:1',
        'vitalik.eth',
      ].map((address) => ({ entries: [{ address }] })),
      ...[null, 7, 'x'.repeat(256), '😀'.repeat(256), 'a\u0000b', '\ud800'].map((label) => ({
        entries: [{ address: good, label }],
      })),
      { entries: [{ address: good }, { address: good, label: 'again' }] },
      { entries: [{ address: EVM }, { address: EVM.toLowerCase() }] },
    ].map((body) => ['POST', '/v1/addressbook', body] as const)
    const labels = [{}, { label: null }, { label: 7 }, { label: 'x'.repeat(256) }, { label: 'a\u0000' }]
    await refusesFreeOfCharge(account, [
      ...bodies,
      ['POST', '/v1/addressbook', '{"entries":[{"address":"\\ud800"}]}'],
      ...labels.map((body) => ['PATCH', `/v1/addressbook/${good}`, body] as const),
      ['PATCH', '/v1/addressbook/nobody', { label: 'x' }],
      ['DELETE', '/v1/addressbook/0x12'],
      ['DELETE', `/v1/addressbook/${TRON.toLowerCase()}`],
    ])
    expect(await account.call('GET', '/v1/addressbook')).toEqual(ok([]))
  })
})

describe('bundles', () => {
  test('whose id is not there, of another account or no id at all, are not found', async () => {
    const { account, addresses } = await withEntries(1)
    const { account: other, addresses: others } = await withEntries(1)
    const id = await bundleOf(other, 'Theirs', others)
    const removed = await bundleOf(account, 'Mine', addresses)
    await account.call('DELETE', `/v1/bundles/${removed}`)
    const notFound = { status: 404, body: { error: { code: 'BUNDLE_NOT_FOUND', message: 'There is no such bundle' } } }
    const nowhere = ['1', 'x', '%00', '%27%20or%201%3D1', '__proto__', '00000000-0000-0000-0000-000000000000']
    for (const junk of [id, id.toUpperCase(), removed, ...nowhere]) {
      const path = `/v1/bundles/${junk}`
      expect(await account.call('GET', path), junk).toEqual(notFound)
      expect(await account.call('PATCH', path, { name: 'x' }), junk).toEqual(notFound)
      expect(await account.call('DELETE', path), junk).toEqual(notFound)
      expect(await account.call('POST', `${path}/addresses`, { address: addresses[0] }), junk).toEqual(notFound)
      expect(await account.call('DELETE', `${path}/addresses/${addresses[0]}`), junk).toEqual(notFound)
    }
    expect(await other.call('GET', `/v1/bundles/${id}`)).toMatchObject({ status: 200 })
    const outsider = refusal(404, 'ADDRESSBOOK_ENTRY_NOT_FOUND')
    expect(await account.call('DELETE', `/v1/addressbook/${others[0]}`)).toEqual(outsider)
    expect(await account.call('PATCH', `/v1/addressbook/${others[0]}`, { label: 'x' })).toEqual(outsider)
  })

  test('are refused in the order of the interface: size, not saved, quota, name, members', async () => {
    const { account, addresses } = await withEntries(11)
    const [a, b, c] = addresses as [string, string, string]
    const outsider = random.address()
    const ids: string[] = []
    for (const [index, name] of ['1', '2', '3', '4', '5'].entries()) {
      ids.push(await bundleOf(account, name, addresses.slice(0, index + 1)))
    }
    const tooMany = [outsider, ...addresses.slice(0, 10)]
    const size = refusal(422, 'BUNDLE_SIZE_LIMIT_EXCEEDED', { limit: 10 })
    expect(await createBundle(account, '1', tooMany)).toEqual(size)
    const unknown = refusal(422, 'BUNDLE_ADDRESS_NOT_IN_ADDRESS_BOOK', { addresses: [outsider, SOLANA] })
    expect(await createBundle(account, '1', [outsider, a, SOLANA])).toEqual(unknown)
    const quota = refusal(422, 'BUNDLE_QUOTA_REACHED', { quota: 5, current: 5 })
    expect(await createBundle(account, '1', [a])).toEqual(quota)
    const { db } = service.context.database
    await updateAccount(db, account.id, { quotas: { bundles: 6, bundleSize: 11 } })
    const name = refusal(409, 'BUNDLE_NAME_TAKEN', { name: '1' })
    expect(await createBundle(account, ' 1 ', [a])).toEqual(name)
    const members = refusal(409, 'BUNDLE_MEMBERS_ALREADY_BUNDLED', { bundleId: ids[2] })
    expect(await createBundle(account, '6', [c, upper(a), b])).toEqual(members)
    expect(await createBundle(account, '6', addresses)).toMatchObject({ status: 201 })
    const refusals = Array.from({ length: 5 }, () => ['charge 1', 'refund 1']).flat()
    const created = (count: number) => Array.from({ length: count }, () => 'charge 1')
    expect(await account.ledger()).toEqual([...created(6), ...refusals, ...created(1)])
  })

  test('names differ by case and by normal form; 255 characters are the most', async () => {
    const { account, addresses } = await withEntries(4)
    const names = ['\u00e9', 'e\u0301', 'E\u0301', '\u{1f600}'.repeat(255)]
    for (const [index, name] of names.entries()) await bundleOf(account, name, addresses.slice(0, index + 1))
    const { body } = await account.call('GET', '/v1/bundles')
    expect((body as { data: { name: string }[] }).data.map(({ name }) => name)).toEqual(names)
  })

  test('gain and lose members by the rules', async () => {
    const { account, addresses } = await withEntries(12)
    const [a, b, c] = addresses as [string, string, string]
    const pair = await bundleOf(account, 'pair', [a, b])
    const single = await bundleOf(account, 'single', [a])
    const add = (id: string, address: string) => account.call('POST', `/v1/bundles/${id}/addresses`, { address })
    const remove = (id: string, address: string) => account.call('DELETE', `/v1/bundles/${id}/addresses/${address}`)
    const equal = (bundleId: string) => refusal(409, 'BUNDLE_MEMBERS_ALREADY_BUNDLED', { bundleId })
    expect(await add(single, b)).toEqual(equal(pair))
    expect(await remove(pair, b)).toEqual(equal(single))
    expect(await remove(single, a)).toEqual(refusal(422, 'BUNDLE_EMPTY'))
    expect(await remove(single, b)).toEqual(refusal(404, 'ADDRESSBOOK_ENTRY_NOT_FOUND'))
    const outsider = random.address()
    const unknown = refusal(422, 'BUNDLE_ADDRESS_NOT_IN_ADDRESS_BOOK', { addresses: [outsider] })
    expect(await add(single, outsider)).toEqual(unknown)
    const ten = await bundleOf(account, 'ten', addresses.slice(2))
    expect(await add(ten, outsider)).toEqual(refusal(422, 'BUNDLE_SIZE_LIMIT_EXCEEDED', { limit: 10 }))
    expect(await add(ten, c)).toMatchObject({ status: 200 })
    expect(await account.call('PATCH', `/v1/bundles/${ten}`, { name: 'pair' })).toEqual(
      refusal(409, 'BUNDLE_NAME_TAKEN', { name: 'pair' }),
    )
  })

  test('follow their entries: a removed address leaves them, and a bundle left empty goes', async () => {
    const { account, addresses } = await withEntries(2)
    const [a, b] = addresses as [string, string]
    await bundleOf(account, 'only', [a])
    const pair = await bundleOf(account, 'pair', [a, b])
    const second = await bundleOf(account, 'second', [b])
    expect((await account.call('DELETE', `/v1/addressbook/${a}`)).status).toBe(204)
    const left = [
      { id: pair, name: 'pair', addresses: [b] },
      { id: second, name: 'second', addresses: [b] },
    ]
    expect(await account.call('GET', '/v1/bundles')).toEqual(ok(left))
    await account.call('POST', '/v1/addressbook', { entries: [{ address: a }] })
    const again = refusal(409, 'BUNDLE_MEMBERS_ALREADY_BUNDLED', { bundleId: pair })
    expect(await createBundle(account, 'third', [b])).toEqual(again)
  })

  test('refuse what is no name, no list and no address, free of charge', async () => {
    const { account, addresses } = await withEntries(1)
    const id = await bundleOf(account, 'mine', addresses)
    const names = [undefined, null, '', '   ', 7, 'x'.repeat(256), 'a\u0000b']
    const lists = [
      undefined,
      null,
      'x',
      [],
      untrustedContracts(101).map(({ address }) => address),
      [null],
      ['0x12'],
      ['virtual:1'],
      [addresses[0], addresses[0]],
      [EVM, EVM.toLowerCase()],
    ]
    await refusesFreeOfCharge(account, [
      ...names.map((name) => ['POST', '/v1/bundles', { name, addresses }] as const),
      ...lists.map((list) => ['POST', '/v1/bundles', { name: 'n', addresses: list }] as const),
      ...names.map((name) => ['PATCH', `/v1/bundles/${id}`, { name }] as const),
      ['POST', `/v1/bundles/${id}/addresses`, {}],
      ['POST', `/v1/bundles/${id}/addresses`, { address: null }],
      ['POST', `/v1/bundles/${id}/addresses`, { address: 'nobody' }],
      ['DELETE', `/v1/bundles/${id}/addresses/nobody`],
    ])
  })
})

test('other refusals have the envelope of these routes: 401, 402, 403, 413, and 500 without a word of its cause', async () => {
  const { db, pool } = service.context.database
  const poor = await newAccount({ credits: 0 })
  const unpaid = {
    status: 402,
    body: { message: 'Insufficient credits', creditsRequired: 1, creditsAvailable: 0, creditsNeeded: 1 },
  }
  expect(await poor.call('GET', '/v1/bundles')).toEqual(unpaid)
  expect(await poor.call('GET', '/v1/bundles/none')).toEqual(unpaid)
  expect(await poor.call('DELETE', `/v1/addressbook/${EVM}`)).toEqual(unpaid)
  expect(await poor.call('DELETE', '/v1/addressbook/none')).toEqual(refusal(400, 'VALIDATION_ERROR'))
  expect(await poor.ledger()).toEqual([])
  const large = await poor.call('POST', '/v1/bundles', `"${'x'.repeat(256 * 1024)}"`)
  expect(large).toEqual(refusal(413, 'VALIDATION_ERROR'))
  await updateAccount(db, poor.id, { entitlements: [] })
  await expect
    .poll(() => poor.call('GET', '/v1/addressbook'), { interval: 200 })
    .toEqual({ status: 403, body: { error: 'Forbidden', message: expect.any(String) } })
  const nobody = await service.get('/v1/addressbook', {})
  expect([nobody.status, nobody.json()]).toEqual([
    401,
    { error: { code: 'UNAUTHORIZED', message: 'Unauthorized' }, message: 'Unauthorized' },
  ])
  const account = await newAccount()
  await pool.query('alter table bundle_member rename to hidden')
  const broken = await account.call('GET', '/v1/bundles')
  await account.call('POST', '/v1/addressbook', { entries: [{ address: EVM }] })
  const brokenChange = await createBundle(account, 'x', [EVM])
  await pool.query('alter table hidden rename to bundle_member')
  const internal = { error: { code: 'INTERNAL_ERROR', message: 'Something went wrong on our side' } }
  expect([broken, brokenChange]).toEqual([
    { status: 500, body: internal },
    { status: 500, body: internal },
  ])
  expect(await account.ledger()).toEqual(['hold 1', 'void 1', 'charge 1', 'charge 1', 'refund 1'])
})
