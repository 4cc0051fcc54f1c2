import { addresses } from '@coffer/devnet'
import { type Address, parseEther } from 'viem'
import { expect, it } from 'vitest'
import { amountsOf, expectedAmounts, protocolBench } from '../../../../../test/protocol-bench.ts'
import { seededRandom } from '../../../../../test/random.ts'
import type { Random } from '../../../../../test/random-of.ts'
import { openSolidlyLocks } from '../../../../../test/solidly-plays.ts'
import { evmAddress } from '../../../../domain/evm-address.ts'
import type { ProtocolRow } from '../../../protocol-row.ts'

const WEEK = 7 * 86_400
const { usdc, weth, dai, uni: locked } = addresses.ethereum.tokens
const paid = [locked, usdc, weth, dai] as const
const owner = seededRandom('lock owner').address()

const rows: ProtocolRow[] = []
const bench = await protocolBench(rows)
const { erc20 } = bench.chain.actions
const pairs = [weth, dai].map((other) => [usdc, other] as const)
const locks = await openSolidlyLocks(bench.chain, { owner, locked, pairs })
const { voter, escrow, distributor, give, payVotes } = locks
const pools = locks.pools.map(({ pool }) => pool)
const relay = await locks.openRelay()
/** Contracts that pay a lock for votes, and one that pays the relay's content. */
const payers = [
  ...locks.pools.flatMap(({ fees, bribes }) => [fees, bribes]),
  locks.payerAt(await escrow.read<Address>('managedToFree', relay)),
]
rows.push(locks.row)
await bench.discover()

async function lock(wallet: Address, amount: bigint, seconds: number): Promise<bigint> {
  await give(locked, wallet, amount, escrow)
  return locks.lock(wallet, amount, seconds)
}

const vote = (from: Address, id: bigint, some: readonly Address[], parts: readonly bigint[]) =>
  voter.write(from, 'vote', id, some, parts)

/** Pays fees, bribes and a rebase. The relay compounds and pays out. */
async function pay(random: Random): Promise<void> {
  for (const payer of payers) {
    const token = random.pick(paid)
    await payVotes(payer, token, random.amount(1n, token === usdc ? 10n ** 10n : parseEther('5000')))
  }
  await locks.rebase(random.amount(10n ** 6n, parseEther('900')))
  const [inRelay] = await lockOf(relay)
  if (inRelay === 0n) return
  const more = random.amount(1n, parseEther('100'))
  await give(locked, owner, more, escrow)
  await escrow.write(owner, 'increaseAmount', relay, more)
}

const lockOf = (id: bigint, { read } = escrow.at()) =>
  read<[amount: bigint, end: bigint, isPermanent: boolean]>('locked', id)

/** A lock's payouts, by its own calls. */
async function truthOf(wallet: Address, id: bigint, block: bigint) {
  const [amount, end, isPermanent] = await lockOf(id, escrow.at(block))
  const inRelay = amount === 0n && end === 0n && !isPermanent
  const own = isPermanent ? 'Permanent lock' : 'Lock'
  const calls = [voter.call('withdrawManaged', id), escrow.call('locked', id)]
  const supplied = inRelay ? await lastWord(wallet, calls, block) : amount
  const claims = payers.flatMap((payer) => paid.map((token) => payer.call('getReward', id, [token])))
  const earned = await bench.incomeBy(wallet, claims, paid, block, true)
  const rebase = await lastWord(wallet, [distributor.call('claim', id)], block)
  return {
    ...{ id, label: inRelay ? 'Lock in a relay' : own, unlockAt: end === 0n ? undefined : Number(end) },
    supplied: expectedAmounts([locked, supplied]),
    rewards: expectedAmounts(
      ...paid.map((token) => [token, (earned[evmAddress(token)] ?? 0n) + (token === locked ? rebase : 0n)] as const),
    ),
  }
}

/** First word that the last of the wallet's calls at the block returns. */
async function lastWord(account: Address, calls: readonly { to: Address; data: `0x${string}` }[], blockNumber: bigint) {
  const blocks = [{ calls: calls.map((call) => ({ ...call, account })) }]
  const [block] = await bench.client.simulateBlocks({ blocks, blockNumber })
  const last = block?.calls.at(-1)
  return last?.status === 'success' ? BigInt(last.data.slice(0, 66)) : 0n
}

async function check(wallet: Address, ids: readonly bigint[]) {
  const { positions, block, batches } = await bench.read(wallet)
  expect(batches).toBeLessThanOrEqual(2)
  const reported = positions.map(({ tokenId = 0n, label, unlockAt, supplied, rewards, kind, receipts }) => {
    expect([kind, receipts]).toEqual(['locked', [evmAddress(escrow.address)]])
    return { id: tokenId, label, unlockAt, supplied: amountsOf(supplied), rewards: amountsOf(rewards) }
  })
  const truth = await Promise.all(ids.map((id) => truthOf(wallet, id, block)))
  expect(reported.toSorted((a, b) => Number(a.id - b.id))).toEqual(truth)
  return reported
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
    await escrow.write(wallet, 'lockPermanent', permanent)
    await vote(wallet, voting, pools, [1n + BigInt(random.index(9)), 5n])
    await vote(wallet, permanent, [random.pick(pools)], [1n])
    await voter.write(wallet, 'depositManaged', lent, relay)
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
  await voter.write(wallet, 'reset', id)
  const [before] = await check(wallet, [id])
  await nextWeek()
  const [later] = await check(wallet, [id])
  expect(later?.rewards).toEqual(before?.rewards)
  for (const payer of payers) await payer.write(wallet, 'getReward', id, paid)
  await distributor.write(wallet, 'claim', id)
  const [claimed] = await check(wallet, [id])
  expect(claimed?.rewards).toEqual({})
})

it('counts a lock in a relay once: for its depositor, not for the manager', async () => {
  const wallet = seededRandom('solidly relay').address()
  const id = await lock(wallet, parseEther('70'), 10 * WEEK)
  await voter.write(wallet, 'depositManaged', id, relay)
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
  await bench.chain.travel(3 * WEEK)
  const [due] = await check(wallet, [id])
  expect(due?.supplied).toEqual(expectedAmounts([locked, parseEther('12')]))
  expect(due?.rewards[evmAddress(locked)]).toBeGreaterThan(0n)
  const before = await erc20.balanceOf(locked, wallet)
  await distributor.write(wallet, 'claim', id)
  const gain = (await erc20.balanceOf(locked, wallet)) - before
  expect(gain).toBe(due?.rewards[evmAddress(locked)])
  await escrow.write(wallet, 'withdraw', id)
  await check(wallet, [])
})

it('shows no reward that its contract does not have', async () => {
  const wallet = seededRandom('solidly unpaid votes').address()
  const [payer] = payers as [(typeof payers)[number]]
  const id = await lock(wallet, parseEther('500'), 60 * WEEK)
  await vote(wallet, id, pools.slice(0, 1), [1n])
  await payVotes(payer, dai, parseEther('9'))
  await nextWeek()
  const [whole] = await check(wallet, [id])
  const due = whole?.rewards[evmAddress(dai)] ?? 0n
  expect(due).toBeGreaterThan(0n)
  const kept = await erc20.balanceOf(dai, payer.address)
  await erc20.setBalance(dai, payer.address, due - 1n)
  const [short] = await check(wallet, [id])
  expect(short?.rewards[evmAddress(dai)]).toBeUndefined()
  await erc20.setBalance(dai, payer.address, kept)
})

it('reads the oldest and the newest of locks that were made in the wallet’s name, and says so', async () => {
  const wallet = seededRandom('solidly flood').address()
  const own = await lock(wallet, parseEther('1'), 50 * WEEK)
  await give(locked, owner, 200n, escrow)
  for (let count = 0; count < 130; count += 1) await escrow.write(owner, 'createLockFor', 1n, BigInt(WEEK * 2), wallet)
  const { positions, missing: left } = await bench.readPartly(wallet)
  expect(positions.length).toBe(128)
  expect(positions.find(({ tokenId }) => tokenId === own)?.supplied).toEqual([
    { token: evmAddress(locked), amountRaw: parseEther('1') },
  ])
  expect(left[0]).toContain('131 position NFTs')
  // The local distributor loops over all locks for each week, for more gas than a rebase gets.
  expect(left.slice(1).every((why) => why.includes('1 rewards of lock'))).toBe(true)
})
