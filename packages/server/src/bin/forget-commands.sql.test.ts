import { beforeEach, expect, test } from 'vitest'
import { commandBench } from '../../test/operator.ts'
import { createGenesisStore } from '../catalog/genesis-store.ts'

const { admin, refused, database } = await commandBench('forget')
const WALLET = '0x00000000000000000000000000000000000000aa'

const rowsOf = async (query: string) => (await database.pool.query({ text: query, rowMode: 'array' })).rows
const count = async (table: string) => (await rowsOf(`select from ${table}`)).length
const covered = () => rowsOf('select blocks::text, jsonb_array_length(heads) from wallet_coverage order by chain')

beforeEach(async () => {
  for (const chain of ['base', 'ethereum']) {
    const of = `'${WALLET}', '${chain}'`
    await database.pool.query(`
      delete from wallet_read where chain = '${chain}'; delete from wallet_coverage where chain = '${chain}';
      delete from wallet_token where chain = '${chain}';
      insert into wallet_read (wallet, chain, block, block_time, read_at, begun_at, body, plan)
        values (${of}, 900, now(), now(), now(), '{}', '[]');
      insert into wallet_coverage (wallet, chain, purpose, blocks, heads)
        values (${of}, 'approvals', '{[0,900]}', '[{"block": "900", "hash": "0xaa"}]');
      insert into wallet_token (wallet, chain, address) values (${of}, '0x00000000000000000000000000000000000000bb')`)
  }
})

test('a wallet is forgotten on all chains, so that it is read anew', async () => {
  expect(await admin('wallet', 'forget', WALLET)).toEqual({
    ...{ address: WALLET, chains: ['base', 'ethereum'], after: null, histories: false },
  })
  for (const table of ['wallet_read', 'wallet_coverage', 'wallet_token']) {
    expect([table, await count(table)]).toEqual([table, 0])
  }
})

test('above a block of one chain the rest stays', async () => {
  await admin('wallet', 'forget', WALLET, '--chain', 'eth', '--after', '500')
  expect(await count('wallet_read')).toBe(1)
  expect(await covered()).toEqual([
    ['{[0,901)}', 1],
    ['{[0,501)}', 0],
  ])
  expect(await count('wallet_token')).toBe(2)
  expect(await refused(['wallet', 'forget', WALLET, '--chain', 'nowhere'])).toContain('There is no chain nowhere.')
})

test('with its histories a wallet loses what was out of reach of them, above a block or all of it', async () => {
  const gaps = () => rowsOf('select chain, from_block::int, to_block::int from history_gap order by chain, from_block')
  await database.pool.query(
    `insert into history_gap (wallet, chain, from_block, to_block, reason) values
      ($1, 'base', 0, 499, 'pruned'), ($1, 'base', 600, 900, 'not-offered'), ($1, 'gnosis', 0, 900, 'not-offered')`,
    [WALLET],
  )
  await database.pool.query(
    `insert into history_follow (chain, wallet, due_at) values ('base', $1, now()), ('gnosis', $1, now())`,
    [WALLET],
  )
  const followed = () => rowsOf('select chain from history_follow order by chain')
  await admin('wallet', 'forget', WALLET)
  expect(await gaps()).toHaveLength(3)
  expect(await followed()).toEqual([['base'], ['gnosis']])
  await admin('wallet', 'forget', WALLET, '--chain', 'base', '--after', '299', '--histories', 'true')
  expect(await gaps()).toEqual([
    ['base', 0, 299],
    ['gnosis', 0, 900],
  ])
  expect(await followed()).toEqual([['gnosis']])
  expect(await admin('wallet', 'forget', WALLET, '--histories', 'true')).toMatchObject({ chains: ['base', 'gnosis'] })
  expect(await gaps()).toEqual([])
  expect(await followed()).toEqual([])
})

test('a chain that was begun anew is known by the first block that is shown next', async () => {
  const genesis = createGenesisStore(database.db)
  expect(await genesis.recall('base', '0xaa')).toBe('0xaa')
  expect(await genesis.recall('base', '0xbb')).toBe('0xaa')
  expect(await admin('chain', 'forget', 'base')).toEqual({ chain: 'base' })
  expect(await genesis.recall('base', '0xbb')).toBe('0xbb')
})
