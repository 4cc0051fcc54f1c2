import { afterAll, beforeAll, expect, test } from 'vitest'
import { testDatabase } from '../database.ts'
import { sized } from '../sized.ts'
import { runKills } from './kills.ts'
import { runRaces } from './races.ts'

let database: Awaited<ReturnType<typeof testDatabase>>
beforeAll(async () => {
  database = await testDatabase('ledger')
})
afterAll(() => database.drop())

/** One machine-readable line per bar. */
const print = (bar: string, figures: object) => console.info(JSON.stringify({ bar, ...figures }))

test('of fifty calls for one credit exactly one gets it, round after round', async () => {
  const rounds = sized({ small: 30, deep: 5_000 })
  const result = await runRaces({ url: database.url, rounds })
  print('ledger races', result)
  expect(result).toEqual({ rounds, wrongRounds: 0, violations: 0 })
})

test('processes killed while they spend lose no credit, make none and leave none held', async () => {
  const kills = sized({ small: 4, deep: 200 })
  const result = await runKills({ url: database.url, kills })
  print('ledger kills', result)
  expect(result).toMatchObject({ kills, wrongAccounts: 0, heldAfterSweep: 0, violations: 0 })
  expect(result.answeredCalls).toBeGreaterThan(0)
})
