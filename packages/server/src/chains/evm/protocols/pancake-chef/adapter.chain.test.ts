import { addresses } from '@coffer/devnet'
import { type Address, encodeFunctionData, erc20Abi, parseAbi, parseEther, parseUnits } from 'viem'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { amountsOf, expectedAmounts, openProtocolBench } from '../../../../../test/protocol-bench.ts'
import { seededRandom } from '../../../../../test/random.ts'
import type { Random } from '../../../../../test/random-of.ts'
import type { Position } from '../../../../domain/position.ts'
import { protocolRows } from '../protocols.ts'

const { tokens, pancakeV3 } = addresses.ethereum
const DAY_SECONDS = 86_400
const FEE = 500
const MAX_UINT128 = 2n ** 128n - 1n
const FAR_FUTURE = 2n ** 40n
const chefAbi = parseAbi([
  'function balanceOf(address owner) view returns (uint256)',
  'function tokenOfOwnerByIndex(address owner, uint256 index) view returns (uint256)',
  'function pendingCake(uint256 tokenId) view returns (uint256)',
  'function harvest(uint256 tokenId, address to) returns (uint256 reward)',
  'function collect((uint256 tokenId, address recipient, uint128 amount0Max, uint128 amount1Max) params) returns (uint256 amount0, uint256 amount1)',
  'function decreaseLiquidity((uint256 tokenId, uint128 liquidity, uint256 amount0Min, uint256 amount1Min, uint256 deadline) params) returns (uint256 amount0, uint256 amount1)',
])
const managerAbi = parseAbi([
  'function positions(uint256 tokenId) view returns (uint96, address, address, address, uint24, int24, int24, uint128 liquidity, uint256, uint256, uint128, uint128)',
  'function mint((address token0, address token1, uint24 fee, int24 tickLower, int24 tickUpper, uint256 amount0Desired, uint256 amount1Desired, uint256 amount0Min, uint256 amount1Min, address recipient, uint256 deadline) params) returns (uint256 tokenId, uint128 liquidity, uint256 amount0, uint256 amount1)',
  'function multicall(bytes[] data) returns (bytes[] results)',
  'function safeTransferFrom(address from, address to, uint256 tokenId)',
])
const chef = { address: pancakeV3.chef, abi: chefAbi } as const
const manager = { address: pancakeV3.manager, abi: managerAbi } as const

let bench: Awaited<ReturnType<typeof openProtocolBench>>

beforeAll(async () => {
  const keys = ['pancakeswap_v3', 'pancakeswap_v3_farms']
  const rows = protocolRows.filter(({ key, chain }) => keys.includes(key) && chain === 'ethereum')
  bench = await openProtocolBench(inject('devnetState'), rows)
})
afterAll(() => bench?.stop())

const liquidityOf = async (tokenId: bigint, blockNumber?: bigint) => {
  const at = { ...manager, functionName: 'positions', args: [tokenId] } as const
  return (await bench.client.readContract({ ...at, ...(blockNumber !== undefined && { blockNumber }) }))[7]
}

/** The chef's own payout to its staker for an NFT, by static calls at the block. */
async function payout(owner: Address, tokenId: bigint, blockNumber: bigint) {
  const call = { ...chef, account: owner, blockNumber } as const
  const liquidity = await liquidityOf(tokenId, blockNumber)
  const all = { tokenId, recipient: owner, amount0Max: MAX_UINT128, amount1Max: MAX_UINT128 }
  const out = { tokenId, liquidity, amount0Min: 0n, amount1Min: 0n, deadline: FAR_FUTURE }
  const collected = await bench.client.simulateContract({ ...call, functionName: 'collect', args: [all] })
  const decreased =
    liquidity > 0n
      ? (await bench.client.simulateContract({ ...call, functionName: 'decreaseLiquidity', args: [out] })).result
      : ([0n, 0n] as const)
  const pending = { ...chef, functionName: 'pendingCake', args: [tokenId], blockNumber } as const
  return {
    supplied: expectedAmounts([tokens.usdc, decreased[0]], [tokens.weth, decreased[1]]),
    rewards: expectedAmounts(
      [tokens.usdc, collected.result[0]],
      [tokens.weth, collected.result[1]],
      [pancakeV3.cake, await bench.client.readContract(pending)],
    ),
  }
}

/** Compares every staked NFT of the wallet with the chef's own answers at the same block. */
async function check(owner: Address): Promise<Position[]> {
  const { positions, block, batches } = await bench.read(owner)
  expect(batches).toBe(2)
  const held = { ...chef, functionName: 'balanceOf', args: [owner], blockNumber: block } as const
  const count = await bench.client.readContract(held)
  const expected: [bigint, Awaited<ReturnType<typeof payout>>][] = []
  for (let index = 0n; index < count; index += 1n) {
    const at = { ...chef, functionName: 'tokenOfOwnerByIndex', args: [owner, index], blockNumber: block } as const
    const tokenId = await bench.client.readContract(at)
    const paid = await payout(owner, tokenId, block)
    if (Object.keys({ ...paid.supplied, ...paid.rewards }).length > 0) expected.push([tokenId, paid])
  }
  const staked = positions.filter(({ protocol }) => protocol === 'pancakeswap_v3_farms')
  const found = staked.map(({ tokenId, supplied, rewards }) => [
    tokenId,
    { supplied: amountsOf(supplied), rewards: amountsOf(rewards) },
  ])
  expect(found).toEqual(expected)
  return staked
}

/** Trades both ways: the price moves through ranges and both sides earn. */
async function trade(random: Random) {
  const { erc20, pancakeV3: pools } = bench.chain.actions
  const trader = random.address()
  for (let count = 0; count < 4; count += 1) {
    const [give, take, limit] =
      random.index(2) === 0
        ? ([tokens.usdc, tokens.weth, parseUnits('20000', 6)] as const)
        : ([tokens.weth, tokens.usdc, parseEther('6')] as const)
    const amount = random.amount(limit / 1_000n, limit)
    await erc20.mint(give, trader, amount)
    await pools.swap(trader, { token: give, amount }, take, FEE)
  }
}

async function mint(wallet: Address, usdc: bigint, weth: bigint, below: number, above: number): Promise<bigint> {
  const { erc20, pancakeV3: pools } = bench.chain.actions
  await erc20.mint(tokens.usdc, wallet, usdc)
  await erc20.mint(tokens.weth, wallet, weth)
  const sides = [
    { token: tokens.usdc, amount: usdc },
    { token: tokens.weth, amount: weth },
  ] as const
  return pools.mint(wallet, ...sides, FEE, { below, above })
}

it('pays what the chef pays, to the unit, after any change of the positions', async () => {
  const random = seededRandom('pancake_chef')
  const { pancakeChef } = bench.chain.actions
  for (let round = 0; round < 4; round += 1) {
    const wallet = random.address()
    const width = 10 * (1 + random.index(200))
    const usdc = random.amount(10n ** 6n, parseUnits('100000', 6))
    const first = await mint(wallet, usdc, parseEther('40'), width, width)
    const second = await mint(wallet, usdc / 3n + 7n, parseEther('20'), width, width)
    const third = await mint(wallet, parseUnits('5000', 6), parseEther('2'), -10, 3000)
    for (const id of [first, second, third]) await pancakeChef.stake(wallet, id)
    await bench.chain.travel(1 + random.index(5 * DAY_SECONDS))
    await trade(random)
    const [position] = await check(wallet)
    expect(position).toMatchObject({ kind: 'farming', label: '0.05%', receipts: [pancakeV3.manager.toLowerCase()] })
    await pancakeChef.settle()
    await pancakeChef.decrease(wallet, first, random.amount(1n, await liquidityOf(first)))
    await trade(random)
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
  const random = seededRandom('pancake_chef claim')
  const { pancakeChef } = bench.chain.actions
  const wallet = random.address()
  const id = await mint(wallet, parseUnits('50000', 6), parseEther('20'), 500, 500)
  await pancakeChef.stake(wallet, id)
  await pancakeChef.fund(parseEther('3000'))
  await bench.chain.travel(DAY_SECONDS)
  await pancakeChef.settle()
  const { positions, block } = await bench.read(wallet)
  const harvest = { ...chef, account: wallet, functionName: 'harvest', args: [id, wallet], blockNumber: block } as const
  const { result: claimed } = await bench.client.simulateContract(harvest)
  expect(claimed).toBeGreaterThan(0n)
  const shown = amountsOf(positions.flatMap(({ rewards }) => rewards))[pancakeV3.cake.toLowerCase()]
  expect(shown).toBe(claimed)
})

it('shows an NFT whose liquidity was taken out and whose reward was not claimed', async () => {
  const random = seededRandom('pancake_chef reward alone')
  const { pancakeChef } = bench.chain.actions
  const wallet = random.address()
  const id = await mint(wallet, parseUnits('5000', 6), parseEther('2'), 500, 500)
  await pancakeChef.stake(wallet, id)
  await pancakeChef.fund(parseEther('3000'))
  await bench.chain.travel(DAY_SECONDS)
  await pancakeChef.decrease(wallet, id, await liquidityOf(id))
  await pancakeChef.collect(wallet, id)
  const { positions, block } = await bench.read(wallet)
  const pending = { ...chef, functionName: 'pendingCake', args: [id], blockNumber: block } as const
  const amountRaw = await bench.client.readContract(pending)
  expect(amountRaw).toBeGreaterThan(0n)
  expect(positions.map(({ tokenId, supplied, rewards }) => ({ tokenId, supplied, rewards }))).toEqual([
    { tokenId: id, supplied: [], rewards: [{ token: pancakeV3.cake.toLowerCase(), amountRaw }] },
  ])
  await pancakeChef.harvest(wallet, id)
  expect((await bench.read(wallet)).positions).toEqual([])
})

it('counts rewards as far as the chef can pay them', async () => {
  const random = seededRandom('pancake_chef unpaid')
  const { erc20, pancakeChef } = bench.chain.actions
  const wallet = random.address()
  const ids: bigint[] = []
  for (let count = 0; count < 2; count += 1) {
    const id = await mint(wallet, parseUnits('5000', 6), parseEther('2'), 500, 500)
    await pancakeChef.stake(wallet, id)
    ids.push(id)
  }
  await pancakeChef.fund(parseEther('3000'))
  await bench.chain.travel(DAY_SECONDS)
  await pancakeChef.settle()
  const [first = 0n] = ids
  const pending = await bench.client.readContract({ ...chef, functionName: 'pendingCake', args: [first] })
  const kept = await bench.client.readContract({
    ...{ address: pancakeV3.cake, abi: erc20Abi, functionName: 'balanceOf', args: [pancakeV3.chef] },
  } as const)
  await erc20.setBalance(pancakeV3.cake, pancakeV3.chef, pending + 5n)
  const { positions } = await bench.read(wallet)
  const cake = pancakeV3.cake.toLowerCase()
  expect(positions.map(({ rewards }) => amountsOf(rewards)[cake])).toEqual([pending, 5n])
  await erc20.setBalance(pancakeV3.cake, pancakeV3.chef, kept)
})

it('asks a wallet that has nothing there in the first batch alone', async () => {
  const { positions, batches } = await bench.read(bench.devnet.wallets.empty.address)
  expect(positions).toEqual([])
  expect(batches).toBe(1)
})

it('reads hundreds of staked positions in the same two batches', async () => {
  const random = seededRandom('pancake_chef many')
  const wallet = random.address()
  const first = await mint(wallet, parseUnits('100000', 6), parseEther('30'), 600, 600)
  await bench.chain.actions.erc20.mint(tokens.usdc, wallet, parseUnits('100000', 6))
  await bench.chain.actions.erc20.mint(tokens.weth, wallet, parseEther('30'))
  const range = { token0: tokens.usdc, token1: tokens.weth, fee: FEE, amount0Min: 0n, amount1Min: 0n }
  const one = () =>
    encodeFunctionData({
      abi: managerAbi,
      functionName: 'mint',
      args: [
        {
          ...range,
          tickLower: -887_270 + 10 * random.index(1_000),
          tickUpper: 887_270 - 10 * random.index(1_000),
          amount0Desired: parseUnits('100', 6),
          amount1Desired: parseEther('0.03'),
          recipient: wallet,
          deadline: FAR_FUTURE,
        },
      ],
    })
  const moved = (id: bigint) =>
    encodeFunctionData({ abi: managerAbi, functionName: 'safeTransferFrom', args: [wallet, pancakeV3.chef, id] })
  for (let batch = 0n; batch < 7n; batch += 1n) {
    const ids = Array.from({ length: 20 }, (_, i) => first + 1n + batch * 20n + BigInt(i))
    for (const data of [ids.map(one), ids.map(moved)])
      await bench.chain.write({ from: wallet, ...manager, functionName: 'multicall', args: [data] })
  }
  await trade(random)
  expect((await check(wallet)).length).toBe(140)
})
