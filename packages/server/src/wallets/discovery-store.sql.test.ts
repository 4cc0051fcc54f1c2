import { expect, test } from 'vitest'
import { suiteDatabase } from '../../test/database.ts'
import type { PresentChain, SeenBlock } from '../chains/seen-block.ts'
import type { FoundInLogs } from '../chains/stores.ts'
import type { EvmAddress } from '../domain/evm-address.ts'
import { createDiscoveryStore } from './discovery-store.ts'

const database = await suiteDatabase('discovery_store')
const many = createDiscoveryStore(database.db)

const manager = '0x00000000000000000000000000000000000000aa' as const
const other = '0x00000000000000000000000000000000000000bb' as const
const SET = 'one set'
const dueOf = (address: EvmAddress, block = 5n) => ({ address, block, sent: true })
const NONE: FoundInLogs = { due: [], keys: [], covered: [], heads: [] }
let wallets = 0
let statements = 0
const counting = createDiscoveryStore(
  database.db.withPlugin({
    transformQuery: ({ node }) => {
      statements += 1
      return node
    },
    transformResult: async ({ result }) => result,
  }),
)
type Search = { wallet: EvmAddress; chain: string; logs: string }

/** For one wallet. */
const store = {
  ...many,
  save: ({ wallet, ...of }: Search, found: FoundInLogs) => many.save(of, new Map([[wallet, found]])),
  async begin({ wallet, ...of }: Search, head: SeenBlock, present: PresentChain) {
    const begun = await many.begin({ ...of, contracts: [] }, new Map([[wallet, head]]), present)
    const { covered, heads, isAnew } = begun.get(wallet) ?? expect.fail('the wallet is absent')
    return { covered, heads, isAnew }
  },
}

const newSearch = (logs = SET) => {
  wallets += 1
  return { wallet: `0x${wallets.toString(16).padStart(40, '0')}`, chain: 'ethereum', logs } as const
}
const until = (toBlock: bigint) => [{ fromBlock: 0n, toBlock }]
/** A chain with this hash at every height. */
const chainOf = (hash: string) => ({ hashAt: async () => hash, finality: 10n })

test('keys are kept by contract, each once, in the order of their blocks, whatever size they have', async () => {
  const search = newSearch()
  const largest = 2n ** 256n - 1n
  await store.save(search, {
    ...NONE,
    keys: [
      { contract: manager, key: 5n, block: 900n },
      { contract: manager, key: largest, block: 700n },
      { contract: other, key: 5n, block: 800n },
      { contract: manager, key: 5n, block: 950n },
    ],
  })
  await store.save(search, { ...NONE, keys: [{ contract: manager, key: 5n, block: 600n }] })
  expect(await store.findKeys(search, [manager, other])).toEqual({
    keys: [
      { contract: manager, key: largest },
      { contract: manager, key: 5n },
      { contract: other, key: 5n },
    ],
    cut: new Set(),
  })
  expect((await store.findKeys(search, [other])).keys).toEqual([{ contract: other, key: 5n }])
  expect((await store.findKeys({ ...search, chain: 'base' }, [manager])).keys).toEqual([])
})

test('of a flood of keys the oldest and the newest are read, and it is said that there are more', async () => {
  const search = newSearch()
  const flood = (from: number, count: number) =>
    Array.from({ length: count }, (_, i) => ({ contract: manager, key: BigInt(from + i), block: BigInt(from + i) }))
  await store.save(search, { ...NONE, keys: [...flood(1, 1024), { contract: other, key: 1n, block: 1n }] })
  const whole = await store.findKeys(search, [manager, other])
  expect([whole.keys.length, whole.cut]).toEqual([1025, new Set()])
  await store.save(search, { ...NONE, keys: flood(1025, 76) })
  const { keys, cut } = await store.findKeys(search, [manager, other])
  expect(cut).toEqual(new Set([manager]))
  const read = keys.filter(({ contract }) => contract === manager).map(({ key }) => Number(key))
  expect([read.length, read[0], read[511], read[512], read.at(-1)]).toEqual([1024, 1, 512, 589, 1100])
})

test('another set of logs is searched from the start, and keeps what was found', async () => {
  const search = newSearch()
  const head = { block: 900n, hash: '0xaa' }
  const heads = [head]
  const begin = (logs: string) => store.begin({ ...search, logs }, head, chainOf('0xaa'))
  expect(await begin(SET)).toEqual({ covered: [], heads, isAnew: false })
  const found = { due: [dueOf(other)], keys: [{ contract: manager, key: 1n, block: 5n }], covered: until(900n), heads }
  await store.save(search, found)
  await store.settle(search, [other], [other])
  expect(await begin(SET)).toEqual({ covered: until(900n), heads, isAnew: false })
  expect(await begin('a larger set')).toEqual({ covered: [], heads, isAnew: true })
  expect(await begin('a larger set')).toEqual({ covered: [], heads, isAnew: false })
  expect(await store.findTokens(search.wallet, 'ethereum')).toEqual([other])
  expect((await store.findKeys(search, [manager])).keys).toEqual([{ contract: manager, key: 1n }])
  // A process of the previous version does not cover blocks that it has not searched.
  await store.save(search, { ...NONE, covered: until(900n) })
  expect(await begin('a larger set')).toEqual({ covered: [], heads, isAnew: true })
})

test('coverage from before a set was known counts for no set', async () => {
  const search = newSearch()
  await database.pool.query(
    `insert into wallet_coverage (wallet, chain, purpose, blocks) values ($1, 'ethereum', 'logs', '{[0,900]}')`,
    [search.wallet],
  )
  const head = { block: 900n, hash: '0xaa' }
  expect(await store.begin(search, head, chainOf('0xaa'))).toEqual({ covered: [], heads: [head], isAnew: true })
})

test('coverage of blocks that were reorganised away is searched again', async () => {
  const search = newSearch()
  const [old, present] = [
    { block: 500n, hash: '0xaa' },
    { block: 510n, hash: '0xbb' },
  ]
  await store.save(search, { ...NONE, covered: until(500n), heads: [old] })
  const begin = () => store.begin(search, present, chainOf('0xbb'))
  expect(await begin()).toEqual({ covered: [], heads: [present], isAnew: false })
  // It is forgotten immediately: a chain that goes back is also searched again.
  expect(await store.begin(search, old, chainOf('0xaa'))).toEqual({ covered: [], heads: [old], isAnew: false })
})

test('a hundred wallets are known by one statement, for reads and for a search, which then waits with what it stores', async () => {
  const wallets = Array.from({ length: 100 }, () => newSearch().wallet)
  const head = (block: bigint) => ({ block, hash: '0xaa' })
  const found = (i: number): FoundInLogs => ({
    due: [dueOf(other)],
    keys: [{ contract: manager, key: BigInt(i), block: 5n }],
    covered: until(900n),
    heads: [head(900n)],
  })
  const of = { chain: 'ethereum', logs: SET }
  statements = 0
  await counting.save(of, new Map(wallets.map((wallet, i) => [wallet, found(i)])))
  // The lock, contracts, position IDs, blocks and heads.
  expect(statements).toBe(5)
  const seventh = { wallet: wallets[7] as EvmAddress, chain: 'ethereum' }
  await many.settle(seventh, [other], [other])

  statements = 0
  const [begun, tokens, keys] = await Promise.all([
    counting.begin(
      { ...of, contracts: [manager] },
      new Map(wallets.map((wallet) => [wallet, head(905n)])),
      chainOf('0xaa'),
    ),
    Promise.all(wallets.map((wallet) => counting.findTokens(wallet, 'ethereum'))),
    Promise.all(wallets.map((wallet) => counting.findKeys({ wallet, chain: 'ethereum' }, [manager]))),
  ])
  expect(statements).toBe(1)
  expect(begun.get(wallets[7] as EvmAddress)).toEqual({
    ...{ covered: until(900n), heads: [head(905n), head(900n)], isAnew: false, isDue: false },
    ...{ tokens: [other], keys: [{ contract: manager, key: 7n }] },
  })
  expect(tokens[7]).toEqual([other])
  expect(keys[7]?.keys).toEqual([{ contract: manager, key: 7n }])
})

test('contracts that logs named wait to be asked: the newest and the oldest come first, and tokens are those of them that are', async () => {
  const search = newSearch()
  const contractOf = (i: number): EvmAddress => `0xc${i.toString(16).padStart(39, '0')}`
  const due = Array.from({ length: 10 }, (_, i) => ({ address: contractOf(i), block: BigInt(95 + i), sent: i !== 9 }))
  await store.save(search, { ...NONE, due })
  // Found again as a token: its place does not change.
  await store.save(search, { ...NONE, due: [{ address: contractOf(9), block: 300n, sent: true }] })
  const { contracts, total } = await store.findDue(search, 2)
  expect(total).toBe(10)
  expect(contracts.map(({ address }) => address)).toEqual([9, 8, 1, 0].map(contractOf))
  expect(contracts[0]).toEqual({ address: contractOf(9), block: 104n, sent: true })
  await store.settle(search, [contractOf(9), contractOf(0)], [contractOf(0)])
  expect(await store.findTokens(search.wallet, 'ethereum')).toEqual([contractOf(0)])
  expect((await store.findDue(search, 1)).contracts.map(({ address }) => address)).toEqual([8, 1].map(contractOf))
  // Nothing is stored for a wallet that was forgotten in the meantime.
  await store.settle(newSearch(), [contractOf(5)], [contractOf(5)])
  const { rows } = await database.pool.query('select 1 from wallet_token where address = $1', [contractOf(5)])
  expect(rows).toEqual([])
})
