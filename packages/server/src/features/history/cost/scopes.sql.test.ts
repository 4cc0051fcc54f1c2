import { expect, test } from 'vitest'
import { suiteDatabase } from '../../../../test/database.ts'
import { accountWith } from '../../../../test/ledger/accounts.ts'
import type { Address } from '../../../domain/address.ts'
import type { BlockRange } from '../../../domain/block-ranges.ts'
import { NATIVE } from '../../../domain/evm-address.ts'
import { createHistoryStore } from '../store/history-store.ts'
import { createScopes } from './scopes.ts'

const EVM = '0x1111111111111111111111111111111111111111'
const SOLANA = 'So11111111111111111111111111111111111111112'
const ALL = [{ fromBlock: 0n, toBlock: 9n }]

const database = await suiteDatabase('scopes')
const accountId = await accountWith(database.db, 10)

const chainsOf = (wallet: string) => (wallet.startsWith('0x') ? ['base', 'ethereum'] : ['solana'])
const scopes = () => createScopes(database.db, { chainsOf, nativeOf: () => NATIVE })

async function search(wallet: Address, chain: string, native: readonly BlockRange[] = ALL) {
  const store = createHistoryStore(database.db)
  await store.save({ wallet, chain }, [], { ranges: ALL, found: [], native }, async () => undefined)
  await store.setState({ wallet, chain }, { number: 9n, timestamp: 1 })
}

test('a wallet has figures of the chains of its kind on which its history is whole', async () => {
  const chains = async (wallet: string) => {
    const scope = await scopes().scopeOf(accountId, wallet)
    return scope && [scope.parts.map(({ chain }) => chain), scope.elsewhere.map(({ chain }) => chain)]
  }
  expect([await chains(EVM), await chains(SOLANA)]).toEqual([undefined, undefined])
  await search(SOLANA, 'solana')
  await search(EVM, 'ethereum')
  expect([await chains(EVM), await chains(SOLANA)]).toEqual([
    [['ethereum'], ['base']],
    [['solana'], []],
  ])
  await search(EVM, 'base')
  expect(await chains(EVM)).toEqual([['base', 'ethereum'], []])
})

test('names the first block in which native coin may have moved unseen', async () => {
  const wallet = '0x2222222222222222222222222222222222222222'
  const native = async () => {
    const scope = await scopes().scopeOf(accountId, wallet)
    return scope?.parts.map(({ chain, nativeFrom }) => [chain, nativeFrom])
  }
  await search(wallet, 'ethereum', [])
  await search(wallet, 'base', [
    { fromBlock: 0n, toBlock: 3n },
    { fromBlock: 5n, toBlock: 9n },
  ])
  expect(await native()).toEqual([
    ['base', 4n],
    ['ethereum', 0n],
  ])
  await search(wallet, 'base', [{ fromBlock: 4n, toBlock: 4n }])
  expect(await native()).toEqual([
    ['base', null],
    ['ethereum', 0n],
  ])
})

test('a saved wallet without any history is outside', async () => {
  const [synced, saved] = [`0x${'3'.repeat(40)}`, `0x${'4'.repeat(40)}`] as const
  await search(synced, 'ethereum')
  const entries = [synced, saved].map((address) => ({ account_id: BigInt(accountId), address, label: '' }))
  await database.db.insertInto('address_book_entry').values(entries).execute()
  const scope = await scopes().scopeOf(accountId, synced)
  expect(scope?.parts.map(({ wallet }) => wallet)).toEqual([synced])
  expect(scope?.elsewhere).toEqual([{ wallet: synced, chain: 'base' }])
  expect(await scopes().scopeOf(accountId, saved)).toBeUndefined()
})
