import { type Address, parseAbi, parseEventLogs, zeroAddress } from 'viem'
import { hardhatArtifacts } from '../artifact.ts'
import type { DevChain } from '../chain.ts'
import type { Erc20Actions } from './erc20.ts'
import type { Side } from './uniswap-v2.ts'

type Deployment = { factory: Address; manager: Address; router: Address; quoter?: Address; quoterV2: Address }

const FAR_FUTURE = 2n ** 40n
const MAX_UINT128 = 2n ** 128n - 1n
const TICK_SPACINGS: Readonly<Record<number, number>> = { 100: 1, 500: 10, 3000: 60, 10000: 200 }
const LOWEST_TICK = -887_272

const managerAbi = parseAbi([
  'function createAndInitializePoolIfNecessary(address token0, address token1, uint24 fee, uint160 sqrtPriceX96) payable returns (address pool)',
  'function mint((address token0, address token1, uint24 fee, int24 tickLower, int24 tickUpper, uint256 amount0Desired, uint256 amount1Desired, uint256 amount0Min, uint256 amount1Min, address recipient, uint256 deadline) params) payable returns (uint256 tokenId, uint128 liquidity, uint256 amount0, uint256 amount1)',
  'function increaseLiquidity((uint256 tokenId, uint256 amount0Desired, uint256 amount1Desired, uint256 amount0Min, uint256 amount1Min, uint256 deadline) params) payable returns (uint128 liquidity, uint256 amount0, uint256 amount1)',
  'function decreaseLiquidity((uint256 tokenId, uint128 liquidity, uint256 amount0Min, uint256 amount1Min, uint256 deadline) params) payable returns (uint256 amount0, uint256 amount1)',
  'function collect((uint256 tokenId, address recipient, uint128 amount0Max, uint128 amount1Max) params) payable returns (uint256 amount0, uint256 amount1)',
  'function positions(uint256 tokenId) view returns (uint96 nonce, address operator, address token0, address token1, uint24 fee, int24 tickLower, int24 tickUpper, uint128 liquidity, uint256 feeGrowthInside0LastX128, uint256 feeGrowthInside1LastX128, uint128 tokensOwed0, uint128 tokensOwed1)',
  'event IncreaseLiquidity(uint256 indexed tokenId, uint128 liquidity, uint256 amount0, uint256 amount1)',
])
const routerAbi = parseAbi([
  'function exactInputSingle((address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 deadline, uint256 amountIn, uint256 amountOutMinimum, uint160 sqrtPriceLimitX96) params) payable returns (uint256 amountOut)',
])
const factoryAbi = parseAbi([
  'function enableFeeAmount(uint24 fee, int24 tickSpacing)',
  'function getPool(address tokenA, address tokenB, uint24 fee) view returns (address)',
])
const poolAbi = parseAbi([
  'function slot0() view returns (uint160 sqrtPriceX96, int24 tick, uint16 observationIndex, uint16 observationCardinality, uint16 observationCardinalityNext, uint8 feeProtocol, bool unlocked)',
])

export const deployUniswapV3 = async (chain: DevChain, at: Deployment, weth: Address): Promise<void> => {
  const core = hardhatArtifacts('@uniswap/v3-core')
  const periphery = hardhatArtifacts('@uniswap/v3-periphery')
  const factory = core('UniswapV3Factory')
  await chain.deployTo(at.factory, factory)
  await chain.admin(at.factory, factory, 'enableFeeAmount', [100, 1])
  await chain.deployTo(at.manager, periphery('NonfungiblePositionManager'), [at.factory, weth, zeroAddress])
  await chain.deployTo(at.router, periphery('SwapRouter'), [at.factory, weth])
  await chain.deployTo(at.quoterV2, periphery('lens/QuoterV2'), [at.factory, weth])
  if (at.quoter) await chain.deployTo(at.quoter, periphery('lens/Quoter'), [at.factory, weth])
}

export const inOrder = (one: Side, other: Side): [Side, Side] =>
  BigInt(one.token) < BigInt(other.token) ? [one, other] : [other, one]

const squareRoot = (value: bigint): bigint => {
  let guess = 1n << BigInt(Math.ceil(value.toString(2).length / 2))
  for (;;) {
    const next = (guess + value / guess) / 2n
    if (next >= guess) return guess
    guess = next
  }
}

/** sqrt(amount1 / amount0) with 96 fractional bits. */
export const sqrtPriceX96 = (amount0: bigint, amount1: bigint): bigint => squareRoot((amount1 << 192n) / amount0)

const floorTo = (tick: number, spacing: number): number => Math.floor(tick / spacing) * spacing

/** In ticks from the current one, rounded down to the spacing. */
export type Range = { below: number; above: number } | 'full'

export const ticksOf = (range: Range, tick: number, spacing: number): [number, number] => {
  const lowest = -floorTo(-LOWEST_TICK, spacing)
  if (range === 'full') return [lowest, -lowest]
  const lower = Math.max(lowest, floorTo(tick - range.below, spacing))
  return [lower, Math.min(-lowest, Math.max(lower + spacing, floorTo(tick + range.above, spacing)))]
}

const poolReads = (chain: DevChain, at: Deployment) => {
  const poolOf = (one: Address, other: Address, fee: number) =>
    chain.client.readContract({
      address: at.factory,
      abi: factoryAbi,
      functionName: 'getPool',
      args: [one, other, fee],
    })

  const tickOf = async (one: Address, other: Address, fee: number): Promise<number> => {
    const pool = await poolOf(one, other, fee)
    const [, tick] = await chain.client.readContract({ address: pool, abi: poolAbi, functionName: 'slot0' })
    return tick
  }

  const position = (tokenId: bigint) =>
    chain.client.readContract({ address: at.manager, abi: managerAbi, functionName: 'positions', args: [tokenId] })

  return { poolOf, tickOf, position }
}

export const uniswapV3Actions = (chain: DevChain, at: Deployment, erc20: Erc20Actions) => {
  const reads = poolReads(chain, at)
  const manager = { address: at.manager, abi: managerAbi } as const

  /** The ratio of the amounts sets the price. */
  const createPool = (one: Side, other: Side, fee: number, from: Address) => {
    const [side0, side1] = inOrder(one, other)
    const price = sqrtPriceX96(side0.amount, side1.amount)
    const args = [side0.token, side1.token, fee, price] as const
    return chain.write({ from, ...manager, functionName: 'createAndInitializePoolIfNecessary', args })
  }

  /** Mints with at most these amounts. Returns the ID. */
  const mint = async (wallet: Address, one: Side, other: Side, fee: number, range: Range): Promise<bigint> => {
    const [side0, side1] = inOrder(one, other)
    const spacing = TICK_SPACINGS[fee]
    if (!spacing) throw new Error(`no pool has a fee of ${fee}`)
    const ticks = ticksOf(range, await reads.tickOf(side0.token, side1.token, fee), spacing)
    for (const { token } of [side0, side1]) await erc20.allow(token, wallet, at.manager)
    const pool = { token0: side0.token, token1: side1.token, fee, tickLower: ticks[0], tickUpper: ticks[1] }
    const amounts = { amount0Desired: side0.amount, amount1Desired: side1.amount, amount0Min: 0n, amount1Min: 0n }
    const args = [{ ...pool, ...amounts, recipient: wallet, deadline: FAR_FUTURE }] as const
    const receipt = await chain.write({ from: wallet, ...manager, functionName: 'mint', args })
    const [minted] = parseEventLogs({ abi: managerAbi, logs: receipt.logs, eventName: 'IncreaseLiquidity' })
    if (!minted) throw new Error('minting a position emitted no IncreaseLiquidity')
    return minted.args.tokenId
  }

  /** Adds at most these amounts of token0 and token1. */
  const increase = async (wallet: Address, tokenId: bigint, amount0: bigint, amount1: bigint) => {
    const [, , token0, token1] = await reads.position(tokenId)
    for (const token of [token0, token1]) await erc20.allow(token, wallet, at.manager)
    const amounts = { amount0Desired: amount0, amount1Desired: amount1, amount0Min: 0n, amount1Min: 0n }
    const args = [{ tokenId, ...amounts, deadline: FAR_FUTURE }] as const
    return chain.write({ from: wallet, ...manager, functionName: 'increaseLiquidity', args })
  }

  /** Withdrawn tokens stay in the position until collected. */
  const decrease = (wallet: Address, tokenId: bigint, liquidity: bigint) => {
    const args = [{ tokenId, liquidity, amount0Min: 0n, amount1Min: 0n, deadline: FAR_FUTURE }] as const
    return chain.write({ from: wallet, ...manager, functionName: 'decreaseLiquidity', args })
  }

  const collect = (wallet: Address, tokenId: bigint) => {
    const args = [{ tokenId, recipient: wallet, amount0Max: MAX_UINT128, amount1Max: MAX_UINT128 }] as const
    return chain.write({ from: wallet, ...manager, functionName: 'collect', args })
  }

  const swap = async (wallet: Address, give: Side, take: Address, fee: number) => {
    await erc20.allow(give.token, wallet, at.router)
    const limits = { amountIn: give.amount, amountOutMinimum: 0n, sqrtPriceLimitX96: 0n }
    const route = { tokenIn: give.token, tokenOut: take, fee, recipient: wallet, deadline: FAR_FUTURE }
    const args = [{ ...route, ...limits }] as const
    return chain.write({ from: wallet, address: at.router, abi: routerAbi, functionName: 'exactInputSingle', args })
  }

  return { ...reads, createPool, mint, increase, decrease, collect, swap }
}
