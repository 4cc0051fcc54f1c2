import { beforeEach, expect, test } from 'vitest'
import type { CoveragePurpose } from '../src/db/coverage.ts'
import type { Address } from '../src/domain/address.ts'
import type { EvmAddress } from '../src/domain/evm-address.ts'
import { scopeKeysOf } from '../src/features/history/cost/scopes.ts'
import { forgetUnasked } from '../src/features/retention/module.ts'
import { createDiscoveryStore } from '../src/wallets/discovery-store.ts'
import { createWalletReadStore } from '../src/wallets/wallet-read-store.ts'
import { createNoteUse } from '../src/wallets/wallet-use.ts'
import { suiteDatabase } from './database.ts'
import { accountWith } from './ledger/accounts.ts'

const database = await suiteDatabase('retention')
const { pool } = database

const DAYS = 90
/** Paid data of accounts, and its bookkeeping. */
const OF_HISTORIES = [
  ...['coverage of history', 'coverage of native', 'history_transaction', 'history_movement', 'history_adjustment'],
  ...['history_change', 'history_gap', 'history_follow', 'history_set_aside', 'history_state', 'history_sync'],
  'history_token_account',
]

/** Purposes of searches for wallets. */
const PURPOSES: readonly CoveragePurpose[] = ['approvals', 'history', 'logs', 'native', 'programs']

type Column = { table: string; column: string; type: string; generated: boolean }

/** All tables with a column named `wallet`, from any migration. */
async function columnsOfWallets(): Promise<Map<string, Column[]>> {
  const { rows } = await pool.query<Column>(`
    select c.table_name as table, c.column_name as column, c.data_type as type,
      c.is_identity = 'YES' as generated
    from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
    where table_schema = 'public' and table_type = 'BASE TABLE' and table_name in (
      select table_name from information_schema.columns where table_schema = 'public' and column_name = 'wallet')
    order by c.table_name, ordinal_position`)
  return Map.groupBy(rows, ({ table }) => table)
}

/** Values for columns with a check. */
const REPORTED: Readonly<Record<string, string>> = {
  ...{ kind: 'interest', step: 'search', reason: 'pruned', state: 'done', purpose: 'logs', blocks: '{[0,900]}' },
  protocol_basis: 'factory',
}

const scopeOf = (wallet: string) => scopeKeysOf(wallet as Address)[0]

/** A value that passes every check of the current tables. */
function sampleOf({ column, type }: Column, wallet: string, accountId: string): unknown {
  const reported = { ...REPORTED, wallet, account_id: accountId, scope: scopeOf(wallet) }[column]
  if (reported !== undefined) return reported
  if (type === 'jsonb') return '[]'
  if (type === 'boolean') return false
  if (type.startsWith('timestamp') || type === 'date') return '2020-01-01'
  return ['bigint', 'integer', 'numeric', 'smallint'].includes(type) ? 1 : 'ethereum'
}

/** Writes a row of the wallet to every possible table. */
async function fill(wallet: string, accountId: string): Promise<void> {
  await pool.query(`insert into accounting (scope, method, seen, computed_at) values ($1, 'AVG', '{}', now())`, [
    scopeOf(wallet),
  ])
  const tables = [...(await columnsOfWallets())]
  // Tables referenced by others come first.
  const ordered = tables.toSorted(
    ([a], [b]) => Number(b === 'history_transaction') - Number(a === 'history_transaction'),
  )
  for (const [table, columns] of ordered) {
    const given = columns.filter(({ generated, column }) => !generated || column !== 'id')
    const text = `insert into ${table} (${given.map(({ column }) => column).join(', ')})
      values (${given.map((_, i) => `$${i + 1}`).join(', ')})`
    await pool.query(
      text,
      given.map((column) => sampleOf(column, wallet, accountId)),
    )
  }
  await pool.query(
    `insert into wallet_coverage (wallet, chain, purpose, blocks)
      select $1, 'ethereum', purpose, '{[0,900]}' from unnest($2::text[]) as purpose`,
    [wallet, PURPOSES.filter((purpose) => purpose !== REPORTED['purpose'])],
  )
}

/** Every table with rows of wallets; the one of coverage by purpose. */
async function allTables(): Promise<string[]> {
  const tables = [...(await columnsOfWallets()).keys()].filter((table) => table !== 'wallet_coverage')
  return [...tables, ...PURPOSES.map((purpose) => `coverage of ${purpose}`)].sort()
}

/** Tables with a row of the wallet. */
async function tablesWith(wallet: string): Promise<string[]> {
  const found: string[] = []
  for (const table of await allTables()) {
    const [, purpose] = /^coverage of (.+)$/.exec(table) ?? []
    const from = purpose ? `wallet_coverage where purpose = '${purpose}' and` : `${table} where`
    const { rowCount } = await pool.query(`select from ${from} wallet = $1`, [wallet])
    if (rowCount) found.push(table)
  }
  return found
}

const scopesOf = async (wallet: string) =>
  (await pool.query('select from accounting_part where scope like $1', [`wallet ${wallet} %`])).rowCount

const log = { info: () => undefined, warn: () => undefined }
const forget = () => forgetUnasked({ db: database.db, days: DAYS, log }, new AbortController().signal)
const usedDaysAgo = (wallet: string, days: number) =>
  pool.query('update wallet_use set used_on = current_date - $2::integer where wallet = $1', [wallet, days])

let wallets = 0
function newWallet(): Address {
  wallets += 1
  return `0x${wallets.toString(16).padStart(40, '0')}`
}
let accountId: string
beforeEach(async () => {
  accountId = await accountWith(database.db, 10)
})

test('of an unrequested wallet only paid data stays in any table; of a requested one all', async () => {
  const [unasked, asked] = [newWallet(), newWallet()]
  for (const wallet of [unasked, asked]) await fill(wallet, accountId)
  await usedDaysAgo(unasked, DAYS + 1)
  await usedDaysAgo(asked, DAYS)
  const all = await allTables()
  expect(await tablesWith(unasked)).toEqual(all)
  expect(await forget()).toBe(1)
  expect(await tablesWith(unasked)).toEqual(OF_HISTORIES.toSorted())
  expect(await tablesWith(asked)).toEqual(all)
  expect([await scopesOf(unasked), await scopesOf(asked)]).toEqual([0, 1])
})

test('a wallet without a noted use has a first day when it is first seen', async () => {
  const wallet = newWallet()
  await fill(wallet, accountId)
  await pool.query('delete from wallet_use')
  expect(await forget()).toBe(0)
  const { rows } = await pool.query('select used_on = current_date as today from wallet_use where wallet = $1', [
    wallet,
  ])
  expect(rows).toEqual([{ today: true }])
  await usedDaysAgo(wallet, DAYS + 1)
  expect(await forget()).toBe(1)
  expect(await tablesWith(wallet)).not.toContain('wallet_read')
})

test.each([
  ['an address book', `insert into address_book_entry (account_id, address, label) values ($1, $2, 'mine')`],
  [
    'a subscription',
    `insert into snapshot_subscription (account_id, address, subscribed_at, expires_at, next_date)
      values ($1, $2, now(), now() + interval '1 day', current_date)`,
  ],
  [
    'a history that was asked for lately',
    `update history_sync set account_id = $1, requested_at = now() - interval '89 days' where wallet = $2`,
  ],
  [
    'a read that came after the last noted use',
    `update wallet_read set read_at = now(), plan = jsonb_build_array($1::text) where wallet = $2`,
  ],
])('%s keeps what was read of its wallet', async (_, statement) => {
  const wallet = newWallet()
  await fill(wallet, accountId)
  await usedDaysAgo(wallet, DAYS + 1)
  await pool.query(statement, [accountId, wallet])
  expect(await forget()).toBe(0)
  expect(await tablesWith(wallet)).toEqual(await allTables())
})

test('a wallet that was forgotten is read and searched as one that was never seen', async () => {
  const [wallet, of] = [newWallet(), { chain: 'ethereum' }]
  const searched = { wallet: wallet as `0x${string}`, ...of, logs: 'set' }
  const contract = '0xcc'
  const reads = createWalletReadStore(database.db)
  const discovery = createDiscoveryStore(database.db)
  const head = { block: 900n, hash: '0xaa' }
  const heads = new Map([[searched.wallet, head]])
  const present = { hashAt: async () => '0xaa', finality: 10n }
  const known = async () => ({
    reads: await reads.find(wallet, ['ethereum']),
    tokens: await discovery.findTokens(searched.wallet, 'ethereum'),
    keys: (await discovery.findKeys(searched, [contract])).keys,
    due: (await discovery.findDue(searched, 1)).total,
    covered: (await discovery.begin({ ...searched, contracts: [] }, heads, present)).get(searched.wallet)?.covered,
  })
  const first = await known()
  expect(first).toEqual({ reads: [], tokens: [], keys: [], due: 0, covered: [] })
  const keys = [{ contract, key: 7n, block: 800n }] as const
  const covered = [{ fromBlock: 0n, toBlock: 900n }]
  const due = ['0xbb', '0xdd'].map((address) => ({ address: address as EvmAddress, block: 700n, sent: true }))
  await discovery.save(searched, new Map([[searched.wallet, { due, keys, covered, heads: [head] }]]))
  await discovery.settle(searched, ['0xbb'], ['0xbb'])
  await pool.query(
    `insert into wallet_read (wallet, chain, block, block_time, read_at, begun_at, body, plan) values ($1, 'ethereum', 900,
      $2, $2, $2, '{"holdings": [], "positions": [], "tokens": [], "prices": [], "gaps": []}', '[]')`,
    [wallet, new Date('2020-01-01')],
  )
  const read = await known()
  expect([read.reads.length, read.tokens, read.due, read.covered]).toEqual([1, ['0xbb'], 1, covered])
  expect(read.keys).toEqual([{ contract, key: 7n }])
  await forget()
  await usedDaysAgo(wallet, DAYS + 1)
  expect(await forget()).toBe(1)
  expect(await known()).toEqual(first)
})

test('more wallets than one transaction takes go in one run, past those that are kept', async () => {
  const many = Array.from({ length: 55 }, newWallet)
  await pool.query(
    `insert into wallet_token (wallet, chain, address) select wallet, 'base', '0x01' from unnest($1::text[]) as wallet`,
    [many],
  )
  await pool.query(
    `insert into wallet_use (wallet, used_on) select wallet, current_date - 200 from unnest($1::text[]) as wallet`,
    [many],
  )
  await pool.query(
    `insert into address_book_entry (account_id, address, label)
      select $1, wallet, wallet from unnest($2::text[]) as wallet`,
    [accountId, many.slice(0, 30)],
  )
  expect(await forget()).toBe(25)
  const { rows } = await pool.query('select wallet from wallet_token where wallet = any ($1) order by wallet', [many])
  expect(rows.map(({ wallet }) => wallet)).toEqual(many.slice(0, 30))
})

test('a wallet that is asked for is noted once a day, and again the next day', async () => {
  const wallet = newWallet()
  const state = { now: Date.now(), written: 0 }
  const db = database.db.withPlugin({
    transformQuery: ({ node }) => {
      state.written += 1
      return node
    },
    transformResult: async ({ result }) => result,
  })
  const note = createNoteUse({ db, clock: { now: () => state.now }, log })
  const used = async () =>
    (await pool.query('select current_date - used_on as ago from wallet_use where wallet = $1', [wallet])).rows
  note(wallet)
  note(wallet)
  await expect.poll(used).toEqual([{ ago: 0 }])
  await usedDaysAgo(wallet, 1)
  note(wallet)
  state.now += 86_400_000
  note(wallet)
  await expect.poll(used).toEqual([{ ago: 0 }])
  expect(state.written).toBe(2)
})

test('what cannot be noted is noted when the wallet is asked for next', async () => {
  const wallet = newWallet()
  const warned: unknown[] = []
  await pool.query('alter table wallet_use rename to away')
  const note = createNoteUse({
    ...{ db: database.db, clock: { now: () => Date.now() } },
    log: { warn: (facts: unknown) => void warned.push(facts) },
  })
  note(wallet)
  await expect.poll(() => warned.length).toBe(1)
  await pool.query('alter table away rename to wallet_use')
  note(wallet)
  await expect
    .poll(async () => (await pool.query('select from wallet_use where wallet = $1', [wallet])).rowCount)
    .toBe(1)
})
