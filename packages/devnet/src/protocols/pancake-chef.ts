import { type Address, erc721Abi, parseAbi } from 'viem'
import { hardhatArtifacts, ownArtifact } from '../artifact.ts'
import type { DevChain } from '../chain.ts'
import { accounts } from '../wallets.ts'
import type { Erc20Actions } from './erc20.ts'

type Deployment = { chef: Address; manager: Address; cake: Address; mining: Address }
/** In pool order. */
type FarmedPool = { token0: Address; token1: Address; fee: number }

const FAR_FUTURE = 2n ** 40n
const MAX_UINT128 = 2n ** 128n - 1n
const DAY_SECONDS = 86_400n
const FARM_ID = 1n

const chefAbi = parseAbi([
  'function setReceiver(address receiver)',
  'function setLMPoolDeployer(address deployer)',
  'function add(uint256 allocPoint, address pool, bool withUpdate)',
  'function upkeep(uint256 amount, uint256 duration, bool withUpdate)',
  'function updatePools(uint256[] pids)',
  'function withdraw(uint256 tokenId, address to) returns (uint256 reward)',
  'function harvest(uint256 tokenId, address to) returns (uint256 reward)',
  'function increaseLiquidity((uint256 tokenId, uint256 amount0Desired, uint256 amount1Desired, uint256 amount0Min, uint256 amount1Min, uint256 deadline) params) payable returns (uint128 liquidity, uint256 amount0, uint256 amount1)',
  'function decreaseLiquidity((uint256 tokenId, uint128 liquidity, uint256 amount0Min, uint256 amount1Min, uint256 deadline) params) returns (uint256 amount0, uint256 amount1)',
  'function collect((uint256 tokenId, address recipient, uint128 amount0Max, uint128 amount1Max) params) returns (uint256 amount0, uint256 amount1)',
])
const managerAbi = parseAbi([
  'function positions(uint256 tokenId) view returns (uint96 nonce, address operator, address token0, address token1, uint24 fee, int24 tickLower, int24 tickUpper, uint128 liquidity, uint256 feeGrowthInside0LastX128, uint256 feeGrowthInside1LastX128, uint128 tokensOwed0, uint128 tokensOwed1)',
])

export const deployPancakeChef = async (
  chain: DevChain,
  at: Deployment,
  { pool, weth, erc20 }: { pool: FarmedPool; weth: Address; erc20: Erc20Actions },
): Promise<void> => {
  const chef = { from: accounts.deployer, address: at.chef, abi: chefAbi } as const
  const artifact = hardhatArtifacts('@pancakeswap/masterchef-v3')('MasterChefV3')
  await chain.deployTo(at.chef, artifact, [at.cake, at.manager, weth])
  await chain.deployTo(at.mining, ownArtifact('LiquidityMining'), [at.chef, pool.token0, pool.token1, pool.fee])
  await erc20.allow(at.cake, accounts.market, at.chef)
  await chain.write({ ...chef, functionName: 'setReceiver', args: [accounts.market] })
  await chain.write({ ...chef, functionName: 'setLMPoolDeployer', args: [at.mining] })
  await chain.write({ ...chef, functionName: 'add', args: [100n, at.mining, false] })
}

export const pancakeChefActions = (chain: DevChain, at: Deployment, erc20: Erc20Actions) => {
  const chef = { address: at.chef, abi: chefAbi } as const

  const stake = (wallet: Address, tokenId: bigint) => {
    const args = [wallet, at.chef, tokenId] as const
    return chain.write({ from: wallet, address: at.manager, abi: erc721Abi, functionName: 'safeTransferFrom', args })
  }

  /** Returns the NFT and pays its reward. */
  const unstake = (wallet: Address, tokenId: bigint) =>
    chain.write({ from: wallet, ...chef, functionName: 'withdraw', args: [tokenId, wallet] })

  const harvest = (wallet: Address, tokenId: bigint) =>
    chain.write({ from: wallet, ...chef, functionName: 'harvest', args: [tokenId, wallet] })

  /** Adds at most these amounts. */
  const increase = async (wallet: Address, tokenId: bigint, amount0: bigint, amount1: bigint) => {
    const position = { address: at.manager, abi: managerAbi, functionName: 'positions', args: [tokenId] } as const
    const [, , token0, token1] = await chain.client.readContract(position)
    for (const token of [token0, token1]) await erc20.allow(token, wallet, at.chef)
    const amounts = { amount0Desired: amount0, amount1Desired: amount1, amount0Min: 0n, amount1Min: 0n }
    const args = [{ tokenId, ...amounts, deadline: FAR_FUTURE }] as const
    return chain.write({ from: wallet, ...chef, functionName: 'increaseLiquidity', args })
  }

  /** Withdrawn tokens stay in the position until collected. */
  const decrease = (wallet: Address, tokenId: bigint, liquidity: bigint) => {
    const args = [{ tokenId, liquidity, amount0Min: 0n, amount1Min: 0n, deadline: FAR_FUTURE }] as const
    return chain.write({ from: wallet, ...chef, functionName: 'decreaseLiquidity', args })
  }

  const collect = (wallet: Address, tokenId: bigint) => {
    const args = [{ tokenId, recipient: wallet, amount0Max: MAX_UINT128, amount1Max: MAX_UINT128 }] as const
    return chain.write({ from: wallet, ...chef, functionName: 'collect', args })
  }

  /** Funds the next thirty days. */
  const fund = async (amount: bigint) => {
    await erc20.mint(at.cake, accounts.market, amount)
    const args = [amount, 30n * DAY_SECONDS, true] as const
    return chain.write({ from: accounts.market, ...chef, functionName: 'upkeep', args })
  }

  const settle = () => chain.write({ from: accounts.deployer, ...chef, functionName: 'updatePools', args: [[FARM_ID]] })

  return { stake, unstake, harvest, increase, decrease, collect, fund, settle }
}
