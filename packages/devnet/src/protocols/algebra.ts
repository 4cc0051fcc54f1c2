import { type Address, encodeFunctionData, getContractAddress, type Hex, parseAbi, parseEventLogs } from 'viem'
import { type Artifact, hardhatArtifacts, ownArtifact } from '../artifact.ts'
import type { DevChain } from '../chain.ts'
import { accounts } from '../wallets.ts'
import type { Erc20Actions } from './erc20.ts'
import type { Side } from './uniswap-v2.ts'
import { inOrder, type Range, sqrtPriceX96, ticksOf } from './uniswap-v3.ts'

export type AlgebraGeneration = 'v1' | 'v2' | 'integral'

export type AlgebraDeployment = { generation: AlgebraGeneration; factory: Address; manager: Address; router: Address }

const FAR_FUTURE = 2n ** 40n
const MAX_UINT128 = 2n ** 128n - 1n
const TICK_SPACING = 60
const NONE: Address = '0x0000000000000000000000000000000000000000'

const PACKAGES = {
  v1: { core: '@cryptoalgebra/v1-core', periphery: '@cryptoalgebra/v1-periphery' },
  v2: { core: '@cryptoalgebra/core', periphery: '@cryptoalgebra/periphery' },
  integral: { core: '@cryptoalgebra/integral-core', periphery: '@cryptoalgebra/integral-periphery' },
} as const

const increaseAbi = parseAbi([
  'event IncreaseLiquidity(uint256 indexed tokenId, uint128 liquidity, uint128 actualLiquidity, uint256 amount0, uint256 amount1, address pool)',
])
const factoryAbi = parseAbi([
  'function poolByPair(address one, address other) view returns (address)',
  'function customPoolByPair(address deployer, address one, address other) view returns (address)',
])

const artifactsOf = (generation: AlgebraGeneration) => {
  const { core, periphery } = PACKAGES[generation]
  return {
    ...{ deployer: hardhatArtifacts(core)('AlgebraPoolDeployer'), factory: hardhatArtifacts(core)('AlgebraFactory') },
    ...{ pool: hardhatArtifacts(core)('AlgebraPool') },
    ...{ manager: hardhatArtifacts(periphery)('NonfungiblePositionManager') },
    router: hardhatArtifacts(periphery)('SwapRouter'),
  }
}

const nextAddress = async (chain: DevChain, after: number): Promise<Address> => {
  const nonce = await chain.client.getTransactionCount({ address: accounts.deployer })
  return getContractAddress({ from: accounts.deployer, nonce: BigInt(nonce + after) })
}

const deployCore = async (
  chain: DevChain,
  generation: AlgebraGeneration,
  artifacts: Record<'deployer' | 'factory', Artifact>,
) => {
  if (generation === 'v1') {
    const deployer = await chain.deploy(artifacts.deployer)
    const factory = await chain.deploy(artifacts.factory, [deployer, accounts.market])
    await chain.admin(deployer, artifacts.deployer, 'setFactory', [factory])
    return { factory, deployer }
  }
  const factory = await chain.deploy(artifacts.factory, [await nextAddress(chain, 1)])
  const vault = getContractAddress({ from: factory, nonce: 1n })
  const deployer = await chain.deploy(artifacts.deployer, generation === 'v2' ? [factory, vault] : [factory])
  return { factory, deployer }
}

export const deployAlgebra = async (
  chain: DevChain,
  generation: AlgebraGeneration,
  weth: Address,
): Promise<AlgebraDeployment> => {
  const artifacts = artifactsOf(generation)
  const { factory, deployer } = await deployCore(chain, generation, artifacts)
  const manager = await chain.deploy(artifacts.manager, [factory, weth, NONE, deployer])
  const router = await chain.deploy(artifacts.router, [factory, weth, deployer])
  return { generation, factory, manager, router }
}

const call = (
  chain: DevChain,
  from: Address,
  to: Address,
  { abi }: Artifact,
  functionName: string,
  args: readonly unknown[],
) => chain.send({ from, to, data: encodeFunctionData({ abi, functionName, args: [...args] }) })

const poolActions = (chain: DevChain, at: AlgebraDeployment) => {
  const artifacts = artifactsOf(at.generation)

  const poolOf = (one: Address, other: Address, deployer = NONE): Promise<Address> => {
    const factory = { address: at.factory, abi: factoryAbi } as const
    if (deployer === NONE)
      return chain.client.readContract({ ...factory, functionName: 'poolByPair', args: [one, other] })
    return chain.client.readContract({ ...factory, functionName: 'customPoolByPair', args: [deployer, one, other] })
  }

  /** The ratio of the amounts sets the price. */
  const createPool = (one: Side, other: Side, from: Address, deployer = NONE) => {
    const [side0, side1] = inOrder(one, other)
    const price = sqrtPriceX96(side0.amount, side1.amount)
    const more = at.generation === 'integral' ? [deployer, price, '0x'] : [price]
    return call(chain, from, at.manager, artifacts.manager, 'createAndInitializePoolIfNecessary', [
      ...[side0.token, side1.token, ...more],
    ])
  }

  /** A pool with this project's deployer. Its plugin keeps `part` millionths of withdrawals. */
  const createKeepingPool = async (one: Side, other: Side, from: Address, part: number): Promise<Address> => {
    const entry = await chain.deploy(hardhatArtifacts(PACKAGES.integral.periphery)('AlgebraCustomPoolEntryPoint'), [
      at.factory,
    ])
    const roles = parseAbi(['function CUSTOM_POOL_DEPLOYER() view returns (bytes32)'])
    const role = await chain.client.readContract({
      ...{ address: at.factory, abi: roles, functionName: 'CUSTOM_POOL_DEPLOYER' },
    } as const)
    await chain.admin(at.factory, artifacts.factory, 'grantRole', [role, entry])
    const artifact = ownArtifact('AlgebraPlugin')
    const plugin = await chain.deploy(artifact)
    const [side0, side1] = inOrder(one, other)
    await call(chain, from, plugin, artifact, 'open', [entry, side0.token, side1.token])
    await createPool(one, other, from, plugin)
    await call(chain, from, plugin, artifact, 'keep', [await poolOf(side0.token, side1.token, plugin), part])
    return plugin
  }

  const stateOf = async (pool: Address): Promise<readonly [bigint, number]> => {
    const state = await chain.client.readContract({
      address: pool,
      abi: artifacts.pool.abi,
      functionName: 'globalState',
    })
    return state as readonly [bigint, number]
  }

  return { poolOf, stateOf, createPool, createKeepingPool }
}

/** `deployer`: Integral only. Default: the factory. */
export const algebraActions = (chain: DevChain, at: AlgebraDeployment, erc20: Erc20Actions) => {
  const artifacts = artifactsOf(at.generation)
  const pools = poolActions(chain, at)
  const isIntegral = at.generation === 'integral'

  const dataOf = (functionName: string, args: readonly unknown[]): Hex =>
    encodeFunctionData({ abi: artifacts.manager.abi, functionName, args: [...args] })
  const manage = (from: Address, functionName: string, args: readonly unknown[]) =>
    call(chain, from, at.manager, artifacts.manager, functionName, args)

  /** Mints with at most these amounts. Returns the ID. */
  const mint = async (wallet: Address, one: Side, other: Side, range: Range, deployer = NONE): Promise<bigint> => {
    const [side0, side1] = inOrder(one, other)
    const [, tick] = await pools.stateOf(await pools.poolOf(side0.token, side1.token, deployer))
    const [tickLower, tickUpper] = ticksOf(range, tick, TICK_SPACING)
    for (const { token } of [side0, side1]) await erc20.allow(token, wallet, at.manager)
    const amounts = { amount0Desired: side0.amount, amount1Desired: side1.amount, amount0Min: 0n, amount1Min: 0n }
    const place = { token0: side0.token, token1: side1.token, ...(isIntegral && { deployer }), tickLower, tickUpper }
    const receipt = await manage(wallet, 'mint', [{ ...place, ...amounts, recipient: wallet, deadline: FAR_FUTURE }])
    const [minted] = parseEventLogs({ abi: increaseAbi, logs: receipt.logs })
    if (!minted) throw new Error('minting a position emitted no IncreaseLiquidity')
    return minted.args.tokenId
  }

  /** Adds at most these amounts. Needs the manager's allowance. */
  const increase = (wallet: Address, tokenId: bigint, amount0: bigint, amount1: bigint) => {
    const amounts = { amount0Desired: amount0, amount1Desired: amount1, amount0Min: 0n, amount1Min: 0n }
    return manage(wallet, 'increaseLiquidity', [{ tokenId, ...amounts, deadline: FAR_FUTURE }])
  }

  const decreaseArgs = (tokenId: bigint, liquidity: bigint) => [
    { tokenId, liquidity, amount0Min: 0n, amount1Min: 0n, deadline: FAR_FUTURE },
  ]
  const collectArgs = (recipient: Address, tokenId: bigint) => [
    { tokenId, recipient, amount0Max: MAX_UINT128, amount1Max: MAX_UINT128 },
  ]

  /** Withdrawn tokens stay in the position until collected. */
  const decrease = (wallet: Address, tokenId: bigint, liquidity: bigint) =>
    manage(wallet, 'decreaseLiquidity', decreaseArgs(tokenId, liquidity))

  const collect = (wallet: Address, tokenId: bigint) => manage(wallet, 'collect', collectArgs(wallet, tokenId))

  const close = (wallet: Address, tokenId: bigint, liquidity: bigint) => {
    const steps = liquidity > 0n ? [dataOf('decreaseLiquidity', decreaseArgs(tokenId, liquidity))] : []
    const data = [...steps, dataOf('collect', collectArgs(wallet, tokenId)), dataOf('burn', [tokenId])]
    return manage(wallet, 'multicall', [data])
  }

  const swap = async (wallet: Address, give: Side, take: Address, deployer = NONE) => {
    await erc20.allow(give.token, wallet, at.router)
    const limits = { amountIn: give.amount, amountOutMinimum: 0n, limitSqrtPrice: 0n }
    const route = { tokenIn: give.token, tokenOut: take, ...(isIntegral && { deployer }) }
    const args = [{ ...route, ...limits, recipient: wallet, deadline: FAR_FUTURE }]
    return call(chain, wallet, at.router, artifacts.router, 'exactInputSingle', args)
  }

  return { ...pools, abi: artifacts.manager.abi, mint, increase, decrease, collect, close, swap }
}
