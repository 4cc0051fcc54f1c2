import { expect, test } from 'vitest'
import { lockAwaited, suiteDatabase } from '../../test/database.ts'
import { createCoverage } from './coverage.ts'

const database = await suiteDatabase('coverage')

let statements = 0
const db = database.db.withPlugin({
  transformQuery: ({ node }) => {
    statements += 1
    return node
  },
  transformResult: async ({ result }) => result,
})
const inTransaction = database.db.transaction.bind(database.db)
const range = (from: number, to: number) => ({ fromBlock: BigInt(from), toBlock: BigInt(to) })
const of = (wallet: string, chain = 'ethereum') => ({ wallet, chain })

test('blocks are joined with what touches or overlaps them, whatever their order', async () => {
  const coverage = createCoverage(db, 'history')
  const add = (...ranges: ReturnType<typeof range>[]) => coverage.update(of('joined'), async () => ranges)
  expect(await coverage.find(of('joined'))).toEqual([])
  await add(range(30, 39), range(10, 19))
  expect(await coverage.find(of('joined'))).toEqual([range(10, 19), range(30, 39)])
  await add(range(20, 20), range(35, 45), range(50, 50))
  expect(await coverage.find(of('joined'))).toEqual([range(10, 20), range(30, 45), range(50, 50)])
  await add()
  await add(range(0, 100))
  expect(await coverage.find(of('joined'))).toEqual([range(0, 100)])
})

test('a wallet, a chain and a purpose have coverage of their own', async () => {
  await createCoverage(db, 'native').update(of('own'), async () => [range(1, 2)])
  for (const [purpose, owner] of [
    ['native', of('other')],
    ['native', of('own', 'base')],
    ['history', of('own')],
  ] as const) {
    expect(await createCoverage(db, purpose).find(owner)).toEqual([])
  }
})

test('blocks from one on are forgotten, within a range and beyond all of them', async () => {
  const coverage = createCoverage(db, 'approvals')
  const forget = (from: bigint) => inTransaction().execute((trx) => coverage.forget(trx, of('forgotten'), from))
  await coverage.update(of('forgotten'), async () => [range(0, 9), range(20, 29), range(40, 49)])
  await coverage.update(of('kept'), async () => [range(0, 49)])
  await forget(50n)
  expect(await coverage.find(of('forgotten'))).toHaveLength(3)
  await forget(25n)
  expect(await coverage.find(of('forgotten'))).toEqual([range(0, 9), range(20, 24)])
  await forget(15n)
  expect(await coverage.find(of('forgotten'))).toEqual([range(0, 9)])
  await forget(0n)
  expect(await coverage.find(of('forgotten'))).toEqual([])
  expect(await coverage.find(of('kept'))).toEqual([range(0, 49)])
})

test('the coverage of another set of logs does not count, and is gone when one of this set is stored', async () => {
  const [old, fresh] = [createCoverage(db, 'logs', 'old'), createCoverage(db, 'logs', 'fresh')]
  await old.update(of('sets'), async () => [range(0, 100)])
  expect(await fresh.find(of('sets'))).toEqual([])
  await fresh.update(of('sets'), async () => [range(90, 100)])
  expect(await fresh.find(of('sets'))).toEqual([range(90, 100)])
  expect(await old.find(of('sets'))).toEqual([])
})

test('a hundred wallets take one statement to read, one to extend and one to lock', async () => {
  const coverage = createCoverage(db, 'history')
  const wallets = Array.from({ length: 100 }, (_, i) => `wallet ${i}`)
  statements = 0
  await db.transaction().execute(async (trx) => {
    await coverage.lockAll(trx, 'base', wallets)
    await coverage.extendAll(
      trx,
      'base',
      new Map(wallets.map((wallet, i) => [wallet, [range(i, i), range(i + 2, 200)]])),
    )
  })
  const found = await coverage.findAll('base', wallets)
  expect(statements).toBe(3)
  expect(found.get('wallet 7')).toEqual([range(7, 7), range(9, 200)])
  expect([...found.keys()]).toEqual(wallets)
})

test('results that fail leave their blocks uncovered, and searches of one wallet wait for each other', async () => {
  const coverage = createCoverage(db, 'programs')
  const failing = coverage.update(of('one'), async () => {
    throw new Error('no room')
  })
  await expect(failing).rejects.toThrow('no room')
  expect(await coverage.find(of('one'))).toEqual([])
  const order: string[] = []
  const first = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const one = coverage.update(of('one'), async () => {
    begun.resolve()
    await first.promise
    order.push('first')
    return [range(0, 4)]
  })
  await begun.promise
  const two = coverage.update(of('one'), async () => {
    order.push('second')
    return [range(5, 9)]
  })
  await lockAwaited(database)
  first.resolve()
  await Promise.all([one, two])
  expect(order).toEqual(['first', 'second'])
  expect(await coverage.find(of('one'))).toEqual([range(0, 9)])
})

test('heads are added with blocks or without, newest first, each block once, and the last eight stay', async () => {
  const coverage = createCoverage(db, 'history')
  const head = (block: number, hash = `0x${block}`) => ({ block: BigInt(block), hash })
  const add = (wallet: string, ...heads: ReturnType<typeof head>[]) =>
    coverage.update(of(wallet), async () => (wallet === 'covered' ? [range(0, Number(heads[0]?.block))] : []), heads)
  for (const wallet of ['covered', 'empty']) {
    await add(wallet, head(100), head(4))
    await add(wallet, head(101), head(5))
    await add(wallet, head(101, '0xother'), head(5))
    expect(await coverage.findHeads(of(wallet))).toEqual([head(101, '0xother'), head(5), head(100), head(4)])
  }
  expect(await coverage.find(of('covered'))).toEqual([range(0, 101)])
  expect(await coverage.find(of('empty'))).toEqual([])
  // Coverage without heads leaves them.
  await coverage.update(of('covered'), async () => [range(300, 300)])
  await inTransaction().execute((trx) => coverage.forget(trx, of('covered'), 101n))
  expect(await coverage.findHeads(of('covered'))).toEqual([head(5), head(100), head(4)])
  for (let block = 110; block < 120; block += 1) await add('covered', head(block), head(block - 96))
  const kept = await coverage.findHeads(of('covered'))
  expect([kept.length, kept[0], kept.at(-1)]).toEqual([8, head(119), head(20)])
})

test('wallets that are searched together share their heads, read by one statement', async () => {
  const coverage = createCoverage(db, 'history')
  const wallets = Array.from({ length: 100 }, (_, i) => `together ${i}`)
  const heads = [{ block: 10n, hash: '0x10' }]
  await db
    .transaction()
    .execute((trx) =>
      coverage.extendAll(trx, 'base', new Map(wallets.map((wallet) => [wallet, [range(0, 10)]])), heads),
    )
  statements = 0
  const found = await coverage.findAllHeads('base', [...wallets, 'never searched'])
  expect(statements).toBe(1)
  expect(found).toEqual(new Map(wallets.map((wallet) => [wallet, heads])))
  expect(new Set(found.values()).size).toBe(1)
})
