import { addresses } from '@coffer/devnet'
import { type Address, parseEther } from 'viem'
import { expect, it } from 'vitest'
import { deployOwn } from '../../../../../test/contract-of.ts'
import { nodePlays } from '../../../../../test/node-plays.ts'
import { protocolBench } from '../../../../../test/protocol-bench.ts'
import { seededRandom } from '../../../../../test/random.ts'
import { evmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import type { Position } from '../../../../domain/position.ts'
import type { ProtocolRow } from '../../../protocol-row.ts'

const DAY_SECONDS = 86_400
const PERIOD_DAYS = 28
const MEGAPOOL_SHARE = 3n
const [STAKING, DISSOLVED] = [2, 4]
const { uni: rpl } = addresses.ethereum.tokens

const rows: ProtocolRow[] = []
const random = seededRandom('rocket pool')
const bench = await protocolBench(rows)
const { erc20, native } = bench.chain.actions
let store = await deployOwn(bench.chain, 'RocketNode', [rpl, true])
const { megapoolOf, newestMinipool } = nodePlays(bench.chain)
list(store.address)

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
  await erc20.mint(rpl, node, amount)
  await erc20.allow(rpl, node, store.address)
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
