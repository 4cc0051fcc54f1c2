import { afterAll, beforeAll, expect, test } from 'vitest'
import { testDatabase } from '../../../../test/database.ts'
import { createRefusingTokenStore } from '../../../catalog/token-store.ts'
import type { EvmAddress } from '../../../domain/evm-address.ts'
import { createRefusingTokens } from './refusing-tokens.ts'

let database: Awaited<ReturnType<typeof testDatabase>>
beforeAll(async () => {
  database = await testDatabase('refusing-tokens')
})
afterAll(() => database.drop())

const DAY_MS = 24 * 60 * 60 * 1000
const listed: EvmAddress = '0x00000000000000000000000000000000000000a1'
const strange: EvmAddress = '0x00000000000000000000000000000000000000a2'
const catalog = {
  find: (_chain: string, address: string) => (address === listed ? ({ listed: true } as never) : undefined),
}
const scan = (...failed: EvmAddress[]) => ({ nativeRaw: 0n, balances: new Map(), failed: new Set(failed) })
const GAP = [{ reason: 'unreadable' }]

test('a listed token that tells no balance is missing, until it has told nobody any for a day', async () => {
  let now = Date.UTC(2026, 0, 1)
  const open = () =>
    createRefusingTokens({ store: createRefusingTokenStore(database.db), catalog, clock: { now: () => now } })
  const tokens = open()
  expect(await tokens.missingOf('ethereum', scan(strange), [])).toEqual([])
  expect(await tokens.missingOf('ethereum', scan(listed), [])).toEqual(GAP)
  const kept = { token: listed, amountRaw: 1n, receipt: false }
  expect(await tokens.missingOf('ethereum', scan(listed), [kept])).toEqual([])
  now += DAY_MS - 1
  expect(await open().missingOf('ethereum', scan(listed), [])).toEqual(GAP)
  now += 1
  expect(await open().missingOf('ethereum', scan(listed), [])).toEqual([])
  expect(await open().missingOf('base', scan(listed), [])).toEqual(GAP)
  // It answered for another wallet: it works.
  expect(await tokens.missingOf('ethereum', scan(), [])).toEqual([])
  expect(await open().missingOf('ethereum', scan(listed), [])).toEqual(GAP)
})

test('a token that refuses one wallet is missing there, even if it returns the balance of another', async () => {
  const tokens = createRefusingTokens({
    store: createRefusingTokenStore(database.db),
    catalog,
    clock: { now: () => Date.UTC(2026, 2, 1) },
  })
  const found = Promise.all([
    tokens.missingOf('optimism', scan(listed), []),
    tokens.missingOf('optimism', scan(), []),
    tokens.missingOf('optimism', scan(listed), []),
    tokens.missingOf('optimism', scan(), []),
  ])
  expect(await found).toEqual([GAP, [], GAP, []])
})
