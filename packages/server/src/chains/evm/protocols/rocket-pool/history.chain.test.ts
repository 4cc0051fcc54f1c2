import { addresses, ownArtifact } from '@coffer/devnet'
import { type Address, encodeFunctionData, formatEther, parseAbi, parseEther } from 'viem'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { bookedCosts } from '../../../../../test/booked-costs.ts'
import { type HistoryBench, openHistoryBench } from '../../../../../test/history-bench.ts'
import { evmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import type { WalletTransaction } from '../../../../domain/transaction.ts'

const MONTH_SECONDS = 29 * 86_400
const { uni: rpl } = addresses.ethereum.tokens
const nodeAbi = parseAbi([
  'function registerNode()',
  'function stakeRPL(uint256 amount)',
  'function stakeRPLFor(address node, uint256 amount)',
  'function unstakeRPL(uint256 amount)',
  'function withdrawRPL()',
  'function deposit(uint256 bond) payable',
  'function depositEthFor(address node) payable',
  'function withdrawEth(address node, uint256 amount)',
  'function credit(address node, uint256 amount)',
  'function getMegapoolAddress(address node) view returns (address)',
  'function owe(address node, uint256 rewards, uint256 outstanding) payable',
  'function claimUnclaimedRewards(address node)',
  'function setWithdrawalAddress(address node, address to)',
  'function getNodeMinipoolAt(address node, uint256 i) view returns (address)',
  'function getNodeMinipoolCount(address node) view returns (uint256)',
])
const poolAbi = parseAbi([
  'function assign(uint256 bond)',
  'function exit(uint256 exiting, uint256 locked)',
  'function notifyFinalBalance(uint256 balance, uint256 bond)',
  'function distribute()',
  'function claim()',
  'function set(uint8 status, bool vacant, uint256 refunded)',
  'function distributeBalance(bool rewardsOnly)',
  'function refund()',
  'function close()',
])
const earlierAbi = parseAbi(['function deposit(uint256 bond, uint256 fee) payable'])
const DISSOLVED = 4

let bench: HistoryBench
let store: Address
/** A deposit contract that the storage has replaced. */
let earlier: Address
let nextWallet = 0x40_c7_00_00
const newWallet = (): Address => `0x${(nextWallet++).toString(16).padStart(40, '0')}`
const four = parseEther('4')

beforeAll(async () => {
  bench = await openHistoryBench(inject('devnetState'), async (chain) => {
    store = await chain.deploy(ownArtifact('RocketNode'), [rpl, true])
    earlier = await chain.deploy(ownArtifact('RocketNodeDepositEarlier'), [store])
    const deployment = { store, rpl }
    return { rows: [{ family: 'rocket_pool', key: 'nodes', name: 'Nodes', chain: 'ethereum', deployment }] }
  })
})
afterAll(() => bench?.stop())

type Call = Parameters<typeof encodeFunctionData<typeof nodeAbi>>[0]

/** By the wallet itself, with its gas costs. */
const call = (wallet: Address, data: Omit<Call, 'abi'>, value = 0n) =>
  bench.send(wallet, store, encodeFunctionData({ abi: nodeAbi, ...data } as Call), value)

async function newNode(): Promise<Address> {
  const node = newWallet()
  await bench.fund(node, parseEther('40'))
  const { erc20 } = bench.chain.actions
  await erc20.mint(rpl, node, parseEther('40'))
  await erc20.allow(rpl, node, store)
  await call(node, { functionName: 'registerNode' })
  return node
}

async function played(wallet: Address, play: () => Promise<unknown>): Promise<WalletTransaction[]> {
  const before = await bench.client.getBlockNumber()
  await play()
  return bench.readSince(wallet, before)
}

async function summary(node: Address, transactions: readonly WalletTransaction[]) {
  const view = { address: store, abi: nodeAbi, functionName: 'getMegapoolAddress', args: [node] } as const
  const megapool = await bench.client.readContract(view)
  const named = Object.entries({ megapool, coin: NATIVE, rpl, store })
  const names = new Map<string, string>(named.map(([name, address]) => [evmAddress(address), name]))
  return transactions.map(({ type, protocol, movements }) => [
    `${type} ${protocol}`,
    ...movements
      .filter(({ treatment }) => treatment !== 'fee')
      .map(({ treatment, amountRaw, token }) => `${treatment} ${amountRaw} ${names.get(token)}`),
  ])
}

it('RPL is staked, asked for, and taken by a call of its own or with the next request', async () => {
  const node = await newNode()
  const found = await played(node, async () => {
    await call(node, { functionName: 'stakeRPL', args: [2n * four] })
    await call(node, { functionName: 'unstakeRPL', args: [four] })
    await bench.chain.travel(MONTH_SECONDS)
    await call(node, { functionName: 'unstakeRPL', args: [four] })
    await bench.chain.travel(MONTH_SECONDS)
    await call(node, { functionName: 'withdrawRPL' })
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
  await bench.chain.write({
    from: newWallet(),
    address: store,
    abi: nodeAbi,
    functionName: 'credit',
    args: [node, four],
  })
  const found = await played(node, async () => {
    await call(node, { functionName: 'deposit', args: [four] }, four)
    await call(node, { functionName: 'deposit', args: [four] }, 1n)
    await call(node, { functionName: 'depositEthFor', args: [node] }, four)
    await call(node, { functionName: 'withdrawEth', args: [node, four] })
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
  const found = await played(payer, async () => {
    await call(payer, { functionName: 'stakeRPLFor', args: [node, four] })
    await call(payer, { functionName: 'depositEthFor', args: [node] }, four)
  })
  expect(await summary(node, found)).toEqual([
    ['TRANSFEROUT nodes', `send -${four} rpl`],
    ['TRANSFEROUT nodes', `send -${four} coin`],
  ])
  for (const { movements } of found) expect(movements[0]?.counterparty).toBe(evmAddress(node))
})

type PoolCall = Parameters<typeof encodeFunctionData<typeof poolAbi>>[0]

/** At a megapool or minipool. Anyone may call. */
const at = (pool: Address, from: Address, data: Omit<PoolCall, 'abi'>) =>
  bench.send(from, pool, encodeFunctionData({ abi: poolAbi, ...data } as PoolCall))

const give = (to: Address, amount: string) => bench.fund(to, parseEther(amount))

/** An account that can pay gas. */
async function newStranger(): Promise<Address> {
  const stranger = newWallet()
  await give(stranger, '2')
  return stranger
}

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
async function newMegapool(node: Address): Promise<Address> {
  await call(node, { functionName: 'deposit', args: [four] }, four)
  const view = { address: store, abi: nodeAbi, functionName: 'getMegapoolAddress', args: [node] } as const
  const megapool = await bench.client.readContract(view)
  await at(megapool, await newStranger(), { functionName: 'assign', args: [four] })
  return megapool
}

async function newestMinipool(node: Address, from = store): Promise<Address> {
  const view = { address: from, abi: nodeAbi } as const
  const count = await bench.client.readContract({ ...view, functionName: 'getNodeMinipoolCount', args: [node] })
  return bench.client.readContract({ ...view, functionName: 'getNodeMinipoolAt', args: [node, count - 1n] })
}

/** A bond of eight coins and a tenth of the others' earnings, made by an unlisted deposit contract. */
async function newMinipool(node: Address): Promise<Address> {
  const data = encodeFunctionData({ abi: earlierAbi, functionName: 'deposit', args: [2n * four, parseEther('0.1')] })
  await bench.send(node, earlier, data, 2n * four)
  return newestMinipool(node)
}

it('a megapool pays rewards as it shares them out, and a bond with its cost when the validator leaves', async () => {
  const node = await newNode()
  const found = await played(node, async () => {
    const megapool = await newMegapool(node)
    await give(megapool, '1')
    await at(megapool, node, { functionName: 'distribute' })
    await give(megapool, '32.5')
    await at(megapool, await newStranger(), { functionName: 'exit', args: [1n, 0n] })
    await at(megapool, node, { functionName: 'notifyFinalBalance', args: [parseEther('32'), four] })
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
  const found = await played(node, async () => {
    const [megapool, other] = [await newMegapool(node), await newStranger()]
    await give(megapool, '2')
    await at(megapool, other, { functionName: 'distribute' })
    await at(megapool, node, { functionName: 'claim' })
    await give(megapool, '32')
    await at(megapool, other, { functionName: 'exit', args: [1n, 0n] })
    await at(megapool, other, { functionName: 'notifyFinalBalance', args: [parseEther('32'), four] })
    await at(megapool, node, { functionName: 'claim' })
    await at(megapool, node, { functionName: 'claim' })
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
  const found = await played(node, async () => {
    const minipool = await newMinipool(node)
    await give(minipool, '1')
    await at(minipool, node, { functionName: 'distributeBalance', args: [true] })
    await give(minipool, '2')
    await at(minipool, await newStranger(), { functionName: 'distributeBalance', args: [true] })
    await give(minipool, '33')
    await at(minipool, node, { functionName: 'distributeBalance', args: [false] })
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
  const found = await played(node, async () => {
    const ended = await newMinipool(node)
    await give(ended, '32')
    await at(ended, await newStranger(), { functionName: 'distributeBalance', args: [false] })
    await at(ended, node, { functionName: 'refund' })
    const dissolved = await newMinipool(node)
    await at(dissolved, await newStranger(), { functionName: 'set', args: [DISSOLVED, false, 0n] })
    await give(dissolved, '8')
    await at(dissolved, node, { functionName: 'close' })
    const slashed = await newMinipool(node)
    await give(slashed, '30')
    await at(slashed, node, { functionName: 'distributeBalance', args: [false] })
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
  await call(node, { functionName: 'setWithdrawalAddress', args: [node, receiver] })
  const before = await bench.client.getBlockNumber()
  const megapool = await newMegapool(node)
  const minipool = await newMinipool(node)
  await give(megapool, '1')
  await at(megapool, node, { functionName: 'distribute' })
  await give(minipool, '32')
  await at(minipool, receiver, { functionName: 'distributeBalance', args: [false] })
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
  await call(payer, { functionName: 'owe', args: [node, parseEther('1'), 0n] }, parseEther('1'))
  const found = await played(node, () => call(node, { functionName: 'claimUnclaimedRewards', args: [node] }))
  expect(paid(found)).toEqual([['CLAIM nodes', 'income 1']])
})

it('a minipool that the storage does not know names nothing, regardless of its logs', async () => {
  const node = await newNode()
  const copy = await bench.chain.deploy(ownArtifact('RocketNode'), [rpl, true])
  const deposit = await bench.chain.deploy(ownArtifact('RocketNodeDepositEarlier'), [copy])
  const data = encodeFunctionData({ abi: earlierAbi, functionName: 'deposit', args: [2n * four, 0n] })
  const found = await played(node, async () => {
    await bench.send(node, deposit, data, 2n * four)
    const minipool = await newestMinipool(node, copy)
    await give(minipool, '32')
    await at(minipool, node, { functionName: 'distributeBalance', args: [false] })
  })
  expect(found.map(({ protocol }) => protocol)).toEqual([null, null])
})
