import { afterAll, expect, test } from 'vitest'
import { testDatabase } from '../../../test/database.ts'
import { createCoverage } from '../coverage.ts'
import { migrate } from '../migrate.ts'
import { migrations } from './index.ts'

const own = await testDatabase('one_coverage')
afterAll(() => own.drop())

const log = () => undefined

/** As it was stored before: ranges that touch, ranges with gaps, two chains, and of the logs an older set and none. */
const stored = `
  insert into approval_coverage (wallet, chain, from_block, to_block) values
    ('w', 'base', 0, 900), ('w', 'ethereum', 0, 4), ('w', 'ethereum', 5, 9), ('w', 'ethereum', 20, 20), ('v', 'base', 7, 8);
  insert into wallet_program_coverage (wallet, chain, from_block, to_block) values ('s', 'solana', 100, 200);
  insert into history_coverage (wallet, chain, from_block, to_block) values
    ('w', 'base', 0, 99), ('w', 'base', 200, 300), ('v', 'base', 9007199254740993, 9007199254740995);
  insert into history_native_coverage (wallet, chain, from_block, to_block) values ('w', 'base', 0, 99);
  insert into wallet_log_coverage (wallet, chain, from_block, to_block, logs) values
    ('w', 'base', 0, 10, 'set'), ('w', 'base', 12, 15, 'set'), ('w', 'base', 11, 11, ''), ('v', 'base', 3, 4, '');
  insert into searched_heads (coverage, wallet, chain, heads) values
    ('approval_coverage', 'w', 'base', '[{"block": "900", "hash": "0xaa"}]'), ('approval_coverage', 'x', 'base', '[{}]'),
    ('wallet_log_coverage', 'w', 'base', '[{"block": "15", "hash": "0xbb"}]')`

test('every searched block stays searched for its wallet, chain and purpose, and no other one is', async () => {
  await own.pool.query('drop schema public cascade; create schema public')
  const before = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < '0035'))
  await migrate({ connection: own.url, log, migrations: before })
  await own.pool.query(stored)
  await migrate({ connection: own.url, log })

  const { rows } = await own.pool.query('select wallet, chain, purpose, logs, blocks::text from wallet_coverage')
  const lines = rows.map(({ wallet, chain, purpose, logs, blocks }) => [wallet, chain, purpose, logs, blocks].join(' '))
  expect(lines.sort()).toEqual([
    's solana programs  {[100,201)}',
    'v base approvals  {[7,9)}',
    'v base history  {[9007199254740993,9007199254740996)}',
    'v base logs  {[3,5)}',
    'w base approvals  {[0,901)}',
    'w base history  {[0,100),[200,301)}',
    'w base logs set {[0,11),[12,16)}',
    'w base native  {[0,100)}',
    'w ethereum approvals  {[0,10),[20,21)}',
  ])
  const { rows: heads } = await own.pool.query(
    `select purpose, wallet, chain, heads from wallet_coverage where heads <> '[]' order by purpose`,
  )
  expect(heads).toEqual([
    { purpose: 'approvals', wallet: 'w', chain: 'base', heads: [{ block: '900', hash: '0xaa' }] },
    { purpose: 'logs', wallet: 'w', chain: 'base', heads: [{ block: '15', hash: '0xbb' }] },
  ])
  const { rows: left } = await own.pool.query(
    `select table_name from information_schema.tables where table_schema = 'public' and table_name ~ 'coverage|heads'`,
  )
  expect(left).toEqual([{ table_name: 'wallet_coverage' }])
  expect(await createCoverage(own.db, 'approvals').find({ wallet: 'w', chain: 'ethereum' })).toEqual([
    { fromBlock: 0n, toBlock: 9n },
    { fromBlock: 20n, toBlock: 20n },
  ])
})
