import { addresses } from '@coffer/devnet'
import { type Address, encodeFunctionData, parseAbi, parseEther, parseUnits } from 'viem'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { amountsOf, expectedAmounts, openProtocolBench } from '../../../../../test/protocol-bench.ts'
import { seededRandom } from '../../../../../test/random.ts'
import type { Random } from '../../../../../test/random-of.ts'
import type { Position } from '../../../../domain/position.ts'
import { protocolRows } from '../protocols.ts'

const { tokens, uniswapV3 } = addresses.ethereum
const MAX_UINT128 = 2n ** 128n - 1n
const FAR_FUTURE = 2n ** 40n
const managerAbi = parseAbi([
  'function balanceOf(address owner) view returns (uint256)',
  'function tokenOfOwnerByIndex(address owner, uint256 index) view returns (uint256)',
  'function positions(uint256 tokenId) view returns (uint96 nonce, address operator, address token0, address token1, uint24 fee, int24 tickLower, int24 tickUpper, uint128 liquidity, uint256, uint256, uint128 tokensOwed0, uint128 tokensOwed1)',
  'function mint((address token0, address token1, uint24 fee, int24 tickLower, int24 tickUpper, uint256 amount0Desired, uint256 amount1Desired, uint256 amount0Min, uint256 amount1Min, address recipient, uint256 deadline) params) returns (uint256 tokenId, uint128 liquidity, uint256 amount0, uint256 amount1)',
  'function multicall(bytes[] data) returns (bytes[] results)',
  'function collect((uint256 tokenId, address recipient, uint128 amount0Max, uint128 amount1Max) params) returns (uint256 amount0, uint256 amount1)',
  'function decreaseLiquidity((uint256 tokenId, uint128 liquidity, uint256 amount0Min, uint256 amount1Min, uint256 deadline) params) returns (uint256 amount0, uint256 amount1)',
])
const poolAbi = parseAbi([
  'function slot0() view returns (uint160 sqrtPriceX96, int24 tick, uint16, uint16, uint16, uint8, bool)',
])
const manager = { address: uniswapV3.manager, abi: managerAbi } as const

let bench: Awaited<ReturnType<typeof openProtocolBench>>

beforeAll(async () => {
  const rows = protocolRows.filter(({ key, chain }) => key === 'uniswap_v3' && chain === 'ethereum')
  bench = await openProtocolBench(inject('devnetState'), rows)
})
afterAll(() => bench?.stop())

/** The manager's own payout for the NFT, by static calls of its owner at the block. Undefined for a closed NFT. */
async function payout(owner: Address, tokenId: bigint, blockNumber: bigint) {
  const position = await bench.client.readContract({
    ...manager,
    functionName: 'positions',
    args: [tokenId],
    blockNumber,
  })
  const [, , token0, token1, , , , liquidity, , , owed0, owed1] = position
  if (liquidity === 0n && owed0 === 0n && owed1 === 0n) return undefined
  const call = { ...manager, account: owner, blockNumber } as const
  const collected = await bench.client.simulateContract({
    ...call,
    functionName: 'collect',
    args: [{ tokenId, recipient: owner, amount0Max: MAX_UINT128, amount1Max: MAX_UINT128 }],
  })
  const decreased =
    liquidity > 0n
      ? await bench.client.simulateContract({
          ...call,
          functionName: 'decreaseLiquidity',
          args: [{ tokenId, liquidity, amount0Min: 0n, amount1Min: 0n, deadline: FAR_FUTURE }],
        })
      : { result: [0n, 0n] as const }
  return {
    supplied: expectedAmounts([token0, decreased.result[0]], [token1, decreased.result[1]]),
    rewards: expectedAmounts([token0, collected.result[0]], [token1, collected.result[1]]),
  }
}

async function check(owner: Address): Promise<Position[]> {
  const { positions, block, batches } = await bench.read(owner)
  expect(batches).toBe(2)
  const held = { ...manager, functionName: 'balanceOf', args: [owner], blockNumber: block } as const
  const count = await bench.client.readContract(held)
  const expected = new Map<bigint, NonNullable<Awaited<ReturnType<typeof payout>>>>()
  for (let index = 0n; index < count; index += 1n) {
    const at = { ...manager, functionName: 'tokenOfOwnerByIndex', args: [owner, index], blockNumber: block } as const
    const tokenId = await bench.client.readContract(at)
    const paid = await payout(owner, tokenId, block)
    if (paid && Object.keys(paid.supplied).length + Object.keys(paid.rewards).length > 0) expected.set(tokenId, paid)
  }
  const found = positions.map(({ tokenId, supplied, rewards }) => [
    tokenId,
    { supplied: amountsOf(supplied), rewards: amountsOf(rewards) },
  ])
  expect(found).toEqual([...expected])
  return positions
}

/** Trades both ways: the price moves through ranges and both sides earn. */
async function trade(random: Random, fee: number) {
  const { erc20, uniswapV3: pools } = bench.chain.actions
  const trader = random.address()
  for (let count = 0; count < 4; count += 1) {
    const [give, take, limit] =
      random.index(2) === 0
        ? ([tokens.usdc, tokens.weth, parseUnits('400000', 6)] as const)
        : ([tokens.weth, tokens.usdc, parseEther('120')] as const)
    const amount = random.amount(limit / 1_000n, limit)
    await erc20.mint(give, trader, amount)
    await pools.swap(trader, { token: give, amount }, take, fee)
  }
}

/** Gives the wallet both tokens and puts them into a range around the current tick. */
async function mint(wallet: Address, usdc: bigint, weth: bigint, fee: number, below: number, above: number) {
  const { erc20, uniswapV3: pools } = bench.chain.actions
  await erc20.mint(tokens.usdc, wallet, usdc)
  await erc20.mint(tokens.weth, wallet, weth)
  const [one, other] = [
    { token: tokens.usdc, amount: usdc },
    { token: tokens.weth, amount: weth },
  ]
  return pools.mint(wallet, one, other, fee, { below, above })
}

it('reads a position in range and one out of it, with their fees', async () => {
  const positions = await check(bench.devnet.wallets.demo.address)
  expect(positions.map(({ label }) => label)).toEqual(['0.05%', '0.3%'])
  const [inRange, outOfRange] = positions
  expect(inRange?.supplied.length).toBe(2)
  expect(inRange?.rewards.length).toBeGreaterThan(0)
  expect(outOfRange?.supplied.length).toBe(1)
  expect(inRange).toMatchObject({
    kind: 'nft-liquidity',
    protocol: 'uniswap_v3',
    pool: uniswapV3.pools.usdcWeth500.toLowerCase(),
  })
})

it('pays what the manager pays, to the unit, whatever happened to the positions', async () => {
  const random = seededRandom('uniswap_v3')
  const { uniswapV3: pools } = bench.chain.actions
  for (let round = 0; round < 4; round += 1) {
    const wallet = random.address()
    const fee = random.pick([500, 3000])
    const width = 60 * (1 + random.index(60))
    const usdc = random.amount(10n ** 6n, parseUnits('200000', 6))
    const twins = [
      await mint(wallet, usdc, parseEther('60'), fee, width, width),
      await mint(wallet, usdc / 3n + 7n, parseEther('20'), fee, width, width),
    ]
    await mint(wallet, parseUnits('5000', 6), parseEther('2'), fee, -60, 6000)
    await mint(wallet, parseUnits('5000', 6), parseEther('2'), fee, 6000, -60)
    await trade(random, fee)
    await check(wallet)
    const [first, second] = twins as [bigint, bigint]
    const [, , , , , , , liquidity] = await bench.client.readContract({
      ...manager,
      functionName: 'positions',
      args: [first],
    })
    await pools.decrease(wallet, first, random.amount(1n, liquidity))
    await trade(random, fee)
    await check(wallet)
    // Settling one of two positions with the same range rounds the pool's remainder for both.
    for (let settled = 0; settled < 3; settled += 1) {
      await pools.collect(wallet, first)
      await trade(random, fee)
    }
    await check(wallet)
    await pools.collect(wallet, second)
    await check(wallet)
  }
})

it('leaves closed positions out, and shows what still waits in one without liquidity', async () => {
  const random = seededRandom('uniswap_v3 closed')
  const { uniswapV3: pools } = bench.chain.actions
  const wallet = random.address()
  const tokenId = await mint(wallet, parseUnits('1000', 6), parseEther('1'), 500, 600, 600)
  const position = { ...manager, functionName: 'positions', args: [tokenId] } as const
  const [, , , , , , , liquidity] = await bench.client.readContract(position)
  await pools.decrease(wallet, tokenId, liquidity)
  const [waiting] = await check(wallet)
  expect(waiting?.supplied).toEqual([])
  expect(waiting?.rewards.length).toBeGreaterThan(0)
  await pools.collect(wallet, tokenId)
  expect(await check(wallet)).toEqual([])
})

it('reads a position of a few units and one of 10^30', async () => {
  const random = seededRandom('uniswap_v3 limits')
  const { erc20, uniswapV3: pools } = bench.chain.actions
  const [small, large] = [random.address(), random.address()]
  await mint(small, 1n, 10n ** 9n, 500, 60, 60)
  await check(small)
  const [link, uni] = [
    { token: tokens.link, amount: 10n ** 30n },
    { token: tokens.uni, amount: 10n ** 30n },
  ]
  for (const { token, amount } of [link, uni]) await erc20.mint(token, large, amount)
  await pools.createPool(link, uni, 3000, large)
  await pools.mint(large, link, uni, 3000, { below: 6000, above: 6000 })
  const [position] = await check(large)
  expect(position?.supplied.some(({ amountRaw }) => amountRaw > 10n ** 29n)).toBe(true)
})

it('reads hundreds of positions in the same two batches', async () => {
  const random = seededRandom('uniswap_v3 many')
  const wallet = random.address()
  // The first mint approves the manager for both tokens. The others are minted thirty to a transaction.
  await mint(wallet, parseUnits('100', 6), parseEther('0.03'), 500, 600, 600)
  await bench.chain.actions.erc20.mint(tokens.usdc, wallet, parseUnits('100000', 6))
  await bench.chain.actions.erc20.mint(tokens.weth, wallet, parseEther('30'))
  const centre = await tickOf(uniswapV3.pools.usdcWeth500)
  const one = () =>
    encodeFunctionData({
      abi: managerAbi,
      functionName: 'mint',
      args: [
        {
          token0: tokens.usdc,
          token1: tokens.weth,
          fee: 500,
          tickLower: centre - 10 * (1 + random.index(300)),
          tickUpper: centre + 10 * (1 + random.index(300)),
          amount0Desired: parseUnits('100', 6),
          amount1Desired: parseEther('0.03'),
          amount0Min: 0n,
          amount1Min: 0n,
          recipient: wallet,
          deadline: FAR_FUTURE,
        },
      ],
    })
  for (let batch = 0; batch < 7; batch += 1) {
    const args = [Array.from({ length: 30 }, one)] as const
    await bench.chain.write({ from: wallet, ...manager, functionName: 'multicall', args })
  }
  await trade(random, 500)
  const positions = await check(wallet)
  expect(positions.length).toBe(211)
})

/** The pool's current tick, on the grid of its 0.05% ranges. */
async function tickOf(pool: Address): Promise<number> {
  const [, tick] = await bench.client.readContract({ address: pool, abi: poolAbi, functionName: 'slot0' })
  return Math.floor(tick / 10) * 10
}
