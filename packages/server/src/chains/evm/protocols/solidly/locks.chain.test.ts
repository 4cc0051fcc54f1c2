import { addresses, ownArtifact } from '@coffer/devnet'
import {
  type Abi,
  type Address,
  decodeFunctionResult,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  parseAbi,
  parseEther,
} from 'viem'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { amountsOf, expectedAmounts, openProtocolBench } from '../../../../../test/protocol-bench.ts'
import { seededRandom } from '../../../../../test/random.ts'
import type { Random } from '../../../../../test/random-of.ts'
import { evmAddress } from '../../../../domain/evm-address.ts'
import type { ProtocolRow } from '../../../protocol-row.ts'

const WEEK = 7 * 86_400
const { tokens, multicall3 } = addresses.ethereum
const locked = tokens.uni
const paid = [locked, tokens.usdc, tokens.weth, tokens.dai] as const
const factoryAbi = parseAbi([
  'function createPool(address one, address other, bool stable) returns (address)',
  'function getPool(address one, address other, bool stable) view returns (address)',
])
const votesAbi = parseAbi([
  'function ve() view returns (address)',
  'function distributor() view returns (address)',
  'function createGauge(address pool) returns (address)',
  'function openVotes(address pool)',
  'function gauges(address pool) view returns (address)',
  'function gaugeToFees(address gauge) view returns (address)',
  'function gaugeToBribe(address gauge) view returns (address)',
  'function vote(uint256 id, address[] pools, uint256[] parts)',
  'function reset(uint256 id)',
  'function depositManaged(uint256 id, uint256 managed)',
  'function withdrawManaged(uint256 id)',
])
const escrowAbi = parseAbi([
  'function tokenId() view returns (uint256)',
  'function createLock(uint256 value, uint256 duration) returns (uint256)',
  'function createLockFor(uint256 value, uint256 duration, address to) returns (uint256)',
  'function createManagedLockFor(address to) returns (uint256)',
  'function increaseAmount(uint256 id, uint256 value)',
  'function lockPermanent(uint256 id)',
  'function withdraw(uint256 id)',
  'function managedToFree(uint256 managed) view returns (address)',
  'function locked(uint256 id) view returns (int128 amount, uint256 end, bool isPermanent)',
])
const rewardsAbi = parseAbi([
  'function notifyRewardAmount(address token, uint256 amount)',
  'function getReward(uint256 id, address[] tokens)',
])
const distributorAbi = parseAbi([
  'function notifyRebase(uint256 amount)',
  'function claim(uint256 id) returns (uint256)',
])
const multicallAbi = parseAbi([
  'function aggregate3((address target, bool allowFailure, bytes callData)[] calls) payable returns ((bool success, bytes returnData)[] returnData)',
])

const rows: ProtocolRow[] = []
let bench: Awaited<ReturnType<typeof openProtocolBench>>
let voter: Address
let escrow: Address
let distributor: Address
let relay: bigint
const pools: Address[] = []
/** Contracts that pay a lock for votes, and one that pays the relay's content. */
const payers: Address[] = []
const owner = seededRandom('lock owner').address()

beforeAll(async () => {
  bench = await openProtocolBench(inject('devnetState'), rows)
  const { chain, client } = bench
  const factory = await chain.deploy(ownArtifact('SolidlyFactory'))
  voter = await chain.deploy(ownArtifact('SolidlyVotes'), [locked])
  const voting = { address: voter, abi: votesAbi } as const
  escrow = await client.readContract({ ...voting, functionName: 've' })
  distributor = await client.readContract({ ...voting, functionName: 'distributor' })
  for (const other of [tokens.weth, tokens.dai]) {
    const made = { address: factory, abi: factoryAbi, args: [tokens.usdc, other, false] } as const
    await chain.write({ from: owner, ...made, functionName: 'createPool' })
    const pool = await client.readContract({ ...made, functionName: 'getPool' })
    await chain.write({ from: owner, ...voting, functionName: 'createGauge', args: [pool] })
    await chain.write({ from: owner, ...voting, functionName: 'openVotes', args: [pool] })
    const gauge = await client.readContract({ ...voting, functionName: 'gauges', args: [pool] })
    pools.push(pool)
    for (const functionName of ['gaugeToFees', 'gaugeToBribe'] as const)
      payers.push(await client.readContract({ ...voting, functionName, args: [gauge] }))
  }
  relay = await newId({ from: owner, functionName: 'createManagedLockFor', args: [owner] })
  payers.push(
    await client.readContract({ address: escrow, abi: escrowAbi, functionName: 'managedToFree', args: [relay] }),
  )
  rows.push({
    ...{ family: 'solidly', key: 'solidly', name: 'Solidly', chain: 'ethereum' },
    deployment: { factory, voter, nfts: { escrow, token: locked, distributor } },
  })
  await bench.discover()
})
afterAll(() => bench?.stop())

type Write = { from: Address; functionName: string; args: readonly unknown[] }
const act = (address: Address, abi: Abi, call: Write) => bench.chain.write({ ...call, address, abi })

async function newId(call: Write): Promise<bigint> {
  await act(escrow, escrowAbi, call)
  return bench.client.readContract({ address: escrow, abi: escrowAbi, functionName: 'tokenId' })
}

async function give(token: Address, to: Address, amount: bigint, spender: Address): Promise<void> {
  await bench.chain.actions.erc20.mint(token, to, amount)
  await bench.chain.actions.erc20.allow(token, to, spender)
}

async function lock(wallet: Address, amount: bigint, duration: number): Promise<bigint> {
  await give(locked, wallet, amount, escrow)
  return newId({ from: wallet, functionName: 'createLock', args: [amount, BigInt(duration)] })
}

const vote = (from: Address, id: bigint, some: readonly Address[], parts: readonly bigint[]) =>
  act(voter, votesAbi, { from, functionName: 'vote', args: [id, some, parts] })

/** Pays fees, bribes and a rebase. The relay compounds and pays out. */
async function pay(random: Random): Promise<void> {
  for (const payer of payers) {
    const token = random.pick(paid)
    const amount = random.amount(1n, token === tokens.usdc ? 10n ** 10n : parseEther('5000'))
    await give(token, owner, amount, payer)
    await act(payer, rewardsAbi, { from: owner, functionName: 'notifyRewardAmount', args: [token, amount] })
  }
  const rebase = random.amount(10n ** 6n, parseEther('900'))
  await give(locked, owner, rebase, distributor)
  await act(distributor, distributorAbi, { from: owner, functionName: 'notifyRebase', args: [rebase] })
  const [inRelay] = await lockOf(relay)
  if (inRelay === 0n) return
  const more = random.amount(1n, parseEther('100'))
  await give(locked, owner, more, escrow)
  await act(escrow, escrowAbi, { from: owner, functionName: 'increaseAmount', args: [relay, more] })
}

const lockOf = (id: bigint, blockNumber?: bigint) =>
  bench.client.readContract({
    ...{ address: escrow, abi: escrowAbi, functionName: 'locked', args: [id] },
    ...(blockNumber !== undefined && { blockNumber }),
  } as const)

type Call = { target: Address; callData: Hex }

/** Results of the wallet's calls at the block, in order: Multicall3 is placed at its address. */
async function played(wallet: Address, calls: readonly Call[], blockNumber: bigint) {
  const steps = calls.map((call) => ({ ...call, allowFailure: true }))
  const data = encodeFunctionData({ abi: multicallAbi, functionName: 'aggregate3', args: [steps] })
  const code = (await bench.client.getCode({ address: multicall3 })) ?? '0x'
  const answer = await bench.client.call({ to: wallet, data, blockNumber, stateOverride: [{ address: wallet, code }] })
  const done = decodeFunctionResult({ abi: multicallAbi, functionName: 'aggregate3', data: answer.data ?? '0x' })
  return done.map(({ success, returnData }) => {
    if (!success || returnData === '0x') return 0n
    return BigInt(returnData.slice(0, 66))
  })
}

/** A lock's payouts, by its own calls. */
async function truthOf(wallet: Address, id: bigint, block: bigint) {
  const [amount, end, isPermanent] = await lockOf(id, block)
  const take = encodeFunctionData({ abi: votesAbi, functionName: 'withdrawManaged', args: [id] })
  const look = encodeFunctionData({ abi: escrowAbi, functionName: 'locked', args: [id] })
  const [, out = 0n] = await played(
    wallet,
    [
      { target: voter, callData: take },
      { target: escrow, callData: look },
    ],
    block,
  )
  const claim = encodeFunctionData({ abi: distributorAbi, functionName: 'claim', args: [id] })
  const [rebase = 0n] = await played(wallet, [{ target: distributor, callData: claim }], block)
  const balances = paid.map((target) => ({
    target,
    callData: encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [wallet] }),
  }))
  const claims = payers.flatMap((target) =>
    paid.map((token) => ({
      target,
      callData: encodeFunctionData({ abi: rewardsAbi, functionName: 'getReward', args: [id, [token]] }),
    })),
  )
  const told = await played(wallet, [...balances, ...claims, ...balances], block)
  const earned = paid.map((token, i) => {
    const gain = (told[told.length - paid.length + i] ?? 0n) - (told[i] ?? 0n)
    return [token, token === locked ? gain + rebase : gain] as const
  })
  const inRelay = amount === 0n && end === 0n && !isPermanent
  const own = isPermanent ? 'Permanent lock' : 'Lock'
  const label = inRelay ? 'Lock in a relay' : own
  return {
    ...{ id, label, unlockAt: end === 0n ? undefined : Number(end) },
    supplied: expectedAmounts([locked, inRelay ? out : amount]),
    rewards: expectedAmounts(...earned),
  }
}

async function check(wallet: Address, ids: readonly bigint[]) {
  const { positions, block, batches } = await bench.read(wallet)
  expect(batches).toBeLessThanOrEqual(2)
  const told = positions.map(({ tokenId = 0n, label, unlockAt, supplied, rewards, kind, receipts }) => {
    expect([kind, receipts]).toEqual(['locked', [evmAddress(escrow)]])
    return { id: tokenId, label, unlockAt, supplied: amountsOf(supplied), rewards: amountsOf(rewards) }
  })
  const truth = await Promise.all(ids.map((id) => truthOf(wallet, id, block)))
  expect(told.toSorted((a, b) => Number(a.id - b.id))).toEqual(truth)
  return told
}

const nextWeek = () => bench.chain.travel(WEEK)

it('reads random locks with rebases, votes and relays to the unit', async () => {
  const random = seededRandom('solidly locks')
  for (let round = 0; round < 3; round += 1) {
    const wallet = random.address()
    const size = () => random.amount(10n ** 9n, parseEther('50000'))
    const ids = [
      await lock(wallet, size(), WEEK * (2 + random.index(200))),
      await lock(wallet, size(), WEEK * (2 + random.index(200))),
      await lock(wallet, size(), WEEK * (20 + random.index(180))),
    ]
    const [voting = 0n, permanent = 0n, lent = 0n] = ids
    await act(escrow, escrowAbi, { from: wallet, functionName: 'lockPermanent', args: [permanent] })
    await vote(wallet, voting, pools, [1n + BigInt(random.index(9)), 5n])
    await vote(wallet, permanent, [random.pick(pools)], [1n])
    await act(voter, votesAbi, { from: wallet, functionName: 'depositManaged', args: [lent, relay] })
    await pay(random)
    await check(wallet, ids)
    await nextWeek()
    const due = await check(wallet, ids)
    expect(due.some(({ rewards }) => Object.keys(rewards).length > 0)).toBe(true)
    await vote(wallet, permanent, [random.pick(pools)], [1n])
    await pay(random)
    await nextWeek()
    await check(wallet, ids)
  }
})

it('shows rewards of a pool that was voted for before, until they are claimed', async () => {
  const random = seededRandom('solidly votes before')
  const wallet = random.address()
  const id = await lock(wallet, parseEther('1000'), 50 * WEEK)
  await vote(wallet, id, pools.slice(0, 1), [1n])
  await pay(random)
  await nextWeek()
  await act(voter, votesAbi, { from: wallet, functionName: 'reset', args: [id] })
  const [before] = await check(wallet, [id])
  await nextWeek()
  const [later] = await check(wallet, [id])
  expect(later?.rewards).toEqual(before?.rewards)
  for (const payer of payers) {
    const args = [id, paid] as const
    await act(payer, rewardsAbi, { from: wallet, functionName: 'getReward', args })
  }
  await act(distributor, distributorAbi, { from: wallet, functionName: 'claim', args: [id] })
  const [claimed] = await check(wallet, [id])
  expect(claimed?.rewards).toEqual({})
})

it('counts a lock in a relay once: for its depositor, not for the manager', async () => {
  const wallet = seededRandom('solidly relay').address()
  const id = await lock(wallet, parseEther('70'), 10 * WEEK)
  await act(voter, votesAbi, { from: wallet, functionName: 'depositManaged', args: [id, relay] })
  const [amount, end] = await lockOf(id)
  expect([amount, end]).toEqual([0n, 0n])
  const [own] = await check(wallet, [id])
  expect(own?.supplied).toEqual(expectedAmounts([locked, parseEther('70')]))
  expect((await lockOf(relay))[0]).toBeGreaterThanOrEqual(parseEther('70'))
  expect((await bench.read(owner)).positions).toEqual([])
})

it('pays the rebase of a lock that has run out to its owner, and shows the lock until it is taken out', async () => {
  const random = seededRandom('solidly expired')
  const wallet = random.address()
  const id = await lock(wallet, parseEther('12'), 2 * WEEK)
  await pay(random)
  await nextWeek()
  await nextWeek()
  await nextWeek()
  const [due] = await check(wallet, [id])
  expect(due?.supplied).toEqual(expectedAmounts([locked, parseEther('12')]))
  expect(due?.rewards[evmAddress(locked)]).toBeGreaterThan(0n)
  const before = await bench.chain.actions.erc20.balanceOf(locked, wallet)
  await act(distributor, distributorAbi, { from: wallet, functionName: 'claim', args: [id] })
  const gain = (await bench.chain.actions.erc20.balanceOf(locked, wallet)) - before
  expect(gain).toBe(due?.rewards[evmAddress(locked)])
  await act(escrow, escrowAbi, { from: wallet, functionName: 'withdraw', args: [id] })
  await check(wallet, [])
})

it('shows no reward that its contract does not have', async () => {
  const random = seededRandom('solidly unpaid votes')
  const { erc20 } = bench.chain.actions
  const wallet = random.address()
  const [payer = owner] = payers
  const id = await lock(wallet, parseEther('500'), 60 * WEEK)
  await vote(wallet, id, pools.slice(0, 1), [1n])
  await give(tokens.dai, owner, parseEther('9'), payer)
  const args = [tokens.dai, parseEther('9')]
  await act(payer, rewardsAbi, { from: owner, functionName: 'notifyRewardAmount', args })
  await nextWeek()
  const [whole] = await check(wallet, [id])
  const due = whole?.rewards[evmAddress(tokens.dai)] ?? 0n
  expect(due).toBeGreaterThan(0n)
  const kept = await erc20.balanceOf(tokens.dai, payer)
  await erc20.setBalance(tokens.dai, payer, due - 1n)
  const [short] = await check(wallet, [id])
  expect(short?.rewards[evmAddress(tokens.dai)]).toBeUndefined()
  await erc20.setBalance(tokens.dai, payer, kept)
})

it('reads the oldest and the newest of locks that were made in the wallet’s name, and says so', async () => {
  const wallet = seededRandom('solidly flood').address()
  const own = await lock(wallet, parseEther('1'), 50 * WEEK)
  await give(locked, owner, 200n, escrow)
  for (let count = 0; count < 130; count += 1)
    await act(escrow, escrowAbi, { from: owner, functionName: 'createLockFor', args: [1n, BigInt(WEEK * 2), wallet] })
  const left: string[] = []
  const { positions } = await bench.read(wallet, { leftOut: (why) => left.push(`${why}`) })
  expect(positions.length).toBe(128)
  expect(positions.find(({ tokenId }) => tokenId === own)?.supplied).toEqual([
    { token: evmAddress(locked), amountRaw: parseEther('1') },
  ])
  expect(left[0]).toContain('131 position NFTs')
  // The local distributor loops over all locks for each week, for more gas than a rebase gets.
  expect(left.slice(1).every((why) => why.includes('1 rewards of lock'))).toBe(true)
})
