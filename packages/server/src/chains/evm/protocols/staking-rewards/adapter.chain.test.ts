import { addresses } from '@coffer/devnet'
import {
  type Address,
  decodeFunctionResult,
  encodeFunctionData,
  erc20Abi,
  parseAbi,
  parseEther,
  parseUnits,
  zeroAddress,
} from 'viem'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { amountsOf, expectedAmounts, openProtocolBench } from '../../../../../test/protocol-bench.ts'
import { seededRandom } from '../../../../../test/random.ts'
import type { Random } from '../../../../../test/random-of.ts'
import type { Position } from '../../../../domain/position.ts'
import type { ProtocolRow } from '../../../protocol-row.ts'
import { protocolRows } from '../protocols.ts'

const DAY_SECONDS = 86_400
const { tokens, stakingRewards: farms, uniswapV2, multicall3 } = addresses.ethereum
const farmAbi = parseAbi([
  'function earned(address account) view returns (uint256)',
  'function exit()',
  'function getReward()',
])
const multicallAbi = parseAbi([
  'function aggregate3((address target, bool allowFailure, bytes callData)[] calls) payable returns ((bool success, bytes returnData)[] returnData)',
])

let bench: Awaited<ReturnType<typeof openProtocolBench>>
const rows: ProtocolRow[] = protocolRows.filter(({ family }) => family === 'staking_rewards')

beforeAll(async () => {
  bench = await openProtocolBench(inject('devnetState'), rows)
})
afterAll(() => bench?.stop())

/** Adds a test's farm to the operator's deployment. */
async function listFarm(farm: Address): Promise<void> {
  rows.push({
    ...{ family: 'staking_rewards', key: `farm_${farm.toLowerCase()}`, name: 'Farm', chain: 'ethereum' },
    deployment: { pools: [farm] },
  })
  await bench.discover()
}

/** Increase of each token by the wallet's own calls at the block: Multicall3 is placed at its address. */
async function paidBy(wallet: Address, farm: Address, blockNumber: bigint, functionName: 'exit' | 'getReward') {
  const staked = await tokenOf(farm, 'stakingToken')
  const rewarded = await tokenOf(farm, 'rewardsToken')
  const call = (target: Address, callData: `0x${string}`) => ({ target, callData, allowFailure: false })
  const balance = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [wallet] })
  const steps = [
    ...[call(staked, balance), call(rewarded, balance)],
    call(farm, encodeFunctionData({ abi: farmAbi, functionName })),
    ...[call(staked, balance), call(rewarded, balance)],
  ]
  const data = encodeFunctionData({ abi: multicallAbi, functionName: 'aggregate3', args: [steps] })
  const code = (await bench.client.getCode({ address: multicall3 })) ?? '0x'
  const answer = await bench.client.call({ to: wallet, data, blockNumber, stateOverride: [{ address: wallet, code }] })
  const done = decodeFunctionResult({ abi: multicallAbi, functionName: 'aggregate3', data: answer.data ?? '0x' })
  const [stakedBefore = 0n, rewardedBefore = 0n, , stakedAfter = 0n, rewardedAfter = 0n] = done.map(({ returnData }) =>
    returnData === '0x' ? 0n : BigInt(returnData),
  )
  return { staked, rewarded, stake: stakedAfter - stakedBefore, reward: rewardedAfter - rewardedBefore }
}

function tokenOf(farm: Address, functionName: 'stakingToken' | 'rewardsToken'): Promise<Address> {
  const abi = parseAbi([
    'function stakingToken() view returns (address)',
    'function rewardsToken() view returns (address)',
  ])
  return bench.client.readContract({ address: farm, abi, functionName })
}

const inFarm = (positions: readonly Position[], farm: Address) =>
  positions.find(({ pool }) => pool === farm.toLowerCase())

/** Compares the position with leaving the farm at the same block. */
async function check(wallet: Address, farm: Address): Promise<Position | undefined> {
  const { positions, block, batches } = await bench.read(wallet)
  expect(batches).toBe(2)
  const position = inFarm(positions, farm)
  const { staked, rewarded, stake, reward } = await paidBy(wallet, farm, block, 'exit')
  expect(amountsOf(position?.supplied ?? [])).toEqual(expectedAmounts([staked, stake]))
  expect(amountsOf(position?.rewards ?? [])).toEqual(expectedAmounts([rewarded, reward]))
  return position
}

/** Gives the wallet a share of the USDC and WETH pair. */
async function giveShare(wallet: Address, random: Random): Promise<bigint> {
  const { erc20, uniswapV2: pool } = bench.chain.actions
  const [usdc, weth] = [random.amount(10n ** 6n, parseUnits('500000', 6)), parseEther('500')]
  await erc20.mint(tokens.usdc, wallet, usdc)
  await erc20.mint(tokens.weth, wallet, weth)
  await pool.add(wallet, { token: tokens.usdc, amount: usdc }, { token: tokens.weth, amount: weth })
  return erc20.balanceOf(uniswapV2.pairs.usdcWeth, wallet)
}

it('pays what leaving the farm pays, to the unit, whatever happened before', async () => {
  const random = seededRandom('staking_rewards')
  const { stakingRewards } = bench.chain.actions
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
  const { stakingRewards } = bench.chain.actions
  const wallet = random.address()
  const share = await giveShare(wallet, random)
  await stakingRewards.reward(farms.usdcWeth, parseEther('5000'))
  await stakingRewards.stake(wallet, farms.usdcWeth, share)
  await bench.chain.travel(DAY_SECONDS)
  await stakingRewards.withdraw(wallet, farms.usdcWeth, share)
  const { positions, block, batches } = await bench.read(wallet)
  expect(batches).toBe(2)
  const { rewarded, reward } = await paidBy(wallet, farms.usdcWeth, block, 'getReward')
  expect(reward).toBeGreaterThan(0n)
  expect(inFarm(positions, farms.usdcWeth)).toMatchObject({ supplied: [], rewards: [{ amountRaw: reward }] })
  expect(amountsOf(positions.flatMap(({ rewards }) => rewards))).toEqual(expectedAmounts([rewarded, reward]))
  await stakingRewards.claim(wallet, farms.usdcWeth)
  expect((await bench.read(wallet)).positions).toEqual([])
})

it('asks a wallet that has nothing there in the first batch alone', async () => {
  const { positions, batches } = await bench.read(bench.devnet.wallets.empty.address)
  expect(positions).toEqual([])
  expect(batches).toBe(1)
})

it('counts a reward up to what the farm holds in addition to the stakes', async () => {
  const random = seededRandom('staking_rewards unpaid')
  const { erc20, stakingRewards } = bench.chain.actions
  const one = await stakingRewards.create({ staked: tokens.link, rewarded: tokens.link })
  const other = await stakingRewards.create({ staked: tokens.link, rewarded: tokens.dai })
  for (const farm of [one, other]) await listFarm(farm)
  const [wallet, second] = [random.address(), random.address()]
  for (const farm of [one, other]) {
    for (const staker of [wallet, second]) {
      await erc20.mint(tokens.link, staker, parseEther('100'))
      await stakingRewards.stake(staker, farm, parseEther('100'))
    }
    await stakingRewards.reward(farm, parseEther('60'))
  }
  await bench.chain.travel(30 * DAY_SECONDS)
  // A farm of one token: leaving pays stake and reward together.
  const { positions, block } = await bench.read(wallet)
  const { stake } = await paidBy(wallet, one, block, 'exit')
  const [position] = positions.filter(({ pool }) => pool === one.toLowerCase())
  expect(position?.supplied).toMatchObject([{ amountRaw: parseEther('100') }])
  expect(amountsOf([...(position?.supplied ?? []), ...(position?.rewards ?? [])])).toEqual(
    expectedAmounts([tokens.link, stake]),
  )
  await check(wallet, other)
  // Emptied except for the stakes and seven units.
  await erc20.setBalance(tokens.link, one, parseEther('200') + 7n)
  await erc20.setBalance(tokens.dai, other, 7n)
  const emptied = (await bench.read(wallet)).positions
  for (const farm of [one, other]) {
    expect(inFarm(emptied, farm)).toMatchObject({
      supplied: [{ amountRaw: parseEther('100') }],
      rewards: [{ amountRaw: 7n }],
    })
  }
  await erc20.setBalance(tokens.link, one, parseEther('150'))
  expect(inFarm((await bench.read(wallet)).positions, one)?.rewards).toEqual([])
})

it('reads a stake of one unit and one of 10^30', async () => {
  const random = seededRandom('staking_rewards limits')
  const { erc20, stakingRewards } = bench.chain.actions
  const farm = await stakingRewards.create({ staked: tokens.uni, rewarded: tokens.dai })
  await listFarm(farm)
  await stakingRewards.reward(farm, parseEther('1000'))
  for (const amount of [1n, 10n ** 30n]) {
    const wallet = random.address()
    await erc20.mint(tokens.uni, wallet, amount)
    await stakingRewards.stake(wallet, farm, amount)
    await bench.chain.travel(DAY_SECONDS)
    await check(wallet, farm)
  }
})

it('reads a stake that earns points, which are no token', async () => {
  const random = seededRandom('staking_rewards points')
  const { erc20, stakingRewards } = bench.chain.actions
  const farm = await stakingRewards.create({ staked: tokens.uni, rewarded: zeroAddress })
  await listFarm(farm)
  const wallet = random.address()
  await erc20.mint(tokens.uni, wallet, 70n)
  await stakingRewards.stake(wallet, farm, 70n)
  const { positions } = await bench.read(wallet)
  expect(inFarm(positions, farm)).toMatchObject({ supplied: [{ amountRaw: 70n }], rewards: [] })
})
