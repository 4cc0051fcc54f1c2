import { expect, test } from 'vitest'
import { brokenRule } from './distributed-statements.ts'

test.each([
  ['delete from accounting_result where ctid = any (array(select ctid from accounting_result limit 9))', 'ctid'],
  ['select * from wallet_token join unnest($1::text[]) as asked (wallet) using (wallet)', 'names its key'],
  [
    'with recursive t as (select wallet from history_movement union all select wallet from t) select from t',
    'recursion',
  ],
  ['select count(*) from (select from history_transaction where wallet = $1 limit 9) as counted', 'column'],
  ['update accounting set days = $1 where scope = $2 returning days::text[]', 'setting'],
  ['insert into wallet_use select $1, $2 on conflict (wallet) do update set used_on = $2', 'no parameter'],
  [
    'insert into history_follow select wallet from history_state where wallet = $1 on conflict do nothing',
    'no on conflict',
  ],
  ['delete from accounting_result where scope = $1 and at >= $2::date', 'compares a time'],
  ['select wallet from wallet_use where wallet = any ($1) for update', 'locks rows of one key'],
  ['update history_movement set priced_at = clock_timestamp() where wallet = $1', 'parameters'],
  [
    'insert into history_sync as sync (wallet) values ($1) on conflict (wallet) do update set id = nextval($2)',
    'immutable',
  ],
  [
    `insert into wallet_read as r (wallet) values ($1) on conflict (wallet) do update set body = excluded.body
      where r.read_at < excluded.read_at + interval '1 s'`,
    'immutable',
  ],
])('%s: %s', (statement, rule) => {
  expect(brokenRule(statement)).toContain(rule)
})

test.each([
  'select * from wallet_token join unnest($1::text[]) as asked (wallet) using (wallet) where wallet = any ($2)',
  'select "wallet" from "history_sync" where "wallet" in ($1, $2)',
  'select id from history_sync where wallet = $1 for update',
  'update history_follow set due_at = clock_timestamp() where wallet = any ($1)',
  `insert into wallet_use (wallet, used_on) select wallet, now() from unnest($1::text[]) as wallet
    on conflict (wallet) do update set used_on = excluded.used_on`,
  'create index on history_movement (wallet) where now() > ctid',
])('%s is allowed', (statement) => {
  expect(brokenRule(statement)).toBeUndefined()
})
