import { type Address, parseAbi, parseEther, parseEventLogs, parseUnits } from 'viem'
import { addresses } from '../addresses.ts'
import { deploySlipstream } from '../protocols/slipstream.ts'
import { inOrder, type Range, sqrtPriceX96, ticksOf } from '../protocols/uniswap-v3.ts'
import { collector, type Exhibit, provider, row, type Stage } from './stage.ts'

const { tokens } = addresses.ethereum
const SPACING = 100
const FAR_FUTURE = 2n ** 40n

const managerAbi = parseAbi([
  'function mint((address token0, address token1, int24 tickSpacing, int24 tickLower, int24 tickUpper, uint256 amount0Desired, uint256 amount1Desired, uint256 amount0Min, uint256 amount1Min, address recipient, uint256 deadline, uint160 sqrtPriceX96) params)',
  'function approve(address to, uint256 id)',
  'event IncreaseLiquidity(uint256 indexed id, uint128 liquidity, uint256 amount0, uint256 amount1)',
])
const factoryAbi = parseAbi(['function getPool(address one, address other, int24 spacing) view returns (address)'])
const poolAbi = parseAbi(['function slot0() view returns (uint160 price, int24 tick)'])
const gaugeAbi = parseAbi(['function deposit(uint256 id)'])
const hubAbi = parseAbi([
  'function createGauge(address pool)',
  'function gauges(address pool) view returns (address)',
  'function notifyReward(address gauge, uint256 amount)',
])

/** One NFT in the wallet, one in a gauge that pays UNI. */
export const openSlipstream: Exhibit = async (stage) => {
  const { chain, actions } = stage
  const { hub, factory, manager } = await deploySlipstream(chain, { reward: tokens.uni, weth: tokens.weth })
  await mint(stage, manager, { wallet: provider, ether: 1_000n, range: 'full' })
  const args = [tokens.usdc, tokens.weth, SPACING] as const
  const pool = await chain.client.readContract({ address: factory, abi: factoryAbi, functionName: 'getPool', args })
  const [, tick] = await chain.client.readContract({ address: pool, abi: poolAbi, functionName: 'slot0' })
  const own = { wallet: collector, ether: 1n, range: { below: 1500, above: 1500 }, tick } as const
  await mint(stage, manager, own)
  const id = await mint(stage, manager, own)
  const voting = { from: provider, address: hub, abi: hubAbi } as const
  await chain.write({ ...voting, functionName: 'createGauge', args: [pool] })
  const gauge = await chain.client.readContract({ address: hub, abi: hubAbi, functionName: 'gauges', args: [pool] })
  const approval = { address: manager, abi: managerAbi, functionName: 'approve', args: [gauge, id] } as const
  await chain.write({ from: collector, ...approval })
  await chain.write({ from: collector, address: gauge, abi: gaugeAbi, functionName: 'deposit', args: [id] })
  const emitted = parseEther('500')
  await actions.erc20.mint(tokens.uni, provider, emitted)
  await actions.erc20.allow(tokens.uni, provider, hub)
  await chain.write({ ...voting, functionName: 'notifyReward', args: [gauge, emitted] })
  return [row('slipstream', 'local_slipstream', 'Slipstream', { registry: hub, voter: hub, managers: [manager] })]
}

type Minted = { wallet: Address; ether: bigint; range: Range; tick?: number }

/** 3,000 USDC per ether. Without a tick it creates the pool at that price. */
const mint = async (
  { chain, actions: { erc20 } }: Stage,
  manager: Address,
  { wallet, ether, range, tick }: Minted,
): Promise<bigint> => {
  const [side0, side1] = inOrder(
    { token: tokens.usdc, amount: ether * parseUnits('3000', 6) },
    { token: tokens.weth, amount: ether * parseEther('1') },
  )
  for (const { token, amount } of [side0, side1]) {
    await erc20.mint(token, wallet, amount)
    await erc20.allow(token, wallet, manager)
  }
  const [tickLower, tickUpper] = ticksOf(range, tick ?? 0, SPACING)
  const params = {
    ...{ token0: side0.token, token1: side1.token, tickSpacing: SPACING, tickLower, tickUpper },
    ...{ amount0Desired: side0.amount, amount1Desired: side1.amount, amount0Min: 0n, amount1Min: 0n },
    ...{ recipient: wallet, deadline: FAR_FUTURE },
    sqrtPriceX96: tick === undefined ? sqrtPriceX96(side0.amount, side1.amount) : 0n,
  }
  const call = { address: manager, abi: managerAbi, functionName: 'mint', args: [params] } as const
  const { logs } = await chain.write({ from: wallet, ...call })
  const [minted] = parseEventLogs({ abi: managerAbi, logs })
  if (!minted) throw new Error('minting a position emitted no IncreaseLiquidity')
  return minted.args.id
}
