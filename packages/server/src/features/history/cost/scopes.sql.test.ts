import { afterAll, beforeAll, expect, test } from 'vitest'
import { testDatabase } from '../../../../test/database.ts'
import { createAccount } from '../../accounts/accounts.ts'
import { createHistoryStore } from '../store/history-store.ts'
import { createScopes } from './scopes.ts'

const EVM = '0x1111111111111111111111111111111111111111'
const SOLANA = 'So11111111111111111111111111111111111111112'

let database: Awaited<ReturnType<typeof testDatabase>>
let accountId: string
beforeAll(async () => {
  database = await testDatabase('scopes')
  const account = { name: 'scopes', plan: 'FREE', entitlements: ['portfolio'], credits: 10 } as const
  accountId = (await createAccount(database.db, account)).id
})
afterAll(() => database.drop())

test('a wallet waits for the chains of its kind alone', async () => {
  const chainsOf = (wallet: string) => (wallet.startsWith('0x') ? ['base', 'ethereum'] : ['solana'])
  const { scopeOf } = createScopes(database.db, chainsOf)
  const store = createHistoryStore(database.db)
  const searched = async (wallet: string, chain: string) => {
    const ranges = [{ fromBlock: 0n, toBlock: 9n }]
    await store.save({ wallet, chain }, [], { ranges, found: [], native: ranges }, async () => undefined)
    await store.setState({ wallet, chain }, { number: 9n, timestamp: 1 })
  }
  const isWhole = async (wallet: string) => (await scopeOf(accountId, wallet)) !== undefined

  expect([await isWhole(EVM), await isWhole(SOLANA)]).toEqual([false, false])
  await searched(SOLANA, 'solana')
  await searched(EVM, 'ethereum')
  expect([await isWhole(EVM), await isWhole(SOLANA)]).toEqual([false, true])
  await searched(EVM, 'base')
  expect([await isWhole(EVM), await isWhole(SOLANA)]).toEqual([true, true])
})
