import { afterAll, beforeAll, expect, test } from 'vitest'
import { testDatabase } from '../../../../test/database.ts'
import { createRefusingTokenStore } from '../../../catalog/token-store.ts'
import type { EvmAddress } from '../../../domain/evm-address.ts'
import type { EvmContext } from './evm-context.ts'
import { createRefusingTokens } from './refusing-tokens.ts'

let database: Awaited<ReturnType<typeof testDatabase>>
beforeAll(async () => {
  database = await testDatabase('refusing-tokens')
})
afterAll(() => database.drop())

const DAY_MS = 24 * 60 * 60 * 1000
const listed: EvmAddress = '0x00000000000000000000000000000000000000a1'
const strange: EvmAddress = '0x00000000000000000000000000000000000000a2'

/** As a process that has just started. */
function open(now: () => number) {
  const refusals = createRefusingTokenStore(database.db)
  const find = (_chain: string, address: string) => (address === listed ? { listed: true } : undefined)
  return createRefusingTokens({ stores: { refusals }, listed: { find }, clock: { now } } as unknown as EvmContext)
}

const scan = (...failed: EvmAddress[]) => ({ nativeRaw: 0n, balances: new Map(), failed: new Set(failed) })
const GAP = [{ reason: 'unreadable' }]

test('a listed token that reports no balance is missing, until it has reported none to any wallet for a day', async () => {
  let now = Date.UTC(2026, 0, 1)
  const anew = (chain: string, ...failed: EvmAddress[]) => open(() => now)(chain, scan(...failed), [])
  const missingOf = open(() => now)
  expect(await missingOf('ethereum', scan(strange), [])).toEqual([])
  expect(await missingOf('ethereum', scan(listed), [])).toEqual(GAP)
  const kept = { token: listed, amountRaw: 1n, receipt: false }
  expect(await missingOf('ethereum', scan(listed), [kept])).toEqual([])
  now += DAY_MS - 1
  expect(await anew('ethereum', listed)).toEqual(GAP)
  now += 1
  expect(await anew('ethereum', listed)).toEqual([])
  expect(await anew('base', listed)).toEqual(GAP)
  // It answered for another wallet: it works.
  expect(await missingOf('ethereum', scan(), [])).toEqual([])
  expect(await anew('ethereum', listed)).toEqual(GAP)
})

test('a token that refuses one wallet is missing there, even if it returns the balance of another', async () => {
  const missingOf = open(() => Date.UTC(2026, 2, 1))
  const found = Promise.all([
    missingOf('optimism', scan(listed), []),
    missingOf('optimism', scan(), []),
    missingOf('optimism', scan(listed), []),
    missingOf('optimism', scan(), []),
  ])
  expect(await found).toEqual([GAP, [], GAP, []])
})
