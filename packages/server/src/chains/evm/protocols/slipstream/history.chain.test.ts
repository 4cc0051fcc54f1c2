import { addresses, deploySlipstream } from '@coffer/devnet'
import { type Address, parseAbi, parseEther, parseUnits } from 'viem'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { type HistoryBench, openHistoryBench } from '../../../../../test/history-bench.ts'
import { evmAddress } from '../../../../domain/evm-address.ts'
import type { WalletTransaction } from '../../../../domain/transaction.ts'

const { usdc, weth, uni: reward } = addresses.ethereum.tokens
const PROTOCOL = 'slipstream'
const SPACING = 100
const FAR_FUTURE = 2n ** 40n
const MOST = 2n ** 128n - 1n
const isUsdcFirst = usdc.toLowerCase() < weth.toLowerCase()
const [token0, token1] = isUsdcFirst ? [usdc, weth] : [weth, usdc]
/** √(token1 per token0) at 3,000 USDC for a WETH, in 96 fractional bits. */
const PRICE = isUsdcFirst ? 1446501726624926496477173928747177n : 4339505179874779489431521n
const MIDDLE = isUsdcFirst ? 196_200 : -196_200

const managerAbi = parseAbi([
  'function mint((address token0, address token1, int24 tickSpacing, int24 tickLower, int24 tickUpper, uint256 amount0Desired, uint256 amount1Desired, uint256 amount0Min, uint256 amount1Min, address recipient, uint256 deadline, uint160 sqrtPriceX96) params)',
  'function positions(uint256 tokenId) view returns (uint96, address, address, address, int24, int24, int24, uint128 liquidity, uint256, uint256, uint128, uint128)',
  'function decreaseLiquidity((uint256 tokenId, uint128 liquidity, uint256 amount0Min, uint256 amount1Min, uint256 deadline) params)',
  'function collect((uint256 tokenId, address recipient, uint128 amount0Max, uint128 amount1Max) params)',
  'function tokenOfOwnerByIndex(address owner, uint256 index) view returns (uint256)',
  'function approve(address to, uint256 tokenId)',
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
])
const factoryAbi = parseAbi(['function getPool(address, address, int24) view returns (address)'])
const routerAbi = parseAbi([
  'function exactInputSingle((address tokenIn, address tokenOut, int24 tickSpacing, address recipient, uint256 deadline, uint256 amountIn, uint256 amountOutMinimum, uint160 sqrtPriceLimitX96) params) returns (uint256)',
])

type Chain = HistoryBench['chain']
let bench: HistoryBench
let at: Awaited<ReturnType<typeof deploySlipstream>>
let gauge: Address
let nextWallet = 0x5119_0000
const newWallet = (): Address => `0x${(nextWallet++).toString(16).padStart(40, '0')}`
const owner = newWallet()

beforeAll(async () => {
  bench = await openHistoryBench(inject('devnetState'), async (chain) => {
    at = await deploySlipstream(chain, { reward, weth })
    await fund(chain, owner)
    await mint(chain, owner, PRICE)
    const read = { address: at.factory, abi: factoryAbi, args: [token0, token1, SPACING] } as const
    const pool = await chain.client.readContract({ ...read, functionName: 'getPool' })
    await chain.write({ from: owner, address: at.hub, abi: hubAbi, functionName: 'createGauge', args: [pool] })
    gauge = await chain.client.readContract({ address: at.hub, abi: hubAbi, functionName: 'gauges', args: [pool] })
    const row = { family: 'slipstream', key: PROTOCOL, name: 'Slipstream', chain: 'ethereum' }
    return { rows: [{ ...row, deployment: { registry: at.hub, voter: at.hub, managers: [at.manager] } }] }
  })
})
afterAll(() => bench?.stop())

async function fund({ actions: { erc20 } }: Chain, wallet: Address): Promise<void> {
  await erc20.mint(usdc, wallet, parseUnits('60000', 6))
  await erc20.mint(weth, wallet, parseEther('20'))
  for (const token of [usdc, weth]) {
    for (const spender of [at.manager, at.router]) await erc20.allow(token, wallet, spender)
  }
}

async function mint(chain: Chain, wallet: Address, price = 0n): Promise<void> {
  const params = {
    ...{ token0, token1, tickSpacing: SPACING, tickLower: MIDDLE - 5_000, tickUpper: MIDDLE + 5_000 },
    amount0Desired: isUsdcFirst ? parseUnits('30000', 6) : parseEther('10'),
    amount1Desired: isUsdcFirst ? parseEther('10') : parseUnits('30000', 6),
    ...{ amount0Min: 0n, amount1Min: 0n, recipient: wallet, deadline: FAR_FUTURE, sqrtPriceX96: price },
  }
  await chain.write({ from: wallet, address: at.manager, abi: managerAbi, functionName: 'mint', args: [params] })
}

async function trade(): Promise<void> {
  const trader = newWallet()
  await fund(bench.chain, trader)
  for (const [give, take, amount] of [
    [usdc, weth, parseUnits('3000', 6)],
    [weth, usdc, parseEther('1')],
  ] as const) {
    const params = {
      ...{ tokenIn: give, tokenOut: take, tickSpacing: SPACING, recipient: trader, deadline: FAR_FUTURE },
      ...{ amountIn: amount, amountOutMinimum: 0n, sqrtPriceLimitX96: 0n },
    }
    const call = { from: trader, address: at.router, abi: routerAbi, functionName: 'exactInputSingle' } as const
    await bench.chain.write({ ...call, args: [params] })
  }
}

async function emit(amount: bigint): Promise<void> {
  await bench.chain.startWeek()
  const { erc20 } = bench.chain.actions
  await erc20.mint(reward, owner, amount)
  await erc20.allow(reward, owner, at.hub)
  const call = { from: owner, address: at.hub, abi: hubAbi, functionName: 'notifyReward' } as const
  await bench.chain.write({ ...call, args: [gauge, amount] })
}

const named = () =>
  new Map(Object.entries({ nft: at.manager, usdc, weth, reward }).map(([name, one]) => [`${evmAddress(one)}`, name]))

function signOf(amountRaw: bigint): string {
  if (amountRaw === 0n) return ''
  return amountRaw < 0n ? '-' : '+'
}

const summary = (transactions: readonly WalletTransaction[]) =>
  transactions.map(({ type, protocol, movements }) => [
    type,
    protocol,
    ...movements
      .map(({ token, amountRaw, leg, treatment }) => `${leg} ${treatment} ${signOf(amountRaw)}${named().get(token)}`)
      .toSorted(),
  ])

it('an NFT into a gauge with its fees, back with emissions, and out', async () => {
  const wallet = newWallet()
  const { chain, client } = bench
  await fund(chain, wallet)
  const before = await client.getBlockNumber()
  await mint(chain, wallet)
  const manager = { address: at.manager, abi: managerAbi } as const
  const tokenId = await client.readContract({ ...manager, functionName: 'tokenOfOwnerByIndex', args: [wallet, 0n] })
  await trade()
  await chain.write({ from: wallet, ...manager, functionName: 'approve', args: [gauge, tokenId] })
  await chain.write({ from: wallet, address: gauge, abi: gaugeAbi, functionName: 'deposit', args: [tokenId] })
  await emit(parseEther('100'))
  await trade()
  await chain.travel(3_600)
  await chain.write({ from: wallet, address: gauge, abi: gaugeAbi, functionName: 'getReward', args: [tokenId] })
  await chain.travel(3_600)
  await chain.write({ from: wallet, address: gauge, abi: gaugeAbi, functionName: 'withdraw', args: [tokenId] })
  const [, , , , , , , liquidity] = await client.readContract({
    ...manager,
    functionName: 'positions',
    args: [tokenId],
  })
  const out = { tokenId, liquidity, amount0Min: 0n, amount1Min: 0n, deadline: FAR_FUTURE }
  await chain.write({ from: wallet, ...manager, functionName: 'decreaseLiquidity', args: [out] })
  const all = { tokenId, recipient: wallet, amount0Max: MOST, amount1Max: MOST }
  await chain.write({ from: wallet, ...manager, functionName: 'collect', args: [all] })
  expect(summary(await bench.readSince(wallet, before))).toEqual([
    ['ADDLIQUIDITY', PROTOCOL, '0 move +nft', '0 move -usdc', '0 move -weth'],
    ['APPROVAL', PROTOCOL],
    ['STAKE', PROTOCOL, '0 move -nft', '1 income +usdc', '2 income +weth'],
    ['CLAIM', null, '0 income +reward'],
    ['UNSTAKE', PROTOCOL, '0 move +nft', '1 income +reward'],
    ['REMOVELIQUIDITY', PROTOCOL],
    ['REMOVELIQUIDITY', PROTOCOL, '0 move +usdc', '0 move +weth', '0 move nft'],
  ])
})
