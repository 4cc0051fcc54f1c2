import { expect, test } from 'vitest'
import { seededRandom } from '../../../../test/random.ts'
import { sized } from '../../../../test/sized.ts'
import { startCluster } from '../../../../test/solana/cluster.ts'
import { type Had, startPlay } from '../../../../test/solana/wallet-play.ts'
import { NATIVE_SOL, WRAPPED_SOL } from '../../../domain/solana-address.ts'
import type { WalletTransaction } from '../../../domain/transaction.ts'
import { finalSlot, solanaActivity } from '../activity/wallet-activity.ts'
import type { SolanaTransaction } from '../codec/solana-transaction.ts'
import { programOf } from './naming-rules.ts'
import { readSolanaTransactions } from './read-transactions.ts'

const SOL = 1_000_000_000n
const FEE = 5_000n
/** Rent of a token account of 165 bytes. */
const RENT = 2_039_280n

const { devnet, poolOf, openReader, walletWith: walletOf } = await startCluster()
const walletWith = (name: string) => walletOf(name, 100n * SOL)

/** Oldest first. */
async function historyOf(wallet: string): Promise<WalletTransaction[]> {
  const pool = poolOf()
  const open = await openReader().tokenAccounts(wallet)
  const ranges = [{ fromBlock: 0n, toBlock: await finalSlot(pool) }]
  const found: SolanaTransaction[][] = []
  const search = { pool, wallet, ranges, tokenAccounts: open.map(({ address }) => address) }
  for await (const piece of solanaActivity(search)) found.unshift(piece.transactions)
  const directory = { programOf, isSpam: () => false }
  return readSolanaTransactions(found.flat(), wallet, directory)
}

const reported = ({ type, movements }: WalletTransaction) => [
  type,
  ...movements.map(({ token, amountRaw, treatment }) => [token, amountRaw, treatment]),
]

test('movements add up to every balance after every step of a random run', async () => {
  const play = await startPlay(devnet, seededRandom('movements'), 'movements')
  const had: Had[] = []
  for (let i = 0; i < sized({ small: 150, deep: 1_200 }); i += 1) {
    await play.step()
    had.push(play.had())
  }
  const transactions = await historyOf(play.wallet.address)
  let next = 0
  const sums = new Map<string, bigint>()
  for (const { slot, lamports, tokens } of had) {
    for (let tx = transactions[next]; tx && tx.block <= slot; tx = transactions[next]) {
      for (const { token, amountRaw } of tx.movements) sums.set(token, (sums.get(token) ?? 0n) + amountRaw)
      next += 1
    }
    const expected = new Map<string, bigint>([[NATIVE_SOL, lamports], ...tokens])
    expect(new Map([...sums].filter(([, amount]) => amount !== 0n))).toEqual(expected)
  }
  expect(next).toBe(transactions.length)
})

test('transfers, with their counterparties, and failures', async () => {
  const wallet = await walletWith('transfers')
  const friend = await walletWith('transfers: friend')
  const { sol } = devnet.actions
  await sol.transfer(wallet, friend.address, 3n * SOL)
  await sol.transfer(friend, wallet.address, SOL)
  await sol.transfer(wallet, friend.address, 2n * SOL, { feePayer: friend })
  await sol.transfer(wallet, friend.address, 1_000n * SOL, { mayFail: true })
  const [given, out, back, free, failed] = await historyOf(wallet.address)
  expect([given, out, back, free, failed].map((tx) => tx && reported(tx))).toEqual([
    ['TRANSFERIN', [NATIVE_SOL, 100n * SOL, 'acquire']],
    ['TRANSFEROUT', [NATIVE_SOL, -3n * SOL, 'send'], [NATIVE_SOL, -FEE, 'fee']],
    ['TRANSFERIN', [NATIVE_SOL, SOL, 'acquire']],
    ['TRANSFEROUT', [NATIVE_SOL, -2n * SOL, 'send']],
    ['FAILED', [NATIVE_SOL, -FEE, 'fee']],
  ])
  expect([out, back, free].map((tx) => tx?.movements[0]?.counterparty)).toEqual(Array(3).fill(friend.address))
  expect(failed?.succeeded).toBe(false)
})

test('what keeps a token account open waits there, and comes back', async () => {
  const wallet = await walletWith('rent')
  const { mints, tokens } = devnet.actions
  const token = await mints.create(await devnet.keypair('rent: mint'), { decimals: 2 })
  await tokens.open(token, wallet)
  await tokens.mint(token, wallet.address, 7n)
  await tokens.burn(token, wallet, 7n)
  await tokens.close(token, wallet)
  const [, opened, made, burnt, closed] = await historyOf(wallet.address)
  expect([opened, made, burnt, closed].map((tx) => tx && reported(tx))).toEqual([
    ['INTERACTION', [NATIVE_SOL, -RENT, 'move'], [NATIVE_SOL, -FEE, 'fee']],
    ['TRANSFERIN', [token.mint, 7n, 'acquire']],
    ['TRANSFEROUT', [token.mint, -7n, 'send'], [NATIVE_SOL, -FEE, 'fee']],
    ['INTERACTION', [NATIVE_SOL, RENT, 'move'], [NATIVE_SOL, -FEE, 'fee']],
  ])
  const account = await tokens.accountOf(token, wallet.address)
  expect([opened, closed].map((tx) => tx?.movements[0]?.counterparty)).toEqual([account, account])
})

test('an account that is opened for somebody else is paid for, not kept', async () => {
  const wallet = await walletWith('sender')
  const friend = await walletWith('sender: friend')
  const { mints, tokens } = devnet.actions
  const token = await mints.create(await devnet.keypair('sender: mint'), { decimals: 2 })
  await tokens.mint(token, wallet.address, 10n)
  await tokens.transfer(token, wallet, friend.address, 4n)
  const sent = (await historyOf(wallet.address)).at(-1)
  expect(sent?.movements.map(({ token: of, amountRaw }) => [of, amountRaw])).toEqual([
    [NATIVE_SOL, -RENT],
    [token.mint, -4n],
    [NATIVE_SOL, -FEE],
  ])
  expect(sent?.type).toBe('TRANSFEROUT')
  expect((await historyOf(friend.address)).map(reported).at(-1)).toEqual(['TRANSFERIN', [token.mint, 4n, 'acquire']])
})

test('SOL is wrapped and unwrapped at its cost', async () => {
  const wallet = await walletWith('wrapper')
  await devnet.actions.wrappedSol.wrap(wallet, 5n * SOL)
  await devnet.actions.tokens.close(devnet.actions.wrappedSol.token, wallet)
  const [, wrapped, unwrapped] = await historyOf(wallet.address)
  expect([wrapped, unwrapped].map((tx) => tx && reported(tx))).toEqual([
    [
      'WRAP',
      [NATIVE_SOL, -5n * SOL, 'move'],
      [WRAPPED_SOL, 5n * SOL, 'move'],
      [NATIVE_SOL, -RENT, 'move'],
      [NATIVE_SOL, -FEE, 'fee'],
    ],
    [
      'UNWRAP',
      [NATIVE_SOL, 5n * SOL, 'move'],
      [WRAPPED_SOL, -5n * SOL, 'move'],
      [NATIVE_SOL, RENT, 'move'],
      [NATIVE_SOL, -FEE, 'fee'],
    ],
  ])
  for (const tx of [wrapped, unwrapped]) {
    expect(new Set(tx?.movements.slice(0, 2).map(({ leg }) => leg)).size).toBe(1)
  }
})

test('stake goes into its account and comes back from it', async () => {
  const wallet = await walletWith('staker')
  const account = await devnet.keypair('staker: stake')
  const { stake } = devnet.actions
  await stake.create(wallet, account, 10n * SOL)
  await stake.delegate(wallet, account.address)
  await stake.deactivate(wallet, account.address)
  devnet.chain.moveToEpoch(devnet.chain.epoch() + 2n)
  await stake.withdraw(wallet, account.address, 10n * SOL + stake.reserve)
  const [, made, delegated, , back] = await historyOf(wallet.address)
  const whole = 10n * SOL + stake.reserve
  // Creating an account takes both signatures: it costs twice as much.
  expect([made, delegated, back].map((tx) => tx && reported(tx))).toEqual([
    ['STAKE', [NATIVE_SOL, -whole, 'move'], [NATIVE_SOL, -2n * FEE, 'fee']],
    ['INTERACTION', [NATIVE_SOL, -FEE, 'fee']],
    ['UNSTAKE', [NATIVE_SOL, whole, 'move'], [NATIVE_SOL, -FEE, 'fee']],
  ])
  expect([made, back].map((tx) => tx?.protocol)).toEqual(['native_stake', 'native_stake'])
})
