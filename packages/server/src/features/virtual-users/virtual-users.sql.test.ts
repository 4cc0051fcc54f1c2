import { beforeEach, describe, expect, test } from 'vitest'
import { suiteDatabase } from '../../../test/database.ts'
import { accountWith } from '../../../test/ledger/accounts.ts'
import { decimal, formatDecimal } from '../../domain/decimal.ts'
import type { Exchange, KeyPermissions } from '../../exchanges/exchange.ts'
import { secret } from '../../lib/secret.ts'
import { createMasterKeys } from '../secrets/master-keys.ts'
import { openVault, SecretUnreadable } from '../secrets/secret-vault.ts'
import { type BalanceAsset, currentBalances, recordBalance } from './balances.ts'
import { findLink, linkExchange, openCredentials, unlinkExchange } from './exchange-links.ts'
import {
  createVirtualUser,
  findVirtualUser,
  listVirtualUsers,
  removeVirtualUser,
  renameVirtualUser,
  requireOwn,
  virtualAddress,
} from './virtual-users.ts'

const NOBODY = '00000000-0000-4000-8000-000000000000'

const database = await suiteDatabase('virtual_users')
const keys = createMasterKeys({ configured: [secret('7f'.repeat(32))], dataDir: '/nowhere' })
const vault = await openVault(database.db, keys)
let account: string
let other: string
beforeEach(async () => {
  account = await accountWith(database.db, 0)
  other = await accountWith(database.db, 0)
})

const make = (type: 'BALANCE' | 'CEX', label = 'x', accountId = account) =>
  createVirtualUser(database.db, { accountId, type, label })
const labels = async (accountId: string) => (await listVirtualUsers(database.db, accountId)).map(({ label }) => label)

describe('virtual users', () => {
  test('an account has its own, oldest first; one is renamed in its place', async () => {
    const { db } = database
    const vault = await make('BALANCE', 'vault')
    await make('CEX', 'theirs', other)
    await make('CEX', 'vault')
    expect(await labels(account)).toEqual(['vault', 'vault'])
    expect(vault).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
      accountId: account,
      type: 'BALANCE',
      label: 'vault',
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    })
    expect(await renameVirtualUser(db, vault.id, 'cold storage')).toEqual({ ...vault, label: 'cold storage' })
    expect(await labels(account)).toEqual(['cold storage', 'vault'])
    expect(await labels(other)).toEqual(['theirs'])
    expect(await renameVirtualUser(db, NOBODY, 'x')).toBeUndefined()
    expect(await findVirtualUser(db, vault.id)).toMatchObject({ label: 'cold storage' })
    expect(await findVirtualUser(db, NOBODY)).toBeUndefined()
  })

  test("another account's id, an unused one and an invalid one are refused alike, one among others being enough", async () => {
    const { db } = database
    const [mine, theirs] = [await make('BALANCE'), await make('BALANCE', 'x', other)]
    const foreign = [theirs.id, mine.id.toUpperCase(), NOBODY, 'x', "'--", mine.id.replaceAll('-', '')]
    const refusals = await Promise.all(
      foreign.map((id) =>
        requireOwn(db, account, [mine.id, id].map(virtualAddress)).then(
          () => expect.fail(`${id} was not refused`),
          ({ code, status, message, extras }) => ({ code, status, message, extras }),
        ),
      ),
    )
    expect(new Set(refusals.map((refusal) => JSON.stringify(refusal))).size).toBe(1)
    expect(refusals[0]).toMatchObject({ code: 'FORBIDDEN', status: 403, extras: {} })
    await expect(requireOwn(db, account, [virtualAddress(mine.id)])).resolves.toBeUndefined()
  })
})

describe('balances', () => {
  const eth = { chain: 'ethereum', contract: `0x${'0'.repeat(40)}` } as const
  const eur = { symbol: 'EUR', priceSource: 'fx' }
  const set = (virtualUserId: string, asset: BalanceAsset, amount: string, at: string) =>
    recordBalance(database.db, { virtualUserId, asset, amount: decimal(amount), changedAt: new Date(at) })
  const held = async (id: string) =>
    (await currentBalances(database.db, id)).map(({ asset, amount }) => [asset, formatDecimal(amount)])

  test('the latest change of each asset counts, whenever it was recorded, to the last digit', async () => {
    const { id } = await make('BALANCE')
    const huge = `${'9'.repeat(30)}.${'0'.repeat(17)}1`
    await set(id, eur, '100', '2026-03-01T00:00:00Z')
    await set(id, eth, huge, '2026-02-01T00:00:00Z')
    await set(id, eth, '5', '2026-01-01T00:00:00Z')
    expect(await held(id)).toEqual([
      [eth, huge],
      [eur, '100'],
    ])
    await set(id, eur, '7', '2026-03-01T00:00:00Z')
    await set(id, eth, '0', '2026-03-02T00:00:00Z')
    expect(await held(id)).toEqual([
      [eth, '0'],
      [eur, '7'],
    ])
  })

  test('a symbol has the price source that was named last', async () => {
    const { id } = await make('BALANCE')
    await set(id, eur, '1', '2026-01-01T00:00:00Z')
    await set(id, { symbol: 'EUR', priceSource: 'fixed:1.2' }, '2', '2026-01-02T00:00:00Z')
    expect(await held(id)).toEqual([[{ symbol: 'EUR', priceSource: 'fixed:1.2' }, '2']])
  })

  test('a change is never altered, and goes only with its virtual user', async () => {
    const { id } = await make('BALANCE')
    await set(id, eur, '1', '2026-01-01T00:00:00Z')
    await expect(database.pool.query('update virtual_balance_change set amount = 2')).rejects.toThrow('append-only')
    expect(await held(id)).toEqual([[eur, '1']])
    await removeVirtualUser(database.db, id)
    expect(await held(id)).toEqual([])
  })

  test.each(['-1', 'NaN', 'Infinity'])('the table itself refuses %s', async (amount) => {
    const { id } = await make('BALANCE')
    const insert = database.pool.query(
      "insert into virtual_balance_change (virtual_user_id, symbol, price_source, amount, changed_at) values ($1, 'X', 'fx', $2, now())",
      [id, amount],
    )
    await expect(insert).rejects.toThrow('check constraint')
  })
})

describe('links', () => {
  const credentials = { apiKey: 'key-canary', secret: 'secret-canary' }
  const exchange = (permissions: Partial<KeyPermissions> = {}, needs: Exchange['needs'] = ['apiKey', 'secret']) =>
    ({
      key: 'binance',
      name: 'Binance',
      needs,
      permissions: async () => ({ trade: false, withdraw: false, ...permissions }),
      read: () => expect.fail('a link reads nothing'),
    }) satisfies Exchange
  const link = (id: string, to: Exchange = exchange()) => linkExchange({ db: database.db, vault }, id, to, credentials)
  const secrets = async () =>
    Number((await database.pool.query('select count(*) from secret where account_id = $1', [account])).rows[0].count)

  test('the credentials are in the vault, and nowhere in clear', async () => {
    const { id } = await make('CEX')
    expect(await link(id)).toMatchObject({ link: { virtualUserId: id, exchange: 'binance', accountId: account } })
    const found = (await findLink(database.db, id)) ?? expect.fail('is not linked')
    expect(await openCredentials({ db: database.db, vault }, found)).toEqual(credentials)
    const { rows } = await database.pool.query(
      "select string_agg(s::text, '') || string_agg(l::text, '') as dump from secret s, exchange_link l",
    )
    expect(rows[0].dump).not.toContain('canary')
    await expect(openCredentials({ db: database.db, vault }, { ...found, accountId: other })).rejects.toThrow(
      SecretUnreadable,
    )
  })

  test.each([
    [{ trade: true }, 'trade'],
    [{ withdraw: true }, 'withdraw'],
    [{ trade: true, withdraw: true }, 'trade and withdraw'],
  ])('a key with the permissions %j is refused, and nothing stored', async (permissions, rights) => {
    const { id } = await make('CEX')
    const refusal = `This key may ${rights}: create a read-only key at Binance.`
    expect(await link(id, exchange(permissions))).toEqual({ refusal })
    expect([await findLink(database.db, id), await secrets()]).toEqual([undefined, 0])
  })

  test('what the exchange does not tell is no reason to refuse', async () => {
    const { id } = await make('CEX')
    const unknown = { trade: null, withdraw: null }
    expect(await link(id, exchange(unknown))).toMatchObject({ permissions: unknown })
  })

  test('only an account at an exchange is linked, once, with all that the exchange needs', async () => {
    const [byHand, user] = [await make('BALANCE'), await make('CEX')]
    expect(await link(byHand.id)).toEqual({
      refusal: expect.stringContaining('has manual balances: only type CEX can be linked'),
    })
    expect(await link(NOBODY)).toEqual({ refusal: `There is no virtual user ${NOBODY}.` })
    const needy = exchange({}, ['apiKey', 'secret', 'password'])
    expect(await link(user.id, needy)).toEqual({ refusal: 'Binance also requires password.' })
    const both = await Promise.all([link(user.id), link(user.id)])
    expect(both.filter((outcome) => 'link' in outcome)).toHaveLength(1)
    expect(both.filter((outcome) => 'refusal' in outcome)).toEqual([
      { refusal: expect.stringContaining('unlink it first') },
    ])
    expect(await secrets()).toBe(1)
  })

  test('a link that ends leaves no credentials, however it ends', async () => {
    const [first, second] = [await make('CEX'), await make('CEX')]
    await link(first.id)
    await link(second.id)
    expect(await secrets()).toBe(2)
    expect(await unlinkExchange(database.db, first.id)).toBe(true)
    expect(await unlinkExchange(database.db, first.id)).toBe(false)
    expect([await findLink(database.db, first.id), await secrets()]).toEqual([undefined, 1])
    await removeVirtualUser(database.db, second.id)
    expect(await secrets()).toBe(0)
    expect(await link(first.id)).toHaveProperty('link')
  })
})
