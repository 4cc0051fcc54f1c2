import pg from 'pg'
import { afterAll, expect } from 'vitest'
import { brokenRule } from './rules/distributed-statements.ts'

// Fails a file one of whose statements Citus would refuse, without Citus.

const broken = new Set<string>()
const { query } = pg.Client.prototype

function check(this: pg.Client, ...given: unknown[]): unknown {
  const [asked] = given
  const text = typeof asked === 'string' ? asked : (asked as { text?: unknown } | undefined)?.text
  const rule = typeof text === 'string' ? brokenRule(text) : undefined
  if (rule !== undefined) broken.add(`${String(text).trim().slice(0, 120)}: ${rule}`)
  return Reflect.apply(query, this, given)
}

pg.Client.prototype.query = check as typeof query

afterAll(() => {
  pg.Client.prototype.query = query
  expect([...broken]).toEqual([])
})
