import { addresses } from '@coffer/devnet'
import { type Address, parseAbi, parseEther, parseUnits, zeroAddress } from 'viem'
import { expect, it } from 'vitest'
import { contractOf } from '../../../../../test/contract-of.ts'
import { amountsOf, expectedAmounts, protocolBench } from '../../../../../test/protocol-bench.ts'
import { seededRandom } from '../../../../../test/random.ts'
import type { Random } from '../../../../../test/random-of.ts'
import type { Position } from '../../../../domain/position.ts'
import type { ProtocolRow } from '../../../protocol-row.ts'
import { protocolRows } from '../protocols.ts'

const DAY_SECONDS = 86_400
const { tokens, stakingRewards: farms, uniswapV2 } = addresses.ethereum
const farmAbi = parseAbi([
  'function stakingToken() view returns (address)',
  'function rewardsToken() view returns (address)',
  'function exit()',
  'function getReward()',
])

const rows: ProtocolRow[] = protocolRows.filter(({ family }) => family === 'staking_rewards')
const bench = await protocolBench(rows)
const { erc20, stakingRewards, uniswapV2: pairs } = bench.chain.actions

/** Adds a test's farm to the operator's deployment. */
async function newFarm(staked: Address, rewarded: Address): Promise<Address> {
  const farm = await stakingRewards.create({ staked, rewarded })
  rows.push({
    ...{ family: 'staking_rewards', key: `farm_${farm.toLowerCase()}`, name: 'Farm', chain: 'ethereum' },
    deployment: { pools: [farm] },
  })
  await bench.discover()
  return farm
}

/** Income of the wallet by its own call at the block. */
async function paidBy(wallet: Address, farm: Address, blockNumber: bigint, functionName: 'exit' | 'getReward') {
  const at = contractOf(bench.chain, farm, farmAbi)
  const staked = await at.read<Address>('stakingToken')
  const rewarded = await at.read<Address>('rewardsToken')
  const paid = await bench.incomeBy(wallet, [at.call(functionName)], [staked, rewarded], blockNumber)
  const of = (token: Address) => expectedAmounts([token, paid[token.toLowerCase()] ?? 0n])
  return { stake: of(staked), reward: of(rewarded) }
}

async function stakeNew(wallet: Address, farm: Address, token: Address, amount: bigint): Promise<void> {
  await erc20.mint(token, wallet, amount)
  await stakingRewards.stake(wallet, farm, amount)
}

const inFarm = (positions: readonly Position[], farm: Address) =>
  positions.find(({ pool }) => pool === farm.toLowerCase())

/** Compares the position with leaving the farm at the same block. */
async function check(wallet: Address, farm: Address): Promise<Position | undefined> {
  const { positions, block, batches } = await bench.read(wallet)
  expect(batches).toBe(2)
  const position = inFarm(positions, farm)
  const { stake, reward } = await paidBy(wallet, farm, block, 'exit')
  expect([amountsOf(position?.supplied), amountsOf(position?.rewards)]).toEqual([stake, reward])
  return position
}

/** Gives the wallet a share of the USDC and WETH pair. */
async function giveShare(wallet: Address, random: Random): Promise<bigint> {
  const sides = [
    { token: tokens.usdc, amount: random.amount(10n ** 6n, parseUnits('500000', 6)) },
    { token: tokens.weth, amount: parseEther('500') },
  ] as const
  for (const { token, amount } of sides) await erc20.mint(token, wallet, amount)
  await pairs.add(wallet, ...sides)
  return erc20.balanceOf(uniswapV2.pairs.usdcWeth, wallet)
}

it('pays what leaving the farm pays, to the unit, whatever happened before', async () => {
  const random = seededRandom('staking_rewards')
  for (let round = 0; round < 4; round += 1) {
    const wallet = random.address()
    const share = await giveShare(wallet, random)
    await stakingRewards.stake(wallet, farms.usdcWeth, random.amount(share / 2n, share - 1n))
    if (round > 0) await bench.chain.travel(1 + random.index(5 * DAY_SECONDS))
    const position = await check(wallet, farms.usdcWeth)
    expect(position).toMatchObject({ kind: 'farming', protocol: 'uniswap_liquidity_mining', receipts: [] })
    await stakingRewards.withdraw(wallet, farms.usdcWeth, random.amount(1n, share / 4n))
    if (round === 2) await stakingRewards.claim(wallet, farms.usdcWeth)
    await stakingRewards.reward(farms.usdcWeth, random.amount(1n, parseEther('1000')))
    await bench.chain.travel(1 + random.index(DAY_SECONDS))
    await check(wallet, farms.usdcWeth)
  }
  // After the last period the reward does not grow.
  const wallet = random.address()
  const share = await giveShare(wallet, random)
  await stakingRewards.stake(wallet, farms.usdcWeth, share)
  await bench.chain.travel(90 * DAY_SECONDS)
  await check(wallet, farms.usdcWeth)
})

it('shows a reward whose stake was taken out', async () => {
  const random = seededRandom('staking_rewards reward alone')
  const wallet = random.address()
  const share = await giveShare(wallet, random)
  await stakingRewards.reward(farms.usdcWeth, parseEther('5000'))
  await stakingRewards.stake(wallet, farms.usdcWeth, share)
  await bench.chain.travel(DAY_SECONDS)
  await stakingRewards.withdraw(wallet, farms.usdcWeth, share)
  const { positions, block, batches } = await bench.read(wallet)
  expect(batches).toBe(2)
  const { reward } = await paidBy(wallet, farms.usdcWeth, block, 'getReward')
  expect(Object.keys(reward)).toHaveLength(1)
  expect(inFarm(positions, farms.usdcWeth)?.supplied).toEqual([])
  expect(amountsOf(positions.flatMap(({ rewards }) => rewards))).toEqual(reward)
  await stakingRewards.claim(wallet, farms.usdcWeth)
  expect((await bench.read(wallet)).positions).toEqual([])
})

it('asks a wallet that has nothing there in the first batch alone', bench.expectNothing)

it('counts a reward up to what the farm holds in addition to the stakes', async () => {
  const random = seededRandom('staking_rewards unpaid')
  const one = await newFarm(tokens.link, tokens.link)
  const other = await newFarm(tokens.link, tokens.dai)
  const [wallet, second] = [random.address(), random.address()]
  for (const farm of [one, other]) {
    for (const staker of [wallet, second]) await stakeNew(staker, farm, tokens.link, parseEther('100'))
    await stakingRewards.reward(farm, parseEther('60'))
  }
  await bench.chain.travel(30 * DAY_SECONDS)
  // A farm of one token: leaving pays stake and reward together.
  const { positions, block } = await bench.read(wallet)
  const { stake } = await paidBy(wallet, one, block, 'exit')
  const { supplied = [], rewards = [] } = inFarm(positions, one) ?? {}
  expect(supplied).toMatchObject([{ amountRaw: parseEther('100') }])
  expect(amountsOf([...supplied, ...rewards])).toEqual(stake)
  await check(wallet, other)
  // Emptied except for the stakes and seven units.
  await erc20.setBalance(tokens.link, one, parseEther('200') + 7n)
  await erc20.setBalance(tokens.dai, other, 7n)
  const emptied = (await bench.read(wallet)).positions
  for (const farm of [one, other]) {
    const expected = { supplied: [{ amountRaw: parseEther('100') }], rewards: [{ amountRaw: 7n }] }
    expect(inFarm(emptied, farm)).toMatchObject(expected)
  }
  await erc20.setBalance(tokens.link, one, parseEther('150'))
  expect(inFarm((await bench.read(wallet)).positions, one)?.rewards).toEqual([])
})

it('reads a stake of one unit and one of 10^30', async () => {
  const random = seededRandom('staking_rewards limits')
  const farm = await newFarm(tokens.uni, tokens.dai)
  await stakingRewards.reward(farm, parseEther('1000'))
  for (const amount of [1n, 10n ** 30n]) {
    const wallet = random.address()
    await stakeNew(wallet, farm, tokens.uni, amount)
    await bench.chain.travel(DAY_SECONDS)
    await check(wallet, farm)
  }
})

it('reads a stake that earns points, which are no token', async () => {
  const farm = await newFarm(tokens.uni, zeroAddress)
  const wallet = seededRandom('staking_rewards points').address()
  await stakeNew(wallet, farm, tokens.uni, 70n)
  const { positions } = await bench.read(wallet)
  expect(inFarm(positions, farm)).toMatchObject({ supplied: [{ amountRaw: 70n }], rewards: [] })
})
