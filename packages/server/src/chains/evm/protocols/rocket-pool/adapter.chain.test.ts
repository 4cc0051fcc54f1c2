import { addresses, ownArtifact } from '@coffer/devnet'
import { type Address, parseAbi, parseEther } from 'viem'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { openProtocolBench } from '../../../../../test/protocol-bench.ts'
import { seededRandom } from '../../../../../test/random.ts'
import { evmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import type { Position } from '../../../../domain/position.ts'
import type { ProtocolRow } from '../../../protocol-row.ts'

const DAY_SECONDS = 86_400
const PERIOD_DAYS = 28
const MEGAPOOL_SHARE = 3n
const [STAKING, DISSOLVED] = [2, 4]
const { uni: rpl } = addresses.ethereum.tokens
const nodeAbi = parseAbi([
  'function registerNode()',
  'function stakeRPL(uint256 amount)',
  'function setLegacy(address node, uint256 amount)',
  'function unstakeRPL(uint256 amount)',
  'function unstakeLegacyRPL(uint256 amount)',
  'function withdrawRPL()',
  'function deposit(uint256 bond) payable',
  'function depositEthFor(address node) payable',
  'function credit(address node, uint256 amount)',
  'function owe(address node, uint256 rewards, uint256 outstanding)',
  'function createMinipool(address node, uint256 bond, uint256 fee) returns (address)',
  'function addMinipools(address node, address minipool, uint256 count)',
  'function getMegapoolAddress(address node) view returns (address)',
  'function getProxyAddress(address node) view returns (address)',
  'function getNodeMinipoolCount(address node) view returns (uint256)',
  'function getNodeMinipoolAt(address node, uint256 i) view returns (address)',
])
const megapoolAbi = parseAbi([
  'function assign(uint256 bond)',
  'function exit(uint256 exiting, uint256 locked)',
  'function owe(uint256 amount)',
  'function distribute()',
  'function claim()',
])
const minipoolAbi = parseAbi([
  'function set(uint8 status, bool vacant, uint256 refunded)',
  'function distributeBalance(bool rewardsOnly)',
  'function refund()',
])

const rows: ProtocolRow[] = []
const random = seededRandom('rocket pool')
let bench: Awaited<ReturnType<typeof openProtocolBench>>
let store: Address

beforeAll(async () => {
  bench = await openProtocolBench(inject('devnetState'), rows)
  store = await bench.chain.deploy(ownArtifact('RocketNode'), [rpl, true])
  const row = { family: 'rocket_pool', chain: 'ethereum' } as const
  rows.push({ ...row, key: 'rocketpool_nodes', name: 'Rocket Pool', deployment: { store, rpl } })
})
afterAll(() => bench?.stop())

const at = (from: Address) => ({ from, address: store, abi: nodeAbi }) as const
const megapoolOf = (node: Address) =>
  bench.client.readContract({ address: store, abi: nodeAbi, functionName: 'getMegapoolAddress', args: [node] })

async function newNode(): Promise<Address> {
  const node = random.address()
  await bench.chain.write({ ...at(node), functionName: 'registerNode' })
  return node
}

async function stake(node: Address, amount: bigint): Promise<void> {
  const { erc20 } = bench.chain.actions
  await erc20.mint(rpl, node, amount)
  await erc20.allow(rpl, node, store)
  await bench.chain.write({ ...at(node), functionName: 'stakeRPL', args: [amount] })
}

/** A validator with a bond paid by the node. */
async function bond(node: Address, amount: bigint, paid = amount): Promise<Address> {
  await bench.chain.actions.native.give(node, paid)
  await bench.chain.write({ ...at(node), functionName: 'deposit', args: [amount], value: paid })
  return megapoolOf(node)
}

async function newMinipool(node: Address, amount: bigint, fee: bigint): Promise<Address> {
  await bench.chain.write({ ...at(node), functionName: 'createMinipool', args: [node, amount, fee] })
  const view = { address: store, abi: nodeAbi } as const
  const count = await bench.client.readContract({ ...view, functionName: 'getNodeMinipoolCount', args: [node] })
  return bench.client.readContract({ ...view, functionName: 'getNodeMinipoolAt', args: [node, count - 1n] })
}

const NAMES = () =>
  new Map<string, string>([
    [NATIVE, 'coin'],
    [evmAddress(rpl), 'rpl'],
  ])
const amounts = (sign: string, list: Position['supplied']) =>
  list.map(({ token, amountRaw }) => `${sign}${amountRaw} ${NAMES().get(token)}`)

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
    await bench.chain.write({ ...at(node), functionName: 'setLegacy', args: [node, legacy] })
    const taken = random.amount(1n, (total - legacy) / 2n)
    await bench.chain.travel(5 * DAY_SECONDS)
    await bench.chain.write({ ...at(node), functionName: 'unstakeRPL', args: [taken] })
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
    await bench.client.setNextBlockTimestamp({ timestamp: BigInt(unlockAt - 1) })
    await bench.client.mine({ blocks: 1 })
    expect(await shown(node)).toEqual(expected('pending'))
    await bench.client.setNextBlockTimestamp({ timestamp: BigInt(unlockAt) })
    await bench.client.mine({ blocks: 1 })
    expect(await shown(node)).toEqual(expected('ready'))
    await bench.chain.write({ ...at(node), functionName: 'withdrawRPL' })
    expect(await bench.chain.actions.erc20.balanceOf(rpl, node)).toBe(taken)
    expect(await shown(node)).toHaveLength(2)
  }
})

it('a stake restarts the cooldown of a waiting withdrawal', async () => {
  const node = await newNode()
  await stake(node, parseEther('9'))
  await bench.chain.write({ ...at(node), functionName: 'unstakeRPL', args: [parseEther('4')] })
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
    const megapool = await bond(node, parseEther('4'))
    await bond(node, parseEther('4'))
    const call = { from: node, address: megapool, abi: megapoolAbi } as const
    expect(await shown(node)).toEqual([['Megapool', `${parseEther('8')} coin`]])
    // Before the first validator, nothing can be distributed.
    const rewards = random.amount(10n, parseEther('3'))
    await bench.chain.actions.native.give(megapool, rewards)
    expect(await shown(node)).toEqual([['Megapool', `${parseEther('8')} coin`]])
    await bench.chain.write({ ...call, functionName: 'assign', args: [parseEther('4')] })
    const own = (rewards * MEGAPOOL_SHARE) / 10n
    const debt = random.amount(1n, own - 1n)
    await bench.chain.write({ ...call, functionName: 'owe', args: [debt] })
    expect(await shown(node)).toEqual([['Megapool', `${parseEther('8')} coin`, `reward ${own - debt} coin`]])
    expect(await paidBy(node, () => bench.chain.write({ ...call, functionName: 'distribute' }))).toBe(own - debt)
    expect(await shown(node)).toEqual([['Megapool', `${parseEther('8')} coin`]])
    await bench.chain.write({ ...call, functionName: 'owe', args: [debt] })
    expect(await shown(node)).toEqual([['Megapool', `${parseEther('8')} coin`, `owed ${debt} coin`]])
  }
})

it('what a validator brings when it leaves is no reward while it leaves', async () => {
  const node = await newNode()
  const megapool = await bond(node, parseEther('4'))
  const call = { from: node, address: megapool, abi: megapoolAbi } as const
  await bench.chain.write({ ...call, functionName: 'assign', args: [parseEther('4')] })
  for (const [exiting, locked] of [
    [1n, 0n],
    [0n, 1n],
  ] as const) {
    await bench.chain.write({ ...call, functionName: 'exit', args: [exiting, locked] })
    await bench.chain.actions.native.give(megapool, parseEther('32'))
    expect(await shown(node)).toEqual([['Megapool', `${parseEther('4')} coin`]])
  }
})

it('reads minipools: bonds, rewards below eight coins, and capital from there on, as a distribution pays it', async () => {
  for (let round = 0; round < 3; round += 1) {
    const node = await newNode()
    const own = random.pick([8n, 16n]) * parseEther('1')
    const minipool = await newMinipool(node, own, random.amount(5n, 20n) * 10n ** 16n)
    const call = { from: node, address: minipool, abi: minipoolAbi } as const
    expect(await shown(node)).toEqual([['Minipool', `${own} coin`]])
    const { native } = bench.chain.actions
    await native.give(minipool, random.amount(1_000n, parseEther('7')))
    const [rewarded] = (await bench.read(node)).positions
    if (!rewarded) throw new Error('the minipool is not shown')
    expect(rewarded.supplied).toEqual([{ token: NATIVE, amountRaw: own }])
    const distribute = () => bench.chain.write({ ...call, functionName: 'distributeBalance', args: [false] })
    expect(await paidBy(node, distribute)).toBe(rewardsOf(rewarded))
    // A slashed validator, a whole one, and one with capital and rewards.
    await native.give(minipool, random.amount(parseEther('8'), parseEther('40')))
    const [left] = (await bench.read(node)).positions
    expect(await paidBy(node, distribute)).toBe(left?.supplied[0]?.amountRaw ?? 0n)
    expect(await shown(node)).toEqual([])
  }
})

it('a minipool distributed by another account has its capital in the refund, and not twice', async () => {
  const node = await newNode()
  const minipool = await newMinipool(node, parseEther('8'), 0n)
  const call = { from: random.address(), address: minipool, abi: minipoolAbi } as const
  await bench.chain.actions.native.give(minipool, parseEther('32'))
  await bench.chain.write({ ...call, functionName: 'distributeBalance', args: [false] })
  expect(await shown(node)).toEqual([['Minipool', `reward ${parseEther('8')} coin`]])
})

it('reads a dissolved minipool by what it has, and a vacant one without its refund', async () => {
  const node = await newNode()
  const dissolved = await newMinipool(node, parseEther('8'), 0n)
  const vacant = await newMinipool(node, parseEther('16'), 0n)
  const call = { from: node, abi: minipoolAbi, functionName: 'set' } as const
  await bench.chain.write({ ...call, address: dissolved, args: [DISSOLVED, false, 0n] })
  await bench.chain.actions.native.give(dissolved, parseEther('31'))
  await bench.chain.write({ ...call, address: vacant, args: [STAKING, true, parseEther('2')] })
  await bench.chain.actions.native.give(vacant, parseEther('2'))
  expect(await shown(node)).toEqual([
    ['Minipool', `reward ${parseEther('31')} coin`],
    ['Minipool', `${parseEther('16')} coin`],
  ])
})

it('leaves out a minipool that refuses, and says when there are more than it reads', async () => {
  const node = await newNode()
  const bad = await bench.chain.deploy(ownArtifact('WrappedBacking'), [rpl])
  const add = { ...at(node), functionName: 'addMinipools' } as const
  await bench.chain.write({ ...add, args: [node, bad, 1n] })
  const good = await newMinipool(node, parseEther('8'), 0n)
  await bench.chain.write({ ...add, args: [node, good, 254n] })
  const missing: unknown[] = []
  const read = () => bench.read(node, { leftOut: (why) => missing.push(why) })
  const { positions, batches } = await read()
  const refused = new Error(`minipool ${bad} could not be read`)
  expect([positions.length, batches, missing.splice(0)]).toEqual([255, 2, [refused]])
  await bench.chain.write({ ...add, args: [node, good, 1n] })
  expect((await read()).positions).toHaveLength(255)
  expect(missing).toEqual([refused, new Error('the node has 257 minipools, more than are read')])
})

it('reads what is kept for the node: its balance, its credit, and rewards that wait in three places', async () => {
  const node = await newNode()
  const { native } = bench.chain.actions
  const payer = random.address()
  await native.give(payer, parseEther('5'))
  const deposit = { ...at(payer), functionName: 'depositEthFor', args: [node], value: parseEther('5') } as const
  await bench.chain.write(deposit)
  await bench.chain.write({ ...at(payer), functionName: 'credit', args: [node, parseEther('4')] })
  await bench.chain.write({ ...at(payer), functionName: 'owe', args: [node, 7n, 11n] })
  const view = { address: store, abi: nodeAbi, functionName: 'getProxyAddress', args: [node] } as const
  // The node's share of fees is a third here.
  await native.give(await bench.client.readContract(view), 300n)
  expect(await shown(node)).toEqual([
    ['Balance', `${parseEther('5')} coin`],
    ['Credit', `${parseEther('4')} coin`],
    ['Rewards', 'reward 118 coin'],
  ])
})

it('reads the stake of a node from before megapools', async () => {
  const old = await bench.chain.deploy(ownArtifact('RocketNode'), [rpl, false])
  const now = [store, rows.splice(0)] as const
  store = old
  const deployment = { store, rpl }
  rows.push({ family: 'rocket_pool', chain: 'ethereum', key: 'rocketpool_nodes', name: 'Rocket Pool', deployment })
  await bench.discover()
  const node = await newNode()
  await stake(node, parseEther('3'))
  expect(await shown(node)).toEqual([['RPL, minipools', `${parseEther('3')} rpl`]])
  store = now[0]
  rows.splice(0, rows.length, ...now[1])
  await bench.discover()
})

it('a wallet that is no node costs no second call', async () => {
  const { positions, batches } = await bench.read(random.address())
  expect([positions, batches]).toEqual([[], 1])
})
