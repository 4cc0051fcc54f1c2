import { addresses } from '@coffer/devnet'
import { type Address, formatEther, parseEther } from 'viem'
import { expect, it } from 'vitest'
import { bookedCosts } from '../../../../../test/booked-costs.ts'
import { type Contract, deployOwn } from '../../../../../test/contract-of.ts'
import { amountsIn, historyBench } from '../../../../../test/history-bench.ts'
import { nodePlays } from '../../../../../test/node-plays.ts'
import { evmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import type { WalletTransaction } from '../../../../domain/transaction.ts'

const MONTH_SECONDS = 29 * 86_400
const { uni: rpl } = addresses.ethereum.tokens
const DISSOLVED = 4
const four = parseEther('4')

const bench = await historyBench(async (chain) => {
  const store = await deployOwn(chain, 'RocketNode', [rpl, true])
  const row = { family: 'rocket_pool', key: 'nodes', name: 'Nodes', chain: 'ethereum' }
  return { store, rows: [{ ...row, deployment: { store: store.address, rpl } }] }
})
const { store } = bench.made
/** A deposit contract that the storage has replaced. */
const earlier = await deployOwn(bench.chain, 'RocketNodeDepositEarlier', [store.address])
const { megapoolOf, newestMinipool } = nodePlays(bench.chain)

type Play = readonly [functionName: string, ...args: readonly unknown[]]

/** By the caller itself, with its gas costs. Anyone may call pools. */
const at = ({ address, data }: Contract, from: Address, [name, ...args]: Play, value = 0n) =>
  bench.send(from, address, data(name, ...args), value)
const call = (wallet: Address, play: Play, value = 0n) => at(store, wallet, play, value)

async function newNode(): Promise<Address> {
  const node = bench.newWallet()
  await bench.fund(node, parseEther('40'))
  const { erc20 } = bench.chain.actions
  await erc20.mint(rpl, node, parseEther('40'))
  await erc20.allow(rpl, node, store.address)
  await call(node, ['registerNode'])
  return node
}

async function summary(node: Address, transactions: readonly WalletTransaction[]) {
  const { address: megapool } = await megapoolOf(store, node)
  return amountsIn(transactions, { megapool, coin: NATIVE, rpl, store: store.address })
}

const give = (to: Address, amount: string) => bench.fund(to, parseEther(amount))

/** An account that can pay gas. */
async function newStranger(): Promise<Address> {
  const stranger = bench.newWallet()
  await give(stranger, '2')
  return stranger
}

it('RPL is staked, asked for, and taken by a call of its own or with the next request', async () => {
  const node = await newNode()
  const found = await bench.played(node, async () => {
    await call(node, ['stakeRPL', 2n * four])
    await call(node, ['unstakeRPL', four])
    await bench.chain.travel(MONTH_SECONDS)
    await call(node, ['unstakeRPL', four])
    await bench.chain.travel(MONTH_SECONDS)
    await call(node, ['withdrawRPL'])
  })
  const moving = (await summary(node, found)).filter(({ length }) => length > 1)
  expect(moving).toEqual([
    ['STAKE nodes', `move -${2n * four} rpl`, 'move 0 store'],
    ['UNSTAKE nodes', `move ${four} rpl`, 'move 0 store'],
    ['UNSTAKE nodes', `move ${four} rpl`, 'move 0 store'],
  ])
})

it('a bond goes into the megapool, as far as the node pays it; a balance goes in and comes back', async () => {
  const node = await newNode()
  await store.write(bench.newWallet(), 'credit', node, four)
  const found = await bench.played(node, async () => {
    await call(node, ['deposit', four], four)
    await call(node, ['deposit', four], 1n)
    await call(node, ['depositEthFor', node], four)
    await call(node, ['withdrawEth', node, four])
  })
  expect(await summary(node, found)).toEqual([
    ['STAKE nodes', `move -${four} coin`, 'move 0 megapool'],
    ['STAKE nodes', 'move -1 coin', 'move 0 megapool'],
    ['STAKE nodes', `move -${four} coin`, 'move 0 store'],
    ['UNSTAKE nodes', `move ${four} coin`, 'move 0 store'],
  ])
})

it('what is staked or deposited for another node is sent to it', async () => {
  const [node, payer] = [await newNode(), await newNode()]
  const found = await bench.played(payer, async () => {
    await call(payer, ['stakeRPLFor', node, four])
    await call(payer, ['depositEthFor', node], four)
  })
  expect(await summary(node, found)).toEqual([
    ['TRANSFEROUT nodes', `send -${four} rpl`],
    ['TRANSFEROUT nodes', `send -${four} coin`],
  ])
  for (const { movements } of found) expect(movements[0]?.counterparty).toBe(evmAddress(node))
})

/** Type of a payment, its capital (`move`) and rewards (`income`). */
const paid = (transactions: readonly WalletTransaction[]) =>
  transactions.map(({ type, protocol, movements }) => [
    `${type} ${protocol}`,
    ...movements
      .filter(({ treatment, token }) => treatment !== 'fee' && token === NATIVE)
      .map(({ treatment, amountRaw }) => `${treatment} ${formatEther(amountRaw)}`),
  ])

/** Forty coins were bought at a thousand dollars each and are worth three thousand. */
const books = (wallet: Address, found: readonly WalletTransaction[]) =>
  bookedCosts(bench.book, wallet, { coin: { address: NATIVE, price: '3000', had: '40', paid: '1000' } }, found)

const unsold = { realised: '0', disposals: 0, flagged: [] }

/** With a validator with a bond of four coins. */
async function newMegapool(node: Address): Promise<Contract> {
  await call(node, ['deposit', four], four)
  const megapool = await megapoolOf(store, node)
  await at(megapool, await newStranger(), ['assign', four])
  return megapool
}

/** A bond of eight coins and a tenth of the others' earnings, made by an unlisted deposit contract. */
async function newMinipool(node: Address): Promise<Contract> {
  await at(earlier, node, ['deposit', 2n * four, parseEther('0.1')], 2n * four)
  return newestMinipool(store, node)
}

it('a megapool pays rewards as it shares them out, and a bond with its cost when the validator leaves', async () => {
  const node = await newNode()
  const found = await bench.played(node, async () => {
    const megapool = await newMegapool(node)
    await give(megapool.address, '1')
    await at(megapool, node, ['distribute'])
    await give(megapool.address, '32.5')
    await at(megapool, await newStranger(), ['exit', 1n, 0n])
    await at(megapool, node, ['notifyFinalBalance', parseEther('32'), four])
  })
  // The node gets three tenths of rewards: of one coin, then of the half above the balance.
  expect(paid(found)).toEqual([
    ['STAKE nodes', 'move -4'],
    ['CLAIM nodes', 'income 0.3'],
    ['UNSTAKE nodes', 'move 4', 'income 0.15'],
  ])
  // 40 * 1,000 and 0.45 * 3,000.
  expect(books(node, found)).toEqual({
    ...{ held: { coin: '40.45 at 41350' }, basis: '41350', income: '1350' },
    ...unsold,
  })
})

it('what others made a megapool distribute earlier is paid as capital first, and no cost remains', async () => {
  const node = await newNode()
  const found = await bench.played(node, async () => {
    const [megapool, other] = [await newMegapool(node), await newStranger()]
    await give(megapool.address, '2')
    await at(megapool, other, ['distribute'])
    await at(megapool, node, ['claim'])
    await give(megapool.address, '32')
    await at(megapool, other, ['exit', 1n, 0n])
    await at(megapool, other, ['notifyFinalBalance', parseEther('32'), four])
    await at(megapool, node, ['claim'])
    await at(megapool, node, ['claim'])
  })
  expect(paid(found)).toEqual([
    ['STAKE nodes', 'move -4'],
    ['UNSTAKE nodes', 'move 0.6'],
    ['UNSTAKE nodes', 'move 4'],
    ['INTERACTION nodes'],
  ])
  // The second payment has 3.4 as the rest of the bond and 0.6 of income.
  expect(books(node, found)).toEqual({
    ...{ held: { coin: '40.6 at 41800' }, basis: '41800', income: '1800' },
    ...unsold,
  })
})

it('a minipool pays rewards without a log of them, and the bond with its cost in the end', async () => {
  const node = await newNode()
  const found = await bench.played(node, async () => {
    const minipool = await newMinipool(node)
    await give(minipool.address, '1')
    await at(minipool, node, ['distributeBalance', true])
    await give(minipool.address, '2')
    await at(minipool, await newStranger(), ['distributeBalance', true])
    await give(minipool.address, '33')
    await at(minipool, node, ['distributeBalance', false])
  })
  // A quarter of each coin, and a tenth of the rest: 0.325. Of 33 coins 8.325, after another account distributed the
  // 0.65.
  expect(paid(found)).toEqual([
    ['STAKE nodes', 'move -8'],
    ['CLAIM nodes', 'income 0.325'],
    ['UNSTAKE nodes', 'move 8.325', 'income 0.65'],
  ])
  // 1.3 * 3,000: the amount above the bond is also income.
  expect(books(node, found)).toEqual({
    ...{ held: { coin: '41.3 at 43900' }, basis: '43900', income: '3900' },
    ...unsold,
  })
})

it('a minipool that others ended, and one that was dissolved, give the bond back; what was slashed stays', async () => {
  const node = await newNode()
  const found = await bench.played(node, async () => {
    const ended = await newMinipool(node)
    await give(ended.address, '32')
    await at(ended, await newStranger(), ['distributeBalance', false])
    await at(ended, node, ['refund'])
    const dissolved = await newMinipool(node)
    await at(dissolved, await newStranger(), ['set', DISSOLVED, false, 0n])
    await give(dissolved.address, '8')
    await at(dissolved, node, ['close'])
    const slashed = await newMinipool(node)
    await give(slashed.address, '30')
    await at(slashed, node, ['distributeBalance', false])
  })
  expect(paid(found)).toEqual([
    ['STAKE nodes', 'move -8'],
    ['UNSTAKE nodes', 'move 8'],
    ['STAKE nodes', 'move -8'],
    ['UNSTAKE nodes', 'move 8'],
    ['STAKE nodes', 'move -8'],
    ['UNSTAKE nodes', 'move 6'],
  ])
  expect(books(node, found)).toEqual({
    ...{ held: { coin: '38 at 38000', 'coin in a position': '2 at 2000' }, basis: '40000', income: '0' },
    ...unsold,
  })
})

it('a withdrawal address gets rewards as income, and capital from outside; the cost stays with the node', async () => {
  const [node, receiver] = [await newNode(), await newStranger()]
  await call(node, ['setWithdrawalAddress', node, receiver])
  const before = await bench.client.getBlockNumber()
  const megapool = await newMegapool(node)
  const minipool = await newMinipool(node)
  await give(megapool.address, '1')
  await at(megapool, node, ['distribute'])
  await give(minipool.address, '32')
  await at(minipool, receiver, ['distributeBalance', false])
  const [atReceiver, atNode] = [await bench.readSince(receiver, before), await bench.readSince(node, before)]
  expect(paid(atReceiver)).toEqual([
    ['CLAIM nodes', 'income 0.3'],
    ['UNSTAKE nodes', 'move 8'],
  ])
  // 40,000 and 8.3 * 3,000.
  expect(books(receiver, atReceiver)).toEqual({
    ...{ held: { coin: '48.3 at 64900' }, basis: '64900', income: '900' },
    ...unsold,
  })
  expect(paid(atNode)).toEqual([['STAKE nodes', 'move -4'], ['STAKE nodes', 'move -8'], ['INTERACTION nodes']])
})

it('rewards that were kept for the node are claimed', async () => {
  const node = await newNode()
  const payer = await newStranger()
  await call(payer, ['owe', node, parseEther('1'), 0n], parseEther('1'))
  const found = await bench.played(node, () => call(node, ['claimUnclaimedRewards', node]))
  expect(paid(found)).toEqual([['CLAIM nodes', 'income 1']])
})

it('a minipool that the storage does not know names nothing, regardless of its logs', async () => {
  const node = await newNode()
  const copy = await deployOwn(bench.chain, 'RocketNode', [rpl, true])
  const deposit = await deployOwn(bench.chain, 'RocketNodeDepositEarlier', [copy.address])
  const found = await bench.played(node, async () => {
    await at(deposit, node, ['deposit', 2n * four, 0n], 2n * four)
    const minipool = await newestMinipool(copy, node)
    await give(minipool.address, '32')
    await at(minipool, node, ['distributeBalance', false])
  })
  expect(found.map(({ protocol }) => protocol)).toEqual([null, null])
})
