import { addresses } from '@coffer/devnet'
import { type Address, formatEther, parseEther } from 'viem'
import { expect, it } from 'vitest'
import { unsold } from '../../../../../test/booked-costs.ts'
import { type Contract, deployOwn } from '../../../../../test/contract-of.ts'
import { amountsIn, ownBench } from '../../../../../test/history-bench.ts'
import { namedHistory } from '../../../../../test/named-history.ts'
import { nodePlays } from '../../../../../test/node-plays.ts'
import { seededRandom } from '../../../../../test/random.ts'
import { evmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import type { Position } from '../../../../domain/position.ts'
import type { WalletTransaction } from '../../../../domain/transaction.ts'
import type { ProtocolRow } from '../../../protocol-row.ts'

const DAY_SECONDS = 86_400
const PERIOD_DAYS = 28
const MEGAPOOL_SHARE = 3n
const [STAKING, DISSOLVED] = [2, 4]
const { uni: rpl } = addresses.ethereum.tokens

const rows: ProtocolRow[] = []
const random = seededRandom('rocket pool')
const bench = await ownBench(rows)
const { erc20, native } = bench.chain.actions
let store = await deployOwn(bench.chain, 'RocketNode', [rpl, true])
const { megapoolOf, newestMinipool } = nodePlays(bench.chain)
list(store.address)
await bench.discover()

function list(address: Address): void {
  const row = { family: 'rocket_pool', key: 'rocketpool_nodes', name: 'Rocket Pool', chain: 'ethereum' }
  rows.splice(0, rows.length, { ...row, deployment: { store: address, rpl } })
}

async function newNode(): Promise<Address> {
  const node = random.address()
  await store.write(node, 'registerNode')
  return node
}

async function stake(node: Address, amount: bigint): Promise<void> {
  await bench.give(node, rpl, amount, store.address)
  await store.write(node, 'stakeRPL', amount)
}

/** A validator with a bond of four coins paid by the node. */
async function bond(node: Address) {
  await native.give(node, parseEther('4'))
  await store.pay(node, parseEther('4'), 'deposit', parseEther('4'))
  return megapoolOf(store, node)
}

async function newMinipool(node: Address, amount: bigint, fee: bigint) {
  await store.write(node, 'createMinipool', node, amount, fee)
  return newestMinipool(store, node)
}

const NAMES: Readonly<Record<string, string>> = { [NATIVE]: 'coin', [evmAddress(rpl)]: 'rpl' }
const amounts = (sign: string, list: Position['supplied']) =>
  list.map(({ token, amountRaw }) => `${sign}${amountRaw} ${NAMES[token]}`)

/** Labels and amounts of positions. */
async function shown(node: Address): Promise<string[][]> {
  const { positions, batches } = await bench.read(node)
  expect(batches).toBeLessThanOrEqual(2)
  return positions.map(({ label, supplied, rewards, borrowed }) => [
    ...[label, ...amounts('', supplied), ...amounts('reward ', rewards), ...amounts('owed ', borrowed)],
  ])
}

/** The node's income from `act`. */
async function paidBy(node: Address, act: () => Promise<unknown>): Promise<bigint> {
  const before = await bench.client.getBalance({ address: node })
  await act()
  return (await bench.client.getBalance({ address: node })) - before
}

const rewardsOf = ({ rewards }: Position) => rewards.reduce((sum, { amountRaw }) => sum + amountRaw, 0n)

it('reads RPL that is staked of both kinds, and what was asked for until it may be taken', async () => {
  for (let round = 0; round < 3; round += 1) {
    const node = await newNode()
    const total = random.amount(1_000n, parseEther('900'))
    const legacy = random.amount(1n, total / 2n)
    await stake(node, total)
    await store.write(node, 'setLegacy', node, legacy)
    const taken = random.amount(1n, (total - legacy) / 2n)
    await bench.chain.travel(5 * DAY_SECONDS)
    await store.write(node, 'unstakeRPL', taken)
    const { timestamp: asked } = await bench.client.getBlock()
    const expected = (state: string) => [
      ['RPL, minipools', `${legacy} rpl`],
      ['RPL, megapool', `${total - legacy - taken} rpl`],
      [`RPL, unstaking, ${state}`, `${taken} rpl`],
    ]
    expect(await shown(node)).toEqual(expected('pending'))
    const { positions } = await bench.read(node)
    const unlockAt = Number(asked) + PERIOD_DAYS * DAY_SECONDS + 1
    expect(positions.map((position) => position.unlockAt)).toEqual([undefined, undefined, unlockAt])
    for (const [timestamp, state] of [
      [unlockAt - 1, 'pending'],
      [unlockAt, 'ready'],
    ] as const) {
      await bench.client.setNextBlockTimestamp({ timestamp: BigInt(timestamp) })
      await bench.client.mine({ blocks: 1 })
      expect(await shown(node)).toEqual(expected(state))
    }
    await store.write(node, 'withdrawRPL')
    expect(await erc20.balanceOf(rpl, node)).toBe(taken)
    expect(await shown(node)).toHaveLength(2)
  }
})

it('a stake restarts the cooldown of a waiting withdrawal', async () => {
  const node = await newNode()
  await stake(node, parseEther('9'))
  await store.write(node, 'unstakeRPL', parseEther('4'))
  await bench.chain.travel((PERIOD_DAYS - 1) * DAY_SECONDS)
  await stake(node, 1n)
  const { timestamp: staked } = await bench.client.getBlock()
  await bench.chain.travel(5 * DAY_SECONDS)
  const { positions } = await bench.read(node)
  const waiting = positions.find(({ kind }) => kind === 'locked')
  expect([waiting?.label, waiting?.unlockAt]).toEqual([
    'RPL, unstaking, pending',
    Number(staked) + PERIOD_DAYS * DAY_SECONDS,
  ])
})

it('reads the bond of a megapool, what waits in its queue, and what a claim pays after its debt', async () => {
  for (let round = 0; round < 3; round += 1) {
    const node = await newNode()
    const megapool = await bond(node)
    await bond(node)
    expect(await shown(node)).toEqual([['Megapool', `${parseEther('8')} coin`]])
    // Before the first validator, nothing can be distributed.
    const rewards = random.amount(10n, parseEther('3'))
    await native.give(megapool.address, rewards)
    expect(await shown(node)).toEqual([['Megapool', `${parseEther('8')} coin`]])
    await megapool.write(node, 'assign', parseEther('4'))
    const own = (rewards * MEGAPOOL_SHARE) / 10n
    const debt = random.amount(1n, own - 1n)
    await megapool.write(node, 'owe', debt)
    expect(await shown(node)).toEqual([['Megapool', `${parseEther('8')} coin`, `reward ${own - debt} coin`]])
    expect(await paidBy(node, () => megapool.write(node, 'distribute'))).toBe(own - debt)
    expect(await shown(node)).toEqual([['Megapool', `${parseEther('8')} coin`]])
    await megapool.write(node, 'owe', debt)
    expect(await shown(node)).toEqual([['Megapool', `${parseEther('8')} coin`, `owed ${debt} coin`]])
  }
})

it('what a validator brings when it leaves is no reward while it leaves', async () => {
  const node = await newNode()
  const megapool = await bond(node)
  await megapool.write(node, 'assign', parseEther('4'))
  for (const [exiting, locked] of [
    [1n, 0n],
    [0n, 1n],
  ] as const) {
    await megapool.write(node, 'exit', exiting, locked)
    await native.give(megapool.address, parseEther('32'))
    expect(await shown(node)).toEqual([['Megapool', `${parseEther('4')} coin`]])
  }
})

it('reads minipools: bonds, rewards below eight coins, and capital from there on, as a distribution pays it', async () => {
  for (let round = 0; round < 3; round += 1) {
    const node = await newNode()
    const own = random.pick([8n, 16n]) * parseEther('1')
    const minipool = await newMinipool(node, own, random.amount(5n, 20n) * 10n ** 16n)
    expect(await shown(node)).toEqual([['Minipool', `${own} coin`]])
    await native.give(minipool.address, random.amount(1_000n, parseEther('7')))
    const [rewarded] = (await bench.read(node)).positions
    if (!rewarded) throw new Error('the minipool is not shown')
    expect(rewarded.supplied).toEqual([{ token: NATIVE, amountRaw: own }])
    const distribute = () => minipool.write(node, 'distributeBalance', false)
    expect(await paidBy(node, distribute)).toBe(rewardsOf(rewarded))
    // A slashed validator, a whole one, and one with capital and rewards.
    await native.give(minipool.address, random.amount(parseEther('8'), parseEther('40')))
    const [left] = (await bench.read(node)).positions
    expect(await paidBy(node, distribute)).toBe(left?.supplied[0]?.amountRaw ?? 0n)
    expect(await shown(node)).toEqual([])
  }
})

it('a minipool distributed by another account has its capital in the refund, and not twice', async () => {
  const node = await newNode()
  const minipool = await newMinipool(node, parseEther('8'), 0n)
  await native.give(minipool.address, parseEther('32'))
  await minipool.write(random.address(), 'distributeBalance', false)
  expect(await shown(node)).toEqual([['Minipool', `reward ${parseEther('8')} coin`]])
})

it('reads a dissolved minipool by what it has, and a vacant one without its refund', async () => {
  const node = await newNode()
  const dissolved = await newMinipool(node, parseEther('8'), 0n)
  const vacant = await newMinipool(node, parseEther('16'), 0n)
  await dissolved.write(node, 'set', DISSOLVED, false, 0n)
  await native.give(dissolved.address, parseEther('31'))
  await vacant.write(node, 'set', STAKING, true, parseEther('2'))
  await native.give(vacant.address, parseEther('2'))
  expect(await shown(node)).toEqual([
    ['Minipool', `reward ${parseEther('31')} coin`],
    ['Minipool', `${parseEther('16')} coin`],
  ])
})

it('leaves out a minipool that refuses, and says when there are more than it reads', async () => {
  const node = await newNode()
  const bad = await deployOwn(bench.chain, 'WrappedBacking', [rpl])
  await store.write(node, 'addMinipools', node, bad.address, 1n)
  const good = await newMinipool(node, parseEther('8'), 0n)
  await store.write(node, 'addMinipools', node, good.address, 254n)
  const { positions, batches, missing } = await bench.readPartly(node)
  const refused = `Error: minipool ${bad.address} could not be read`
  expect([positions.length, batches, missing]).toEqual([255, 2, [refused]])
  await store.write(node, 'addMinipools', node, good.address, 1n)
  const more = await bench.readPartly(node)
  expect(more.positions).toHaveLength(255)
  expect(more.missing).toEqual([refused, 'Error: the node has 257 minipools, more than are read'])
})

it('reads what is kept for the node: its balance, its credit, and rewards that wait in three places', async () => {
  const node = await newNode()
  const payer = random.address()
  await native.give(payer, parseEther('5'))
  await store.pay(payer, parseEther('5'), 'depositEthFor', node)
  await store.write(payer, 'credit', node, parseEther('4'))
  await store.write(payer, 'owe', node, 7n, 11n)
  // The node's share of fees is a third here.
  await native.give(await store.read<Address>('getProxyAddress', node), 300n)
  expect(await shown(node)).toEqual([
    ['Balance', `${parseEther('5')} coin`],
    ['Credit', `${parseEther('4')} coin`],
    ['Rewards', 'reward 118 coin'],
  ])
})

/** A deposit contract that the storage has replaced. */
const earlier = await deployOwn(bench.chain, 'RocketNodeDepositEarlier', [store.address])
const MONTH_SECONDS = 29 * DAY_SECONDS
const four = parseEther('4')

type Play = readonly [functionName: string, ...args: readonly unknown[]]

/** By the caller itself, with its gas costs. Anyone may call pools. */
const at = ({ address, data }: Contract, from: Address, [name, ...args]: Play, value = 0n) =>
  bench.send(from, address, data(name, ...args), value)
const call = (wallet: Address, play: Play, value = 0n) => at(store, wallet, play, value)

async function newPayingNode(): Promise<Address> {
  const node = bench.newWallet()
  await bench.fund(node, parseEther('40'))
  await bench.give(node, rpl, parseEther('40'), store.address)
  await call(node, ['registerNode'])
  return node
}

async function summary(node: Address, transactions: readonly WalletTransaction[]) {
  const { address: megapool } = await megapoolOf(store, node)
  return amountsIn(transactions, { megapool, coin: NATIVE, rpl, store: store.address })
}

const give = (to: Address, amount: string) => bench.fund(to, parseEther(amount))

/** An account that can pay gas. */
async function newOutsider(): Promise<Address> {
  const outsider = bench.newWallet()
  await give(outsider, '2')
  return outsider
}

it('RPL is staked, asked for, and taken by a call of its own or with the next request', async () => {
  const node = await newPayingNode()
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
    ['STAKE rocketpool_nodes', `move -${2n * four} rpl`, 'move 0 store'],
    ['UNSTAKE rocketpool_nodes', `move ${four} rpl`, 'move 0 store'],
    ['UNSTAKE rocketpool_nodes', `move ${four} rpl`, 'move 0 store'],
  ])
})

it('a bond goes into the megapool, as far as the node pays it; a balance goes in and comes back', async () => {
  const node = await newPayingNode()
  await store.write(bench.newWallet(), 'credit', node, four)
  const found = await bench.played(node, async () => {
    await call(node, ['deposit', four], four)
    await call(node, ['deposit', four], 1n)
    await call(node, ['depositEthFor', node], four)
    await call(node, ['withdrawEth', node, four])
  })
  expect(await summary(node, found)).toEqual([
    ['STAKE rocketpool_nodes', `move -${four} coin`, 'move 0 megapool'],
    ['STAKE rocketpool_nodes', 'move -1 coin', 'move 0 megapool'],
    ['STAKE rocketpool_nodes', `move -${four} coin`, 'move 0 store'],
    ['UNSTAKE rocketpool_nodes', `move ${four} coin`, 'move 0 store'],
  ])
})

it('what is staked or deposited for another node is sent to it', async () => {
  const [node, payer] = [await newPayingNode(), await newPayingNode()]
  const found = await bench.played(payer, async () => {
    await call(payer, ['stakeRPLFor', node, four])
    await call(payer, ['depositEthFor', node], four)
  })
  expect(await summary(node, found)).toEqual([
    ['TRANSFEROUT rocketpool_nodes', `send -${four} rpl`],
    ['TRANSFEROUT rocketpool_nodes', `send -${four} coin`],
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

const { costs } = namedHistory(bench, () => ({ coin: NATIVE }))
/** Forty coins were bought at a thousand dollars each and are worth three thousand. */
const books = (wallet: Address, found: readonly WalletTransaction[]) => costs(wallet, 'coin 3000 had 40 at 1000', found)

/** With a validator with a bond of four coins. */
async function openMegapool(node: Address): Promise<Contract> {
  await call(node, ['deposit', four], four)
  const megapool = await megapoolOf(store, node)
  await at(megapool, await newOutsider(), ['assign', four])
  return megapool
}

/** A bond of eight coins and a tenth of the others' earnings, made by an unlisted deposit contract. */
async function openMinipool(node: Address): Promise<Contract> {
  await at(earlier, node, ['deposit', 2n * four, parseEther('0.1')], 2n * four)
  return newestMinipool(store, node)
}

it('a megapool pays rewards as it shares them out, and a bond with its cost when the validator leaves', async () => {
  const node = await newPayingNode()
  const found = await bench.played(node, async () => {
    const megapool = await openMegapool(node)
    await give(megapool.address, '1')
    await at(megapool, node, ['distribute'])
    await give(megapool.address, '32.5')
    await at(megapool, await newOutsider(), ['exit', 1n, 0n])
    await at(megapool, node, ['notifyFinalBalance', parseEther('32'), four])
  })
  // The node gets three tenths of rewards: of one coin, then of the half above the balance.
  expect(paid(found)).toEqual([
    ['STAKE rocketpool_nodes', 'move -4'],
    ['CLAIM rocketpool_nodes', 'income 0.3'],
    ['UNSTAKE rocketpool_nodes', 'move 4', 'income 0.15'],
  ])
  // 40 * 1,000 and 0.45 * 3,000.
  expect(books(node, found)).toEqual({ held: { coin: '40.45 at 41350' }, ...unsold('41350', '1350') })
})

it('what others made a megapool distribute earlier is paid as capital first, and no cost remains', async () => {
  const node = await newPayingNode()
  const found = await bench.played(node, async () => {
    const [megapool, other] = [await openMegapool(node), await newOutsider()]
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
    ['STAKE rocketpool_nodes', 'move -4'],
    ['UNSTAKE rocketpool_nodes', 'move 0.6'],
    ['UNSTAKE rocketpool_nodes', 'move 4'],
    ['INTERACTION rocketpool_nodes'],
  ])
  // The second payment has 3.4 as the rest of the bond and 0.6 of income.
  expect(books(node, found)).toEqual({ held: { coin: '40.6 at 41800' }, ...unsold('41800', '1800') })
})

it('a minipool pays rewards without a log of them, and the bond with its cost in the end', async () => {
  const node = await newPayingNode()
  const found = await bench.played(node, async () => {
    const minipool = await openMinipool(node)
    await give(minipool.address, '1')
    await at(minipool, node, ['distributeBalance', true])
    await give(minipool.address, '2')
    await at(minipool, await newOutsider(), ['distributeBalance', true])
    await give(minipool.address, '33')
    await at(minipool, node, ['distributeBalance', false])
  })
  // A quarter of each coin, and a tenth of the rest: 0.325. Of 33 coins 8.325, after another account distributed the
  // 0.65.
  expect(paid(found)).toEqual([
    ['STAKE rocketpool_nodes', 'move -8'],
    ['CLAIM rocketpool_nodes', 'income 0.325'],
    ['UNSTAKE rocketpool_nodes', 'move 8.325', 'income 0.65'],
  ])
  // 1.3 * 3,000: the amount above the bond is also income.
  expect(books(node, found)).toEqual({ held: { coin: '41.3 at 43900' }, ...unsold('43900', '3900') })
})

it('a minipool that others ended, and one that was dissolved, give the bond back; what was slashed stays', async () => {
  const node = await newPayingNode()
  const found = await bench.played(node, async () => {
    const ended = await openMinipool(node)
    await give(ended.address, '32')
    await at(ended, await newOutsider(), ['distributeBalance', false])
    await at(ended, node, ['refund'])
    const dissolved = await openMinipool(node)
    await at(dissolved, await newOutsider(), ['set', DISSOLVED, false, 0n])
    await give(dissolved.address, '8')
    await at(dissolved, node, ['close'])
    const slashed = await openMinipool(node)
    await give(slashed.address, '30')
    await at(slashed, node, ['distributeBalance', false])
  })
  expect(paid(found)).toEqual([
    ['STAKE rocketpool_nodes', 'move -8'],
    ['UNSTAKE rocketpool_nodes', 'move 8'],
    ['STAKE rocketpool_nodes', 'move -8'],
    ['UNSTAKE rocketpool_nodes', 'move 8'],
    ['STAKE rocketpool_nodes', 'move -8'],
    ['UNSTAKE rocketpool_nodes', 'move 6'],
  ])
  expect(books(node, found)).toEqual({
    held: { coin: '38 at 38000', 'coin in a position': '2 at 2000' },
    ...unsold('40000'),
  })
})

it('a withdrawal address gets rewards as income, and capital from outside; the cost stays with the node', async () => {
  const [node, receiver] = [await newPayingNode(), await newOutsider()]
  await call(node, ['setWithdrawalAddress', node, receiver])
  const before = await bench.client.getBlockNumber()
  const megapool = await openMegapool(node)
  const minipool = await openMinipool(node)
  await give(megapool.address, '1')
  await at(megapool, node, ['distribute'])
  await give(minipool.address, '32')
  await at(minipool, receiver, ['distributeBalance', false])
  const [atReceiver, atNode] = [await bench.readSince(receiver, before), await bench.readSince(node, before)]
  expect(paid(atReceiver)).toEqual([
    ['CLAIM rocketpool_nodes', 'income 0.3'],
    ['UNSTAKE rocketpool_nodes', 'move 8'],
  ])
  // 40,000 and 8.3 * 3,000.
  expect(books(receiver, atReceiver)).toEqual({ held: { coin: '48.3 at 64900' }, ...unsold('64900', '900') })
  expect(paid(atNode)).toEqual([
    ['STAKE rocketpool_nodes', 'move -4'],
    ['STAKE rocketpool_nodes', 'move -8'],
    ['INTERACTION rocketpool_nodes'],
  ])
})

it('rewards that were kept for the node are claimed', async () => {
  const node = await newPayingNode()
  const payer = await newOutsider()
  await call(payer, ['owe', node, parseEther('1'), 0n], parseEther('1'))
  const found = await bench.played(node, () => call(node, ['claimUnclaimedRewards', node]))
  expect(paid(found)).toEqual([['CLAIM rocketpool_nodes', 'income 1']])
})

it('a minipool that the storage does not know names nothing, regardless of its logs', async () => {
  const node = await newPayingNode()
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

it('reads the stake of a node from before megapools', async () => {
  const now = store
  store = await deployOwn(bench.chain, 'RocketNode', [rpl, false])
  list(store.address)
  await bench.discover()
  const node = await newNode()
  await stake(node, parseEther('3'))
  expect(await shown(node)).toEqual([['RPL, minipools', `${parseEther('3')} rpl`]])
  store = now
  list(store.address)
  await bench.discover()
})

it('a wallet that is no node costs no second call', bench.expectNothing)
