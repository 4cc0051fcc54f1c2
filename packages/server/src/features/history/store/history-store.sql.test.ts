import { expect, test } from 'vitest'
import { lockAwaited, suiteDatabase } from '../../../../test/database.ts'
import { NATIVE_SOL } from '../../../domain/solana-address.ts'
import type { WalletTransaction } from '../../../domain/transaction.ts'
import { findCoverage as findShownCoverage } from '../transactions/transaction-store.ts'
import { createFindTokenAccounts, createHistoryStore } from './history-store.ts'

const WALLET = 'Wa11et1111111111111111111111111111111111111'
const of = { wallet: WALLET, chain: 'solana' }
const ACCOUNTS = ['First111111111111111111111111111111111111111', 'Secnd111111111111111111111111111111111111111']

const database = await suiteDatabase('history_store')
const history = createHistoryStore(database.db)

/** A final transaction of slot 7. */
function transaction(hash: string, index: number): WalletTransaction {
  const movement = { token: NATIVE_SOL, tokenId: null, amountRaw: 1n, counterparty: null, debt: false, leg: 0 }
  return {
    ...{ hash, block: 7n, blockHash: '', index, time: 1, from: WALLET, to: null, selector: '0x', succeeded: true },
    ...{ feeRaw: 5_000n, type: 'TRANSFERIN', protocol: null, movements: [{ ...movement, treatment: 'acquire' }] },
  }
}

test('a transaction reported at another place the next time is stored once, and paid for once', async () => {
  const paid: number[] = []
  const store = (...found: WalletTransaction[]) =>
    history.save(
      of,
      found,
      { ranges: [{ fromBlock: 7n, toBlock: 7n }], native: [] },
      async (_, fresh) => void paid.push(fresh),
    )
  // By order of listing, then with one that was listed late, then with the places of a node that reports them.
  await store(transaction('b', 0))
  await store(transaction('a', 0), transaction('b', 1))
  await store(transaction('a', 31), transaction('b', 57))
  await store(transaction('a', 31), transaction('b', 57))
  expect(paid).toEqual([1, 1, 0, 0])
  const rows = await database.db
    .selectFrom('history_transaction as tx')
    .innerJoin('history_movement as movement', (join) =>
      join.onRef('movement.wallet', '=', 'tx.wallet').onRef('movement.tx_index', '=', 'tx.tx_index'),
    )
    .select(['hash', 'tx.tx_index', 'amount'])
    .orderBy('tx.tx_index')
    .execute()
  expect(rows).toEqual([
    { hash: 'a', tx_index: 31, amount: '1' },
    { hash: 'b', tx_index: 57, amount: '1' },
  ])
})

test('what may wait for the wallet waits before the account is locked by the payment', async () => {
  const wallet = 'Waits11111111111111111111111111111111111111'
  const other = await database.pool.connect()
  await other.query('begin')
  await other.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`history ${wallet}`])
  let paid = false
  const found = [{ ...transaction('w', 0), from: wallet }]
  const saving = history.save({ wallet, chain: 'solana' }, found, undefined, async () => {
    paid = true
  })
  await lockAwaited(database)
  expect(paid).toBe(false)
  await other.query('rollback')
  other.release()
  await saving
  expect(paid).toBe(true)
})

test('token accounts are stored with the slots that were searched for them, or not at all', async () => {
  const { save, findCoverage } = history
  const find = createFindTokenAccounts(database.db)
  const other = { wallet: 'Other11111111111111111111111111111111111111', chain: 'solana' }
  const ranges = [{ fromBlock: 1n, toBlock: 2n }]
  const refuse = () => Promise.reject(new Error('no credits'))
  await expect(save(other, [], { ranges, native: ranges, tokenAccounts: ACCOUNTS }, refuse)).rejects.toThrow()
  expect([await find(other), await findCoverage(other)]).toEqual([[], []])
  for (const tokenAccounts of [ACCOUNTS.slice(0, 1), ACCOUNTS]) {
    await save(other, [], { ranges, native: ranges, tokenAccounts }, async () => undefined)
  }
  expect([await find(other), await findCoverage(other)]).toEqual([ACCOUNTS, ranges])
})

test('a long history is taken back by statements of a bounded size, and noted as changed from its first block on', async () => {
  const long = { wallet: '0x00000000000000000000000000000000000000aa', chain: 'ethereum' }
  await database.pool.query(
    `insert into history_transaction
        (wallet, chain, block, tx_index, hash, block_hash, block_time, sender, selector, succeeded, fee, type)
      select $1, $2, n, 0, 'tx' || n, 'b' || n, to_timestamp(n), $1, '', true, 0, 'SEND' from generate_series(1, 21000) as n`,
    [long.wallet, long.chain],
  )
  const sizes: number[] = []
  const counted = database.db.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      sizes.push(result.rows.length)
      return result
    },
  })
  await createHistoryStore(counted).rewind(long, 501n)
  expect(sizes.filter((size) => size > 1)).toEqual([10_000, 10_000, 500])
  const { rows } = await database.pool.query(
    `select count(*)::int as left, max(block)::int as last,
      (select extract(epoch from min(since))::int from history_change where wallet = $1) as since
    from history_transaction where wallet = $1`,
    [long.wallet],
  )
  expect(rows).toEqual([{ left: 500, last: 500, since: 501 }])
})

test('blocks of a replaced chain are in doubt until the chain has them again, and a rewind removes them', async () => {
  const { save, markReplaced, rewind, setGaps, group } = history
  const doubted = { wallet: '0x00000000000000000000000000000000000000bb', chain: 'ethereum' }
  const ranges = [{ fromBlock: 0n, toBlock: 999n }]
  await save(doubted, [], { ranges, native: ranges }, async () => undefined)
  await setGaps(doubted, [{ fromBlock: 700n, toBlock: 710n, reason: 'not-offered' }])
  const found = async () =>
    (await findShownCoverage(database.db, [doubted.wallet])).map(({ fromBlock, toBlock, complete, reason }) => [
      ...[fromBlock, toBlock, complete, reason],
    ])
  const unserved = [700n, 710n, false, 'not-offered']
  const whole = [[0n, 999n, true, null], unserved]
  expect(await found()).toEqual(whole)
  for (const fromBlock of [500n, 700n]) {
    await markReplaced(doubted, { fromBlock, toBlock: 1_200n })
    const rows = await found()
    expect(rows).toHaveLength(3)
    expect(rows).toEqual(
      expect.arrayContaining([
        [0n, fromBlock - 1n, true, null],
        unserved,
        [fromBlock, 1_200n, false, 'replaced-chain'],
      ]),
    )
  }
  await group.removeMarks('ethereum', [doubted.wallet])
  expect(await found()).toEqual(whole)
  await markReplaced(doubted, { fromBlock: 700n, toBlock: 999n })
  await rewind(doubted, 700n)
  expect(await found()).toEqual([[0n, 699n, true, null]])
})
