import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type Address,
  concatHex,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  keccak256,
  maxUint160,
  numberToHex,
  parseAbi,
  parseAbiParameters,
  parseEventLogs,
  type TransactionReceipt,
  zeroAddress,
} from 'viem'
import { foundryArtifact, ownArtifact, packageFolder } from '../artifact.ts'
import type { DevChain } from '../chain.ts'
import type { Erc20Actions } from './erc20.ts'
import type { Side } from './uniswap-v2.ts'
import { inOrder, type Range, sqrtPriceX96, ticksOf } from './uniswap-v3.ts'

type Deployment = {
  poolManager: Address
  positionManager: Address
  stateView: Address
  permit2: Address
  v4Router: Address
  v4Zap: Address
}

/** `currency0`: zero for the native coin. */
export type PoolKey = { currency0: Address; currency1: Address; fee: number; tickSpacing: number; hooks: Address }

const FAR_FUTURE = 2n ** 40n
const LAST_UINT48 = 2 ** 48 - 1
const MAX_UINT128 = 2n ** 128n - 1n
const UNSUBSCRIBE_GAS = 300_000n
/** √price limits of an unlimited swap. */
const LOWEST_SQRT_PRICE = 4_295_128_740n
const HIGHEST_SQRT_PRICE = 1_461_446_703_485_210_103_287_273_052_203_988_822_378_723_970_341n
/** Position manager actions. */
const INCREASE = 0x00
const DECREASE = 0x01
const MINT = 0x02
const BURN = 0x03
const SETTLE_PAIR = 0x0d
const TAKE_PAIR = 0x11
const CLOSE_CURRENCY = 0x12
const SWEEP = 0x14

const POOL_KEY = '(address currency0, address currency1, uint24 fee, int24 tickSpacing, address hooks)'
const managerAbi = parseAbi([
  `function initializePool(${POOL_KEY} key, uint160 sqrtPriceX96) payable returns (int24)`,
  'function modifyLiquidities(bytes unlockData, uint256 deadline) payable',
  'function multicall(bytes[] data) payable returns (bytes[] results)',
  'function transferFrom(address from, address to, uint256 id)',
  `function getPoolAndPositionInfo(uint256 tokenId) view returns (${POOL_KEY} key, uint256 info)`,
  'function getPositionLiquidity(uint256 tokenId) view returns (uint128 liquidity)',
  'event Transfer(address indexed from, address indexed to, uint256 indexed id)',
])
const permitAbi = parseAbi(['function approve(address token, address spender, uint160 amount, uint48 expiration)'])
const stateAbi = parseAbi([
  'function getSlot0(bytes32 poolId) view returns (uint160 sqrtPriceX96, int24 tick, uint24 protocolFee, uint24 lpFee)',
])
const routerAbi = parseAbi([
  `function swap(${POOL_KEY} key, (bool zeroForOne, int256 amountSpecified, uint160 sqrtPriceLimitX96) params, (bool takeClaims, bool settleUsingBurn) testSettings, bytes hookData) payable returns (int256 delta)`,
])
const zapAbi = parseAbi([
  `function open(${POOL_KEY} key, int24 lower, int24 upper, uint256 liquidity, uint128[2] most) payable`,
])
const keyParameter = parseAbiParameters(POOL_KEY)
const mintParameters = parseAbiParameters(`${POOL_KEY}, int24, int24, uint256, uint128, uint128, address, bytes`)

const core = (name: string) => foundryArtifact('@uniswap/v4-core', 'out', name)
const periphery = (name: string) => foundryArtifact('@uniswap/v4-periphery', 'foundry-out', name)

/** Published only in a test script that writes it to its address. */
const permit2Code = (): Hex => {
  const script = join(packageFolder('@uniswap/v4-periphery'), 'lib/permit2/test/utils/DeployPermit2.sol')
  const code = /hex"([0-9a-f]+)"/.exec(readFileSync(script, 'utf8'))?.[1]
  if (!code) throw new Error(`${script} has no code of Permit2`)
  return `0x${code}`
}

export const deployUniswapV4 = async (chain: DevChain, at: Deployment, weth: Address): Promise<void> => {
  await chain.client.setCode({ address: at.permit2, bytecode: permit2Code() })
  await chain.deployTo(at.poolManager, core('PoolManager'), [zeroAddress])
  const args = [at.poolManager, at.permit2, UNSUBSCRIBE_GAS, zeroAddress, weth]
  await chain.deployTo(at.positionManager, periphery('PositionManager'), args)
  await chain.deployTo(at.stateView, periphery('StateView'), [at.poolManager])
  await chain.deployTo(at.v4Router, core('PoolSwapTest'), [at.poolManager])
  await chain.deployTo(at.v4Zap, ownArtifact('PositionZap'), [at.positionManager, at.permit2])
}

/** The last 14 bits of its address are its permissions. */
export const deployV4Hook = (
  chain: DevChain,
  name: 'FeeTakingHook' | 'DynamicFeesTestHook',
  address: Address,
  args: readonly unknown[] = [],
) => chain.deployTo(address, core(name), args)

type Action = readonly [code: number, parameters: Hex]

const tokenAction = (code: number, tokenId: bigint, liquidity: bigint, bound: bigint): Action => [
  code,
  encodeAbiParameters(parseAbiParameters('uint256, uint256, uint128, uint128, bytes'), [
    ...([tokenId, liquidity, bound, bound, '0x'] as const),
  ]),
]
const settlePair = ({ currency0, currency1 }: PoolKey): Action => [
  SETTLE_PAIR,
  encodeAbiParameters(parseAbiParameters('address, address'), [currency0, currency1]),
]
const takePair = ({ currency0, currency1 }: PoolKey, recipient: Address): Action => [
  TAKE_PAIR,
  encodeAbiParameters(parseAbiParameters('address, address, address'), [currency0, currency1, recipient]),
]
const burnt = (tokenId: bigint): Action => [
  BURN,
  encodeAbiParameters(parseAbiParameters('uint256, uint128, uint128, bytes'), [tokenId, 0n, 0n, '0x']),
]
const close = (currency: Address): Action => [
  CLOSE_CURRENCY,
  encodeAbiParameters(parseAbiParameters('address'), [currency]),
]
const sweep = (wallet: Address): Action => [
  SWEEP,
  encodeAbiParameters(parseAbiParameters('address, address'), [zeroAddress, wallet]),
]

const callData = (actions: readonly Action[]): Hex =>
  encodeFunctionData({
    abi: managerAbi,
    functionName: 'modifyLiquidities',
    args: [
      encodeAbiParameters(parseAbiParameters('bytes, bytes[]'), [
        concatHex(actions.map(([code]) => numberToHex(code, { size: 1 }))),
        actions.map(([, parameters]) => parameters),
      ]),
      FAR_FUTURE,
    ],
  })

/** Default: no hooks. */
export const poolKeyOf = (
  one: Address,
  other: Address,
  fee: number,
  tickSpacing: number,
  hooks: Address = zeroAddress,
): PoolKey => {
  const [currency0, currency1] = BigInt(one) < BigInt(other) ? [one, other] : [other, one]
  return { currency0, currency1, fee, tickSpacing, hooks }
}

/** Manager calls that pay a position's fees, or all of it. */
export const v4Payouts = (key: PoolKey, tokenId: bigint, wallet: Address) => ({
  fees: callData([tokenAction(DECREASE, tokenId, 0n, 0n), takePair(key, wallet)]),
  all: callData([burnt(tokenId), takePair(key, wallet)]),
})

const v4Reads = (chain: DevChain, at: Deployment) => {
  const manager = { address: at.positionManager, abi: managerAbi } as const

  const keyOf = async (tokenId: bigint): Promise<PoolKey> => {
    const call = { ...manager, functionName: 'getPoolAndPositionInfo', args: [tokenId] } as const
    return (await chain.client.readContract(call))[0]
  }

  const liquidityOf = (tokenId: bigint) =>
    chain.client.readContract({ ...manager, functionName: 'getPositionLiquidity', args: [tokenId] })

  const tickOf = async (key: PoolKey): Promise<number> => {
    const args = [keccak256(encodeAbiParameters(keyParameter, [key]))] as const
    const call = { address: at.stateView, abi: stateAbi, functionName: 'getSlot0', args } as const
    return (await chain.client.readContract(call))[1]
  }

  return { keyOf, liquidityOf, tickOf }
}

/** One call, which returns unspent native coin. */
const managerOf = (chain: DevChain, at: Deployment, erc20: Erc20Actions) => {
  const act = (wallet: Address, actions: readonly Action[], value = 0n) => {
    const data = callData(value > 0n ? [...actions, sweep(wallet)] : actions)
    return chain.send({ from: wallet, to: at.positionManager, data, value })
  }

  const allow = async (wallet: Address, { currency0, currency1 }: PoolKey): Promise<void> => {
    for (const token of [currency0, currency1]) {
      if (token === zeroAddress) continue
      await erc20.allow(token, wallet, at.permit2)
      const args = [token, at.positionManager, maxUint160, LAST_UINT48] as const
      await chain.write({ from: wallet, address: at.permit2, abi: permitAbi, functionName: 'approve', args })
    }
  }

  return { act, allow }
}

const v4Openings = (chain: DevChain, at: Deployment, erc20: Erc20Actions) => {
  const { tickOf } = v4Reads(chain, at)
  const { act, allow } = managerOf(chain, at, erc20)
  const ticksIn = async (key: PoolKey, range: Range) => ticksOf(range, await tickOf(key), key.tickSpacing)

  /** The ratio of the amounts sets the price. */
  const createPool = (one: Side, other: Side, key: PoolKey, from: Address) => {
    const [side0, side1] = inOrder(one, other)
    const args = [key, sqrtPriceX96(side0.amount, side1.amount)] as const
    return chain.write({ from, address: at.positionManager, abi: managerAbi, functionName: 'initializePool', args })
  }

  /** `value`: in native coin. */
  const mint = async (
    wallet: Address,
    key: PoolKey,
    range: Range,
    { liquidity, value = 0n, owner = wallet }: { liquidity: bigint; value?: bigint; owner?: Address },
  ): Promise<bigint> => {
    await allow(wallet, key)
    const ticks = await ticksIn(key, range)
    const parameters = [key, ...ticks, liquidity, MAX_UINT128, MAX_UINT128, owner, '0x'] as const
    const minted: Action = [MINT, encodeAbiParameters(mintParameters, parameters)]
    return mintedIn(await act(wallet, [minted, settlePair(key)], value))
  }

  /** Mints via a contract that takes `most` of both and returns the rest. */
  const zap = async (
    wallet: Address,
    key: PoolKey,
    range: Range,
    { liquidity, most }: { liquidity: bigint; most: readonly [bigint, bigint] },
  ): Promise<bigint> => {
    const native = key.currency0 === zeroAddress
    for (const token of native ? [key.currency1] : [key.currency0, key.currency1]) {
      await erc20.allow(token, wallet, at.v4Zap)
    }
    const args = [key, ...(await ticksIn(key, range)), liquidity, most] as const
    const call = { from: wallet, address: at.v4Zap, abi: zapAbi, functionName: 'open', args } as const
    return mintedIn(await chain.write({ ...call, ...(native && { value: most[0] }) }))
  }

  const swap = async (wallet: Address, give: Side, key: PoolKey) => {
    const zeroForOne = give.token === key.currency0
    const native = give.token === zeroAddress
    if (!native) await erc20.allow(give.token, wallet, at.v4Router)
    const limit = zeroForOne ? LOWEST_SQRT_PRICE : HIGHEST_SQRT_PRICE
    const params = { zeroForOne, amountSpecified: -give.amount, sqrtPriceLimitX96: limit }
    const args = [key, params, { takeClaims: false, settleUsingBurn: false }, '0x'] as const
    const call = { from: wallet, address: at.v4Router, abi: routerAbi, functionName: 'swap', args } as const
    return chain.write({ ...call, ...(native && { value: give.amount }) })
  }

  return { createPool, mint, zap, swap }
}

/** Liquidity in the pool's units. */
export const uniswapV4Actions = (chain: DevChain, at: Deployment, erc20: Erc20Actions) => {
  const reads = v4Reads(chain, at)
  const { act, allow } = managerOf(chain, at, erc20)
  const { keyOf } = reads

  /** Fees pay part of it. Excess fees are paid out. */
  const increase = async (wallet: Address, tokenId: bigint, liquidity: bigint, value = 0n) => {
    const key = await keyOf(tokenId)
    await allow(wallet, key)
    const added = tokenAction(INCREASE, tokenId, liquidity, MAX_UINT128)
    return act(wallet, [added, close(key.currency0), close(key.currency1)], value)
  }

  /** Pays fees too. */
  const decrease = async (wallet: Address, tokenId: bigint, liquidity: bigint) =>
    act(wallet, [tokenAction(DECREASE, tokenId, liquidity, 0n), takePair(await keyOf(tokenId), wallet)])

  const collect = (wallet: Address, tokenId: bigint) => decrease(wallet, tokenId, 0n)

  const burn = async (wallet: Address, tokenId: bigint) =>
    act(wallet, [burnt(tokenId), takePair(await keyOf(tokenId), wallet)])

  /** One transaction of two calls. */
  const collectAndBurn = async (wallet: Address, kept: bigint, ended: bigint) => {
    const { fees } = v4Payouts(await keyOf(kept), kept, wallet)
    const { all } = v4Payouts(await keyOf(ended), ended, wallet)
    const args = [[fees, all]] as const
    const call = { address: at.positionManager, abi: managerAbi, functionName: 'multicall', args } as const
    return chain.write({ from: wallet, ...call })
  }

  const send = (wallet: Address, to: Address, tokenId: bigint) => {
    const args = [wallet, to, tokenId] as const
    return chain.write({
      from: wallet,
      address: at.positionManager,
      abi: managerAbi,
      functionName: 'transferFrom',
      args,
    })
  }

  return { ...reads, ...v4Openings(chain, at, erc20), increase, decrease, collect, burn, collectAndBurn, send }
}

const mintedIn = ({ logs }: TransactionReceipt): bigint => {
  const moved = parseEventLogs({ abi: managerAbi, logs, eventName: 'Transfer' })
  const minted = moved.findLast(({ args }) => args.from === zeroAddress)
  if (!minted) throw new Error('minting a position emitted no Transfer')
  return minted.args.id
}
