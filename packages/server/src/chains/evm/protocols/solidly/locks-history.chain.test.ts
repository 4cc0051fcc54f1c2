import { addresses, ownArtifact } from '@coffer/devnet'
import { type Abi, type Address, formatEther, parseAbi, parseEther } from 'viem'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { bookedCosts } from '../../../../../test/booked-costs.ts'
import { type HistoryBench, openHistoryBench } from '../../../../../test/history-bench.ts'
import { evmAddress } from '../../../../domain/evm-address.ts'
import type { WalletTransaction } from '../../../../domain/transaction.ts'

const WEEK = 7 * 86_400
const PROTOCOL = 'solidly'
const { usdc, weth, dai, uni: locked } = addresses.ethereum.tokens
const factoryAbi = parseAbi([
  'function createPool(address one, address other, bool stable) returns (address)',
  'function getPool(address one, address other, bool stable) view returns (address)',
])
const votesAbi = parseAbi([
  'function ve() view returns (address)',
  'function distributor() view returns (address)',
  'function createGauge(address pool)',
  'function openVotes(address pool)',
  'function gauges(address pool) view returns (address)',
  'function gaugeToBribe(address gauge) view returns (address)',
  'function vote(uint256 id, address[] pools, uint256[] parts)',
  'function claimBribes(address[] from, address[][] tokens, uint256 id)',
  'function depositManaged(uint256 id, uint256 managed)',
  'function withdrawManaged(uint256 id)',
])
const escrowAbi = parseAbi([
  'function tokenId() view returns (uint256)',
  'function createLock(uint256 value, uint256 duration)',
  'function createLockFor(uint256 value, uint256 duration, address to)',
  'function createManagedLockFor(address to)',
  'function increaseAmount(uint256 id, uint256 value)',
  'function increaseUnlockTime(uint256 id, uint256 duration)',
  'function lockPermanent(uint256 id)',
  'function unlockPermanent(uint256 id)',
  'function merge(uint256 from, uint256 to)',
  'function split(uint256 from, uint256 amount)',
  'function withdraw(uint256 id)',
])
const rewardsAbi = parseAbi([
  'function notifyRewardAmount(address token, uint256 amount)',
  'function getReward(uint256 id, address[] tokens)',
])
const distributorAbi = parseAbi(['function notifyRebase(uint256 amount)', 'function claim(uint256 id)'])

let bench: HistoryBench
let voter: Address
let escrow: Address
let distributor: Address
let pool: Address
let bribes: Address
let nextWallet = 0x10c6_0000
const newWallet = (): Address => `0x${(nextWallet++).toString(16).padStart(40, '0')}`
const owner = newWallet()

beforeAll(async () => {
  bench = await openHistoryBench(inject('devnetState'), async ({ client, deploy, write }) => {
    const factory = await deploy(ownArtifact('SolidlyFactory'))
    voter = await deploy(ownArtifact('SolidlyVotes'), [locked])
    const voting = { address: voter, abi: votesAbi } as const
    escrow = await client.readContract({ ...voting, functionName: 've' })
    distributor = await client.readContract({ ...voting, functionName: 'distributor' })
    const made = { address: factory, abi: factoryAbi, args: [usdc, weth, false] } as const
    await write({ from: owner, ...made, functionName: 'createPool' })
    pool = await client.readContract({ ...made, functionName: 'getPool' })
    await write({ from: owner, ...voting, functionName: 'createGauge', args: [pool] })
    await write({ from: owner, ...voting, functionName: 'openVotes', args: [pool] })
    const gauge = await client.readContract({ ...voting, functionName: 'gauges', args: [pool] })
    bribes = await client.readContract({ ...voting, functionName: 'gaugeToBribe', args: [gauge] })
    const row = { family: 'solidly', key: PROTOCOL, name: 'Solidly', chain: 'ethereum' }
    return { rows: [{ ...row, deployment: { factory, voter, nfts: { escrow, token: locked, distributor } } }] }
  })
})
afterAll(() => bench?.stop())

type Call = { from: Address; functionName: string; args: readonly unknown[] }
const at = (address: Address, abi: Abi) => (call: Call) => bench.chain.write({ ...call, address, abi })
const inEscrow = (call: Call) => at(escrow, escrowAbi)(call)
const inVoter = (call: Call) => at(voter, votesAbi)(call)

async function give(token: Address, to: Address, amount: bigint, spender: Address): Promise<void> {
  await bench.chain.actions.erc20.mint(token, to, amount)
  await bench.chain.actions.erc20.allow(token, to, spender)
}

const lastId = () => bench.client.readContract({ address: escrow, abi: escrowAbi, functionName: 'tokenId' })

async function lock(from: Address, amount: bigint, weeks = 2): Promise<bigint> {
  await inEscrow({ from, functionName: 'createLock', args: [amount, BigInt(weeks * WEEK)] })
  return lastId()
}

const names = () => new Map(Object.entries({ escrow, locked, dai }).map(([name, one]) => [`${evmAddress(one)}`, name]))

/** NFTs by number; coins in whole units. */
const summary = (transactions: readonly WalletTransaction[]) =>
  transactions.map(({ type, protocol, movements }) => [
    type,
    protocol,
    ...movements
      .map(({ token, tokenId, amountRaw, leg, treatment }) => {
        const amount = tokenId === null ? formatEther(amountRaw) : amountRaw
        return `${leg} ${treatment} ${names().get(token)} ${tokenId === null ? '' : `${tokenId} `}${amount}`
      })
      .toSorted(),
  ])

it('a lock that grows, is split and merged, and is taken out when it has run out', async () => {
  const wallet = newWallet()
  await give(locked, wallet, parseEther('100'), escrow)
  const first = (await lastId()) + 1n
  const [second, third] = [first + 1n, first + 2n]
  const found = await bench.played(wallet, async () => {
    await lock(wallet, parseEther('60'))
    await inEscrow({ from: wallet, functionName: 'increaseAmount', args: [first, parseEther('40')] })
    await inEscrow({ from: wallet, functionName: 'increaseUnlockTime', args: [first, BigInt(4 * WEEK)] })
    await inEscrow({ from: wallet, functionName: 'split', args: [first, parseEther('30')] })
    await inEscrow({ from: wallet, functionName: 'merge', args: [second, third] })
    await bench.chain.travel(5 * WEEK)
    await inEscrow({ from: wallet, functionName: 'withdraw', args: [third] })
  })
  expect(summary(found)).toEqual([
    ['STAKE', PROTOCOL, `0 move escrow ${first} 1`, '0 move locked -60'],
    ['STAKE', PROTOCOL, `0 move escrow ${first} 0`, '0 move locked -40'],
    ['INTERACTION', PROTOCOL],
    [
      ...['STAKE', PROTOCOL, `0 move escrow ${first} -1`, '0 move locked 100'],
      ...[`1 move escrow ${second} 1`, '1 move locked -70', `2 move escrow ${third} 1`, '2 move locked -30'],
    ],
    [
      ...['STAKE', PROTOCOL, `0 move escrow ${second} -1`, '0 move locked 70'],
      ...[`1 move escrow ${third} 0`, '1 move locked -70'],
    ],
    ['UNSTAKE', PROTOCOL, `0 move escrow ${third} -1`, '0 move locked 100'],
  ])
  const quotes = { locked: { address: locked, price: '3', had: '100', paid: '2' } }
  expect(bookedCosts(bench.book, wallet, quotes, found)).toEqual({
    ...{ held: { locked: '100 at 200' }, basis: '200' },
    ...{ realised: '0', disposals: 0, income: '0', flagged: [] },
  })
})

it('votes with their rewards, a rebase, and a relay', async () => {
  const wallet = newWallet()
  await give(locked, wallet, parseEther('50'), escrow)
  await inEscrow({ from: owner, functionName: 'createManagedLockFor', args: [owner] })
  const relay = await lastId()
  const id = relay + 1n
  const found = await bench.played(wallet, async () => {
    await lock(wallet, parseEther('50'), 30)
    await inEscrow({ from: wallet, functionName: 'lockPermanent', args: [id] })
    await inVoter({ from: wallet, functionName: 'vote', args: [id, [pool], [1n]] })
    await give(dai, owner, parseEther('8'), bribes)
    await at(bribes, rewardsAbi)({ from: owner, functionName: 'notifyRewardAmount', args: [dai, parseEther('8')] })
    await give(locked, owner, parseEther('5'), distributor)
    await at(distributor, distributorAbi)({ from: owner, functionName: 'notifyRebase', args: [parseEther('5')] })
    await bench.chain.travel(WEEK)
    await inVoter({ from: wallet, functionName: 'claimBribes', args: [[bribes], [[dai]], id] })
    await at(distributor, distributorAbi)({ from: wallet, functionName: 'claim', args: [id] })
    await inVoter({ from: wallet, functionName: 'depositManaged', args: [id, relay] })
    await bench.chain.travel(WEEK)
    await inVoter({ from: wallet, functionName: 'withdrawManaged', args: [id] })
  })
  expect(summary(found)).toEqual([
    ['STAKE', PROTOCOL, `0 move escrow ${id} 1`, '0 move locked -50'],
    ['INTERACTION', PROTOCOL],
    ['VOTE', PROTOCOL],
    ['CLAIM', PROTOCOL, '0 income dai 8'],
    ['INTERACTION', PROTOCOL],
    ['INTERACTION', PROTOCOL],
    ['INTERACTION', PROTOCOL],
  ])
})

it('a lock made in the name of another is sent, and a rebase of one that has run out is income', async () => {
  const [wallet, other] = [newWallet(), newWallet()]
  await give(locked, wallet, parseEther('9'), escrow)
  const args = [parseEther('9'), BigInt(WEEK), other] as const
  const sent = await bench.played(wallet, () => inEscrow({ from: wallet, functionName: 'createLockFor', args }))
  expect(summary(sent)).toEqual([['TRANSFEROUT', PROTOCOL, '0 send locked -9']])
  expect(sent[0]?.movements.map(({ counterparty }) => counterparty)).toEqual([other])
  const id = await lastId()
  await give(locked, owner, parseEther('3'), distributor)
  await at(distributor, distributorAbi)({ from: owner, functionName: 'notifyRebase', args: [parseEther('3')] })
  const found = await bench.played(other, async () => {
    await bench.chain.travel(2 * WEEK)
    await at(distributor, distributorAbi)({ from: other, functionName: 'claim', args: [id] })
    await inEscrow({ from: other, functionName: 'withdraw', args: [id] })
  })
  const [claimed, out] = found
  expect([claimed?.type, claimed?.protocol]).toEqual(['CLAIM', PROTOCOL])
  expect(summary(out ? [out] : [])).toEqual([['UNSTAKE', PROTOCOL, `0 move escrow ${id} -1`, '0 move locked 9']])
  const paid = (await bench.chain.actions.erc20.balanceOf(locked, other)) - parseEther('9')
  expect(paid).toBeGreaterThan(0n)
  const quotes = { locked: { address: locked, price: '3' } }
  expect(bookedCosts(bench.book, other, quotes, found.slice(0, 1))).toEqual({
    ...{ held: { locked: `${formatEther(paid)} at ${formatEther(3n * paid)}` }, basis: formatEther(3n * paid) },
    ...{ income: formatEther(3n * paid), realised: '0', disposals: 0, flagged: [] },
  })
})

it('a lock that lay in a relay comes out with its rebases and the relay’s, which are income then', async () => {
  const wallet = newWallet()
  await give(locked, wallet, parseEther('50'), escrow)
  await inEscrow({ from: owner, functionName: 'createManagedLockFor', args: [owner] })
  const relay = await lastId()
  const id = relay + 1n
  const rebase = async (ofLock: bigint, amount: string) => {
    await give(locked, owner, parseEther(amount), distributor)
    await at(distributor, distributorAbi)({ from: owner, functionName: 'notifyRebase', args: [parseEther(amount)] })
    await bench.chain.travel(WEEK)
    await at(distributor, distributorAbi)({ from: owner, functionName: 'claim', args: [ofLock] })
  }
  const inside = await bench.played(wallet, async () => {
    await lock(wallet, parseEther('50'), 30)
    await rebase(id, '5')
    await inVoter({ from: wallet, functionName: 'depositManaged', args: [id, relay] })
    await rebase(relay, '8')
    await bench.chain.travel(WEEK)
    await inVoter({ from: wallet, functionName: 'withdrawManaged', args: [id] })
  })
  const quotes = { locked: { address: locked, price: '3', had: '50', paid: '2' }, nft: { address: escrow, price: '0' } }
  expect(bookedCosts(bench.book, wallet, quotes, inside)).toEqual({
    ...{ held: { nft: '1 at 100' }, basis: '100', income: '0', realised: '0', disposals: 0, flagged: [] },
  })
  const out = await bench.played(wallet, async () => {
    await bench.chain.travel(4 * 365 * 86_400)
    await inEscrow({ from: wallet, functionName: 'withdraw', args: [id] })
  })
  const own = await bench.chain.actions.erc20.balanceOf(locked, wallet)
  expect(own).toBeGreaterThan(parseEther('50'))
  expect(summary(out)).toEqual([['UNSTAKE', PROTOCOL, `0 move escrow ${id} -1`, `0 move locked ${formatEther(own)}`]])
  // The locked amount keeps its cost. The rest is income at 3 USD.
  const income = 3n * (own - parseEther('50'))
  expect(bookedCosts(bench.book, wallet, quotes, [...inside, ...out])).toEqual({
    held: { locked: `${formatEther(own)} at ${formatEther(parseEther('100') + income)}` },
    ...{ basis: formatEther(parseEther('100') + income), income: formatEther(income) },
    ...{ realised: '0', disposals: 0, flagged: [] },
  })
})
