import { expect, test } from 'vitest'
import { suiteDatabase } from '../../../../test/database.ts'
import { changedSince, lastChanges, pruneChanges } from './history-changes.ts'

const database = await suiteDatabase('prune_changes')

const A = '0x00000000000000000000000000000000000000aa'
const B = '0x00000000000000000000000000000000000000bb'
const prune = () => pruneChanges(database.db, new AbortController().signal)

/** Changes numbered from 1, by wallet and `since`, in seconds. */
async function change(...changes: readonly [wallet: string, since: number][]): Promise<void> {
  await database.pool.query('truncate history_change restart identity; truncate accounting cascade')
  for (const [wallet, since] of changes) {
    const insert = 'insert into history_change (wallet, since) values ($1, to_timestamp($2))'
    await database.pool.query(insert, [wallet, since])
  }
}

const seenBy = (scope: string, seen: Record<string, string>) =>
  database.pool.query(`insert into accounting (scope, method, seen, computed_at) values ($1, 'AVG', $2, now())`, [
    scope,
    JSON.stringify(seen),
  ])

async function left() {
  const all = 'select id::int, wallet, extract(epoch from since)::int as since from history_change order by id'
  return (await database.pool.query(all)).rows.map(({ id, wallet, since }) => [id, wallet, since])
}

test('changes that every run has seen become one; later ones stay as they are', async () => {
  await change([A, 50], [A, 20], [B, 70], [A, 90], [A, 30], [A, 80])
  await seenBy('account 1 v3', {
    [`${A} base `]: '4',
    [`${A} ethereum 12ab`]: '5',
    [`${B} base `]: '0',
    [`- ${A} gnosis`]: '0',
  })
  await seenBy(`wallet ${A} AVG v3`, { [`${A} base `]: '5' })
  const asked = ['4', '5', '6']
  const reported = () => Promise.all(asked.map((seen) => changedSince(database.db, A, seen)))
  const before = await reported()
  expect(before).toEqual([30, 80, undefined])
  await prune()
  expect(await left()).toEqual([
    [3, B, 70],
    [4, A, 20],
    [5, A, 30],
    [6, A, 80],
  ])
  expect(await reported()).toEqual(before)
  expect(await lastChanges(database.db, [A, B])).toEqual(
    new Map([
      [A, '6'],
      [B, '3'],
    ]),
  )
})

test('a run that was under way goes back to the earliest change that it has not seen', async () => {
  await change([A, 50], [A, 20], [A, 60])
  await prune()
  expect(await left()).toEqual([[3, A, 20]])
  expect(await changedSince(database.db, A, '1')).toBe(20)
})
