import { type Address, erc20Abi, parseAbi } from 'viem'
import { packageArtifact } from '../artifact.ts'
import type { DevChain } from '../chain.ts'
import { accounts } from '../wallets.ts'
import type { Erc20Actions } from './erc20.ts'

type Deployment = { factory: Address; router: Address }

const FAR_FUTURE = 2n ** 40n
const routerAbi = parseAbi([
  'function addLiquidity(address tokenA, address tokenB, uint256 amountADesired, uint256 amountBDesired, uint256 amountAMin, uint256 amountBMin, address to, uint256 deadline) returns (uint256 amountA, uint256 amountB, uint256 liquidity)',
  'function removeLiquidity(address tokenA, address tokenB, uint256 liquidity, uint256 amountAMin, uint256 amountBMin, address to, uint256 deadline) returns (uint256 amountA, uint256 amountB)',
  'function swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline) returns (uint256[] amounts)',
])
const factoryAbi = parseAbi(['function getPair(address tokenA, address tokenB) view returns (address)'])

export const deployUniswapV2 = async (chain: DevChain, at: Deployment, weth: Address): Promise<void> => {
  await chain.deployTo(at.factory, packageArtifact('@uniswap/v2-core', 'build/UniswapV2Factory.json'), [
    accounts.deployer,
  ])
  await chain.deployTo(at.router, packageArtifact('@uniswap/v2-periphery', 'build/UniswapV2Router02.json'), [
    at.factory,
    weth,
  ])
}

export type Side = { token: Address; amount: bigint }

/** The first liquidity creates a pair. */
export const uniswapV2Actions = (chain: DevChain, at: Deployment, erc20: Erc20Actions) => {
  const pairOf = (one: Address, other: Address) =>
    chain.client.readContract({ address: at.factory, abi: factoryAbi, functionName: 'getPair', args: [one, other] })

  /** Adds at most these amounts, at the pair's ratio. */
  const add = async (wallet: Address, one: Side, other: Side) => {
    await erc20.allow(one.token, wallet, at.router)
    await erc20.allow(other.token, wallet, at.router)
    return chain.write({
      from: wallet,
      address: at.router,
      abi: routerAbi,
      functionName: 'addLiquidity',
      args: [one.token, other.token, one.amount, other.amount, 0n, 0n, wallet, FAR_FUTURE],
    })
  }

  /** Default: all. */
  const remove = async (wallet: Address, one: Address, other: Address, liquidity?: bigint) => {
    const pair = await pairOf(one, other)
    const held = { address: pair, abi: erc20Abi, functionName: 'balanceOf', args: [wallet] } as const
    await erc20.allow(pair, wallet, at.router)
    return chain.write({
      from: wallet,
      address: at.router,
      abi: routerAbi,
      functionName: 'removeLiquidity',
      args: [one, other, liquidity ?? (await chain.client.readContract(held)), 0n, 0n, wallet, FAR_FUTURE],
    })
  }

  const swap = async (wallet: Address, give: Side, take: Address) => {
    await erc20.allow(give.token, wallet, at.router)
    return chain.write({
      from: wallet,
      address: at.router,
      abi: routerAbi,
      functionName: 'swapExactTokensForTokens',
      args: [give.amount, 0n, [give.token, take], wallet, FAR_FUTURE],
    })
  }

  return { pairOf, add, remove, swap }
}
