import { addresses, deploySlipstream } from '@coffer/devnet'
import {
  type Address,
  decodeFunctionResult,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  parseAbi,
  parseEther,
  parseUnits,
} from 'viem'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { amountsOf, expectedAmounts, openProtocolBench } from '../../../../../test/protocol-bench.ts'
import { seededRandom } from '../../../../../test/random.ts'
import type { Random } from '../../../../../test/random-of.ts'
import { evmAddress } from '../../../../domain/evm-address.ts'
import type { Position } from '../../../../domain/position.ts'
import type { ProtocolRow } from '../../../protocol-row.ts'

const { tokens, multicall3 } = addresses.ethereum
const { usdc, weth, uni: reward } = tokens
const DAY_SECONDS = 86_400
const SPACING = 100
const MOST = 2n ** 128n - 1n
const FAR_FUTURE = 2n ** 40n
const isUsdcFirst = usdc.toLowerCase() < weth.toLowerCase()
const [token0, token1] = isUsdcFirst ? [usdc, weth] : [weth, usdc]
/** √(token1 per token0) at 3,000 USDC for a WETH, in 96 fractional bits. */
const PRICE = isUsdcFirst ? 1446501726624926496477173928747177n : 4339505179874779489431521n
/** Tick of that price, by the spacing. */
const MIDDLE = isUsdcFirst ? 196_200 : -196_200

const managerAbi = parseAbi([
  'function mint((address token0, address token1, int24 tickSpacing, int24 tickLower, int24 tickUpper, uint256 amount0Desired, uint256 amount1Desired, uint256 amount0Min, uint256 amount1Min, address recipient, uint256 deadline, uint160 sqrtPriceX96) params) returns (uint256 tokenId, uint128 liquidity, uint256 amount0, uint256 amount1)',
  'function positions(uint256 tokenId) view returns (uint96, address, address, address, int24, int24, int24, uint128 liquidity, uint256, uint256, uint128, uint128)',
  'function decreaseLiquidity((uint256 tokenId, uint128 liquidity, uint256 amount0Min, uint256 amount1Min, uint256 deadline) params) returns (uint256 amount0, uint256 amount1)',
  'function collect((uint256 tokenId, address recipient, uint128 amount0Max, uint128 amount1Max) params)',
  'function tokenOfOwnerByIndex(address owner, uint256 index) view returns (uint256)',
  'function balanceOf(address owner) view returns (uint256)',
  'function approve(address to, uint256 tokenId)',
  'function transferFrom(address from, address to, uint256 tokenId)',
])
const hubAbi = parseAbi([
  'function createGauge(address pool) returns (address)',
  'function gauges(address pool) view returns (address)',
  'function notifyReward(address gauge, uint256 amount)',
])
const gaugeAbi = parseAbi([
  'function deposit(uint256 tokenId)',
  'function withdraw(uint256 tokenId)',
  'function getReward(uint256 tokenId)',
  'function update(uint256 tokenId)',
])
const factoryAbi = parseAbi(['function getPool(address, address, int24) view returns (address)'])
const routerAbi = parseAbi([
  'function exactInputSingle((address tokenIn, address tokenOut, int24 tickSpacing, address recipient, uint256 deadline, uint256 amountIn, uint256 amountOutMinimum, uint160 sqrtPriceLimitX96) params) returns (uint256)',
])
const multicallAbi = parseAbi([
  'function aggregate3((address target, bool allowFailure, bytes callData)[] calls) payable returns ((bool success, bytes returnData)[] returnData)',
])

const rows: ProtocolRow[] = []
let bench: Awaited<ReturnType<typeof openProtocolBench>>
let at: Awaited<ReturnType<typeof deploySlipstream>>
let gauge: Address

const owner = seededRandom('slipstream owner').address()

beforeAll(async () => {
  bench = await openProtocolBench(inject('devnetState'), rows)
  const { chain, client } = bench
  at = await deploySlipstream(chain, { reward, weth })
  rows.push({
    ...{ family: 'slipstream', key: 'slipstream', name: 'Slipstream', chain: 'ethereum' },
    deployment: { registry: at.hub, voter: at.hub, managers: [at.manager] },
  })
  await mint(owner, [-60_000, 60_000], PRICE)
  const read = { address: at.factory, abi: factoryAbi, args: [token0, token1, SPACING] } as const
  const pool = await client.readContract({ ...read, functionName: 'getPool' })
  await chain.write({ from: owner, address: at.hub, abi: hubAbi, functionName: 'createGauge', args: [pool] })
  gauge = await client.readContract({ address: at.hub, abi: hubAbi, functionName: 'gauges', args: [pool] })
  await bench.discover()
})
afterAll(() => bench?.stop())

/** An NFT over a range around the first price, by its tick offsets. `price` creates the pool. */
async function mint(wallet: Address, [below, above]: readonly [number, number], price = 0n): Promise<bigint> {
  const { erc20 } = bench.chain.actions
  for (const [token, amount] of [
    [usdc, parseUnits('30000', 6)],
    [weth, parseEther('10')],
  ] as const) {
    await erc20.mint(token, wallet, amount)
    await erc20.allow(token, wallet, at.manager)
  }
  const params = {
    ...{ token0, token1, tickSpacing: SPACING, tickLower: MIDDLE + below, tickUpper: MIDDLE + above },
    amount0Desired: isUsdcFirst ? parseUnits('30000', 6) : parseEther('10'),
    amount1Desired: isUsdcFirst ? parseEther('10') : parseUnits('30000', 6),
    ...{ amount0Min: 0n, amount1Min: 0n, recipient: wallet, deadline: FAR_FUTURE, sqrtPriceX96: price },
  }
  const manager = { address: at.manager, abi: managerAbi } as const
  await bench.chain.write({ from: wallet, ...manager, functionName: 'mint', args: [params] })
  const count = await bench.client.readContract({ ...manager, functionName: 'balanceOf', args: [wallet] })
  const last = { ...manager, functionName: 'tokenOfOwnerByIndex', args: [wallet, count - 1n] } as const
  return bench.client.readContract(last)
}

async function trade(random: Random): Promise<void> {
  const { erc20 } = bench.chain.actions
  const trader = random.address()
  for (let count = 0; count < 4; count += 1) {
    const isUsdc = random.index(2) === 0
    const [give, take] = isUsdc ? [usdc, weth] : [weth, usdc]
    const amount = isUsdc ? random.amount(10n ** 6n, parseUnits('6000', 6)) : random.amount(10n ** 15n, parseEther('2'))
    await erc20.mint(give, trader, amount)
    await erc20.allow(give, trader, at.router)
    const params = {
      ...{ tokenIn: give, tokenOut: take, tickSpacing: SPACING, recipient: trader, deadline: FAR_FUTURE },
      ...{ amountIn: amount, amountOutMinimum: 0n, sqrtPriceLimitX96: 0n },
    }
    await bench.chain.write({
      from: trader,
      address: at.router,
      abi: routerAbi,
      functionName: 'exactInputSingle',
      args: [params],
    })
  }
}

async function stake(wallet: Address, id: bigint): Promise<void> {
  const manager = { from: wallet, address: at.manager, abi: managerAbi } as const
  await bench.chain.write({ ...manager, functionName: 'approve', args: [gauge, id] })
  await bench.chain.write({ from: wallet, address: gauge, abi: gaugeAbi, functionName: 'deposit', args: [id] })
}

async function emit(amount: bigint): Promise<void> {
  const { erc20 } = bench.chain.actions
  await erc20.mint(reward, owner, amount)
  await erc20.allow(reward, owner, at.hub)
  await bench.chain.write({
    from: owner,
    address: at.hub,
    abi: hubAbi,
    functionName: 'notifyReward',
    args: [gauge, amount],
  })
}

type Call = { target: Address; callData: Hex }

/** Increase of each token by the wallet's own calls at the block: Multicall3 is placed at its address. */
async function paidBy(wallet: Address, calls: readonly Call[], blockNumber: bigint): Promise<Record<string, bigint>> {
  const coins = [usdc, weth, reward]
  const balance = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [wallet] })
  const look = coins.map((target) => ({ target, callData: balance }))
  const steps = [...look, ...calls, ...look].map((call) => ({ ...call, allowFailure: false }))
  const data = encodeFunctionData({ abi: multicallAbi, functionName: 'aggregate3', args: [steps] })
  const code = (await bench.client.getCode({ address: multicall3 })) ?? '0x'
  const answer = await bench.client.call({ to: wallet, data, blockNumber, stateOverride: [{ address: wallet, code }] })
  const done = decodeFunctionResult({ abi: multicallAbi, functionName: 'aggregate3', data: answer.data ?? '0x' })
  const told = done.map(({ returnData }) => (returnData === '0x' ? 0n : BigInt(`0x${returnData.slice(2, 66)}`)))
  return expectedAmounts(
    ...coins.map((token, i) => [token, (told[told.length - 3 + i] ?? 0n) - (told[i] ?? 0n)] as const),
  )
}

const callsFor = (wallet: Address, tokenId: bigint, liquidity: bigint) => {
  const toManager = (data: Hex): Call => ({ target: at.manager, callData: data })
  const toGauge = (data: Hex): Call => ({ target: gauge, callData: data })
  const collect = toManager(
    encodeFunctionData({
      ...{ abi: managerAbi, functionName: 'collect' },
      args: [{ tokenId, recipient: wallet, amount0Max: MOST, amount1Max: MOST }],
    }),
  )
  const decrease = toManager(
    encodeFunctionData({
      ...{ abi: managerAbi, functionName: 'decreaseLiquidity' },
      args: [{ tokenId, liquidity, amount0Min: 0n, amount1Min: 0n, deadline: FAR_FUTURE }],
    }),
  )
  return {
    collect: [collect],
    close: liquidity > 0n ? [decrease, collect] : [collect],
    claim: [toGauge(encodeFunctionData({ abi: gaugeAbi, functionName: 'getReward', args: [tokenId] }))],
  }
}

const liquidityOf = async (tokenId: bigint, blockNumber: bigint) =>
  (
    await bench.client.readContract({
      address: at.manager,
      abi: managerAbi,
      functionName: 'positions',
      args: [tokenId],
      blockNumber,
    })
  )[7]

const less = (all: Record<string, bigint>, part: Record<string, bigint>) =>
  Object.fromEntries(
    Object.entries(all).flatMap(([token, sum]) =>
      sum > (part[token] ?? 0n) ? [[token, sum - (part[token] ?? 0n)]] : [],
    ),
  )

/** Compares an unstaked NFT with taking it out at the same block. */
async function checkOwned(wallet: Address, id: bigint): Promise<Position | undefined> {
  const { positions, block } = await bench.read(wallet)
  const position = positions.find(({ tokenId }) => tokenId === id)
  const calls = callsFor(wallet, id, await liquidityOf(id, block))
  const fees = await paidBy(wallet, calls.collect, block)
  expect(amountsOf(position?.rewards ?? [])).toEqual(fees)
  expect(amountsOf(position?.supplied ?? [])).toEqual(less(await paidBy(wallet, calls.close, block), fees))
  return position
}

/** Compares a staked NFT with the payouts of its owner, the gauge, and of the gauge to the wallet. */
async function checkStaked(wallet: Address, id: bigint): Promise<Position | undefined> {
  const { positions, block } = await bench.read(wallet)
  const position = positions.find(({ tokenId }) => tokenId === id)
  const liquidity = await liquidityOf(id, block)
  expect(amountsOf(position?.rewards ?? [])).toEqual(await paidBy(wallet, callsFor(wallet, id, liquidity).claim, block))
  const { result } = await bench.client.simulateContract({
    ...{ address: at.manager, abi: managerAbi, functionName: 'decreaseLiquidity', account: gauge, blockNumber: block },
    args: [{ tokenId: id, liquidity, amount0Min: 0n, amount1Min: 0n, deadline: FAR_FUTURE }],
  } as const)
  expect(amountsOf(position?.supplied ?? [])).toEqual(expectedAmounts([token0, result[0]], [token1, result[1]]))
  return position
}

/** Takes an NFT back. It returns without coins of the pool. */
async function unstake(wallet: Address, id: bigint): Promise<void> {
  const { balanceOf } = bench.chain.actions.erc20
  const before = [await balanceOf(usdc, wallet), await balanceOf(weth, wallet)]
  await bench.chain.write({ from: wallet, address: gauge, abi: gaugeAbi, functionName: 'withdraw', args: [id] })
  expect([await balanceOf(usdc, wallet), await balanceOf(weth, wallet)]).toEqual(before)
}

it('pays what taking out and claiming pays, to the unit, in the wallet, staked, and back', async () => {
  const random = seededRandom('slipstream')
  for (let round = 0; round < 3; round += 1) {
    // Emissions end with the week.
    await emit(parseEther('5000'))
    const wallet = random.address()
    const ids = [await mint(wallet, [-200, 300]), await mint(wallet, [-20_000, 10_000]), await mint(wallet, [400, 900])]
    await trade(random)
    for (const id of ids) {
      expect(await checkOwned(wallet, id)).toMatchObject({
        kind: 'nft-liquidity',
        label: '0.05%',
        protocol: 'slipstream',
      })
    }
    for (const id of ids.slice(1)) await stake(wallet, id)
    await trade(random)
    await bench.chain.travel(1 + random.index(DAY_SECONDS))
    const [first = 0n, wide = 0n, out = 0n] = ids
    // The manager still counts fees of a staked NFT, but they go to no holder.
    const staked = await checkStaked(wallet, wide)
    expect(staked).toMatchObject({ kind: 'farming', receipts: [evmAddress(at.manager)] })
    expect(staked?.rewards.map(({ token }) => token)).toEqual([evmAddress(reward)])
    await checkStaked(wallet, out)
    await checkOwned(wallet, first)
    // An update stores the rewards earned so far.
    await bench.chain.write({ from: owner, address: gauge, abi: gaugeAbi, functionName: 'update', args: [wide] })
    await bench.chain.travel(600)
    await checkStaked(wallet, wide)
    await unstake(wallet, wide)
    await trade(random)
    await checkOwned(wallet, wide)
  }
})

it('shows no fees of a staked NFT, where one of the same range that is not staked has earned them', async () => {
  const random = seededRandom('slipstream fees')
  const wallet = random.address()
  const [free, staked] = [await mint(wallet, [-2_000, 2_000]), await mint(wallet, [-2_000, 2_000])]
  await stake(wallet, staked)
  await trade(random)
  expect((await checkOwned(wallet, free))?.rewards).not.toEqual([])
  const position = await checkStaked(wallet, staked)
  const coins = new Set(position?.rewards.map(({ token }) => token))
  expect([usdc, weth].filter((coin) => coins.has(evmAddress(coin)))).toEqual([])
  await unstake(wallet, staked)
  expect((await checkOwned(wallet, staked))?.rewards).toEqual([])
})

it('shows an NFT once: not that of another, and not one that was given away', async () => {
  const random = seededRandom('slipstream others')
  const [wallet, other] = [random.address(), random.address()]
  const id = await mint(wallet, [-1_000, 1_000])
  const manager = { from: wallet, address: at.manager, abi: managerAbi } as const
  await bench.chain.write({ ...manager, functionName: 'transferFrom', args: [wallet, other, id] })
  await stake(other, id)
  expect((await bench.read(wallet)).positions).toEqual([])
  expect((await bench.read(other)).positions.map(({ tokenId }) => tokenId)).toEqual([id])
  // An untrusted contract that claims to keep the NFT is no gauge of the voter.
  const second = await mint(wallet, [-1_000, 1_000])
  await bench.chain.write({ ...manager, functionName: 'transferFrom', args: [wallet, random.address(), second] })
  expect((await bench.read(wallet)).positions).toEqual([])
})

it('asks a wallet that has nothing there for a balance alone', async () => {
  const { positions, batches } = await bench.read(bench.devnet.wallets.empty.address)
  expect(positions).toEqual([])
  expect(batches).toBe(1)
})
