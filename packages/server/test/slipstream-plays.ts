import { addresses, type DevChain, deploySlipstream, type ethereumActions } from '@coffer/devnet'
import { type Address, parseAbi, parseEther, parseUnits } from 'viem'
import { contractOf } from './contract-of.ts'

const { usdc, weth, uni: reward } = addresses.ethereum.tokens
const SPACING = 100
export const FAR_FUTURE = 2n ** 40n
export const MOST = 2n ** 128n - 1n
const isUsdcFirst = usdc.toLowerCase() < weth.toLowerCase()
export const [token0, token1] = isUsdcFirst ? [usdc, weth] : [weth, usdc]
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

type Chain = DevChain & { actions: ReturnType<typeof ethereumActions> }

/** A pool of USDC and WETH with the owner's liquidity and a gauge. */
export async function openSlipstream(chain: Chain, owner: Address) {
  const { erc20 } = chain.actions
  const at = await deploySlipstream(chain, { reward, weth })
  const hub = contractOf(chain, at.hub, 'SlipstreamHub')
  const manager = contractOf(chain, at.manager, managerAbi)
  const router = contractOf(chain, at.router, routerAbi)

  async function give(wallet: Address, token: Address, amount: bigint, spender: Address): Promise<void> {
    await erc20.mint(token, wallet, amount)
    await erc20.allow(token, wallet, spender)
  }

  /** An NFT over a range around the first price, by its tick offsets. `price` creates the pool. */
  async function mint(wallet: Address, [below, above]: readonly [number, number], price = 0n): Promise<bigint> {
    const [dollars, coins] = [parseUnits('30000', 6), parseEther('10')]
    await give(wallet, usdc, dollars, at.manager)
    await give(wallet, weth, coins, at.manager)
    await manager.write(wallet, 'mint', {
      ...{ token0, token1, tickSpacing: SPACING, tickLower: MIDDLE + below, tickUpper: MIDDLE + above },
      ...{ amount0Desired: isUsdcFirst ? dollars : coins, amount1Desired: isUsdcFirst ? coins : dollars },
      ...{ amount0Min: 0n, amount1Min: 0n, recipient: wallet, deadline: FAR_FUTURE, sqrtPriceX96: price },
    })
    const count = await manager.read('balanceOf', wallet)
    return manager.read('tokenOfOwnerByIndex', wallet, count - 1n)
  }

  async function swap(trader: Address, tokenIn: Address, amountIn: bigint): Promise<void> {
    await give(trader, tokenIn, amountIn, at.router)
    await router.write(trader, 'exactInputSingle', {
      ...{ tokenIn, tokenOut: tokenIn === usdc ? weth : usdc, tickSpacing: SPACING, recipient: trader },
      ...{ deadline: FAR_FUTURE, amountIn, amountOutMinimum: 0n, sqrtPriceLimitX96: 0n },
    })
  }

  await mint(owner, [-60_000, 60_000], PRICE)
  const pool = await contractOf(chain, at.factory, factoryAbi).read<Address>('getPool', token0, token1, SPACING)
  await hub.write(owner, 'createGauge', pool)
  const gauge = contractOf(chain, await hub.read<Address>('gauges', pool), gaugeAbi)

  return {
    ...{ manager, gauge, mint, swap },
    row: {
      ...{ family: 'slipstream', key: 'slipstream', name: 'Slipstream', chain: 'ethereum' },
      deployment: { registry: at.hub, voter: at.hub, managers: [at.manager] },
    },
    async stake(wallet: Address, tokenId: bigint): Promise<void> {
      await manager.write(wallet, 'approve', gauge.address, tokenId)
      await gauge.write(wallet, 'deposit', tokenId)
    },
    /** Emissions until the end of the week. */
    async emit(amount: bigint): Promise<void> {
      await give(owner, reward, amount, at.hub)
      await hub.write(owner, 'notifyReward', gauge.address, amount)
    },
  }
}
