import { addresses } from '@coffer/devnet'
import { type Address, parseAbi, parseEther, parseUnits } from 'viem'
import { expect, it } from 'vitest'
import { contractOf } from '../../../../../test/contract-of.ts'
import { amountsOf, protocolBench } from '../../../../../test/protocol-bench.ts'
import { seededRandom } from '../../../../../test/random.ts'
import { v3Plays } from '../../../../../test/v3-plays.ts'
import type { Position } from '../../../../domain/position.ts'
import { protocolRows } from '../protocols.ts'

const { pancakeV3 } = addresses.ethereum
const CAKE = pancakeV3.cake.toLowerCase()
const DAY_SECONDS = 86_400
const FEE = 500
const chefAbi = parseAbi([
  'function pendingCake(uint256 tokenId) view returns (uint256)',
  'function harvest(uint256 tokenId, address to) returns (uint256 reward)',
])

const keys = ['pancakeswap_v3', 'pancakeswap_v3_farms']
const bench = await protocolBench(protocolRows.filter(({ key, chain }) => keys.includes(key) && chain === 'ethereum'))
const { erc20, pancakeChef, pancakeV3: pools } = bench.chain.actions
const chef = contractOf(bench.chain, pancakeV3.chef, chefAbi)
const { manager, liquidityOf, mint, mintMany, payouts, trade } = v3Plays(bench, pools, {
  ...{ manager: pancakeV3.manager, payer: pancakeV3.chef },
  mostTraded: { usdc: parseUnits('20000', 6), weth: parseEther('6') },
})

/** Compares every staked NFT of the wallet with the chef's own answers at the same block. */
async function check(owner: Address): Promise<Position[]> {
  const { positions, block, batches } = await bench.read(owner)
  expect(batches).toBe(2)
  const expected: unknown[] = []
  for (const { tokenId, supplied, rewards } of await payouts(owner, block)) {
    const pending = await chef.at(block).read('pendingCake', tokenId)
    const paid = { supplied, rewards: pending > 0n ? { ...rewards, [CAKE]: pending } : rewards }
    if (Object.keys({ ...supplied, ...paid.rewards }).length > 0) expected.push({ tokenId, ...paid })
  }
  const staked = positions.filter(({ protocol }) => protocol === 'pancakeswap_v3_farms')
  const found = staked.map(({ tokenId, supplied, rewards }) => {
    return { tokenId, supplied: amountsOf(supplied), rewards: amountsOf(rewards) }
  })
  expect(found).toEqual(expected)
  return staked
}

async function stakeNew(wallet: Address): Promise<bigint> {
  const id = await mint(wallet, { usdc: parseUnits('5000', 6), weth: parseEther('2') }, FEE, 500)
  await pancakeChef.stake(wallet, id)
  return id
}

async function emitForADay(): Promise<void> {
  await pancakeChef.fund(parseEther('3000'))
  await bench.chain.travel(DAY_SECONDS)
}

it('pays what the chef pays, to the unit, after any change of the positions', async () => {
  const random = seededRandom('pancake_chef')
  for (let round = 0; round < 4; round += 1) {
    const wallet = random.address()
    const width = 10 * (1 + random.index(200))
    const usdc = random.amount(10n ** 6n, parseUnits('100000', 6))
    const first = await mint(wallet, { usdc, weth: parseEther('40') }, FEE, width)
    const second = await mint(wallet, { usdc: usdc / 3n + 7n, weth: parseEther('20') }, FEE, width)
    const third = await mint(wallet, { usdc: parseUnits('5000', 6), weth: parseEther('2') }, FEE, -10, 3000)
    for (const id of [first, second, third]) await pancakeChef.stake(wallet, id)
    await bench.chain.travel(1 + random.index(5 * DAY_SECONDS))
    await trade(random, FEE)
    const [position] = await check(wallet)
    expect(position).toMatchObject({ kind: 'farming', label: '0.05%', receipts: [pancakeV3.manager.toLowerCase()] })
    await pancakeChef.settle()
    await pancakeChef.decrease(wallet, first, random.amount(1n, await liquidityOf(first)))
    await trade(random, FEE)
    await check(wallet)
    await pancakeChef.collect(wallet, first)
    await pancakeChef.harvest(wallet, second)
    await pancakeChef.fund(random.amount(1n, parseEther('10000')))
    await bench.chain.travel(1 + random.index(DAY_SECONDS))
    await pancakeChef.settle()
    await check(wallet)
    await pancakeChef.unstake(wallet, third)
    expect((await check(wallet)).map(({ tokenId }) => tokenId)).toEqual([first, second])
  }
})

it('shows the reward that a claim pays in the block in which the farm was touched', async () => {
  const wallet = seededRandom('pancake_chef claim').address()
  const id = await stakeNew(wallet)
  await emitForADay()
  await pancakeChef.settle()
  const { positions, block } = await bench.read(wallet)
  const claimed = await chef.at(block).simulate(wallet, 'harvest', id, wallet)
  expect(claimed).toBeGreaterThan(0n)
  expect(amountsOf(positions.flatMap(({ rewards }) => rewards))[CAKE]).toBe(claimed)
})

it('shows an NFT whose liquidity was taken out and whose reward was not claimed', async () => {
  const wallet = seededRandom('pancake_chef reward alone').address()
  const id = await stakeNew(wallet)
  await emitForADay()
  await pancakeChef.decrease(wallet, id, await liquidityOf(id))
  await pancakeChef.collect(wallet, id)
  const { positions, block } = await bench.read(wallet)
  const amountRaw = await chef.at(block).read('pendingCake', id)
  expect(amountRaw).toBeGreaterThan(0n)
  expect(positions.map(({ tokenId, supplied, rewards }) => ({ tokenId, supplied, rewards }))).toEqual([
    { tokenId: id, supplied: [], rewards: [{ token: CAKE, amountRaw }] },
  ])
  await pancakeChef.harvest(wallet, id)
  expect((await bench.read(wallet)).positions).toEqual([])
})

it('counts rewards as far as the chef can pay them', async () => {
  const wallet = seededRandom('pancake_chef unpaid').address()
  const first = await stakeNew(wallet)
  await stakeNew(wallet)
  await emitForADay()
  await pancakeChef.settle()
  const pending = await chef.read('pendingCake', first)
  const kept = await erc20.balanceOf(pancakeV3.cake, pancakeV3.chef)
  await erc20.setBalance(pancakeV3.cake, pancakeV3.chef, pending + 5n)
  const { positions } = await bench.read(wallet)
  expect(positions.map(({ rewards }) => amountsOf(rewards)[CAKE])).toEqual([pending, 5n])
  await erc20.setBalance(pancakeV3.cake, pancakeV3.chef, kept)
})

it('asks a wallet that has nothing there in the first batch alone', bench.expectNothing)

it('reads hundreds of staked positions in the same two batches', async () => {
  const random = seededRandom('pancake_chef many')
  const wallet = random.address()
  const first = await mint(wallet, { usdc: parseUnits('100000', 6), weth: parseEther('30') }, FEE, 600)
  await mintMany(wallet, FEE, () => [-887_270 + 10 * random.index(1_000), 887_270 - 10 * random.index(1_000)])
  for (let batch = 0n; batch < 7n; batch += 1n) {
    const ids = Array.from({ length: 20 }, (_, i) => first + 1n + batch * 20n + BigInt(i))
    const moves = ids.map((id) => manager.data('safeTransferFrom', wallet, pancakeV3.chef, id))
    await manager.write(wallet, 'multicall', moves)
  }
  await trade(random, FEE)
  expect((await check(wallet)).length).toBe(140)
})
