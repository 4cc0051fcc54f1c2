import { addresses } from '@coffer/devnet'
import { type Address, parseAbi, parseEther, parseUnits } from 'viem'
import { type Contract, contractOf } from './contract-of.ts'
import { expectedAmounts, type ProtocolBench } from './protocol-bench.ts'
import type { Random } from './random-of.ts'

const { usdc, weth } = addresses.ethereum.tokens
const MOST = 2n ** 128n - 1n
const FAR_FUTURE = 2n ** 40n
/** Also of PancakeSwap's farm, which passes both calls on. */
const payerAbi = parseAbi([
  'function balanceOf(address owner) view returns (uint256)',
  'function tokenOfOwnerByIndex(address owner, uint256 index) view returns (uint256)',
  'function collect((uint256 tokenId, address recipient, uint128 amount0Max, uint128 amount1Max) params) returns (uint256 amount0, uint256 amount1)',
  'function decreaseLiquidity((uint256 tokenId, uint128 liquidity, uint256 amount0Min, uint256 amount1Min, uint256 deadline) params) returns (uint256 amount0, uint256 amount1)',
])
const managerAbi = parseAbi([
  'function positions(uint256 tokenId) view returns (uint96 nonce, address operator, address token0, address token1, uint24 fee, int24 tickLower, int24 tickUpper, uint128 liquidity, uint256, uint256, uint128 tokensOwed0, uint128 tokensOwed1)',
  'function mint((address token0, address token1, uint24 fee, int24 tickLower, int24 tickUpper, uint256 amount0Desired, uint256 amount1Desired, uint256 amount0Min, uint256 amount1Min, address recipient, uint256 deadline) params) returns (uint256 tokenId, uint128 liquidity, uint256 amount0, uint256 amount1)',
  'function multicall(bytes[] data) returns (bytes[] results)',
  'function safeTransferFrom(address from, address to, uint256 tokenId)',
])

type Actions = ProtocolBench['chain']['actions']
/** Places 2, 3 and 7 of the manager's answer. */
type NftState = [unknown, unknown, token0: Address, token1: Address, number, number, number, liquidity: bigint]

/** Plays in the pools of USDC and WETH. `payer`: the farm of staked NFTs, by default the manager. */
export function v3Plays(
  { chain }: ProtocolBench,
  pools: Actions['uniswapV3'] | Actions['pancakeV3'],
  at: { manager: Address; payer?: Address; mostTraded: { usdc: bigint; weth: bigint } },
) {
  const { erc20 } = chain.actions
  const manager = contractOf(chain, at.manager, managerAbi)
  const payer = contractOf(chain, at.payer ?? at.manager, payerAbi)

  async function give(wallet: Address, amounts: { usdc: bigint; weth: bigint }): Promise<void> {
    await erc20.mint(usdc, wallet, amounts.usdc)
    await erc20.mint(weth, wallet, amounts.weth)
  }

  return {
    manager,
    liquidityOf: async (tokenId: bigint) => (await manager.read<NftState>('positions', tokenId))[7],

    /** In ticks below and above the current one. */
    async mint(wallet: Address, amounts: { usdc: bigint; weth: bigint }, fee: number, below: number, above = below) {
      await give(wallet, amounts)
      const sides = [
        { token: usdc, amount: amounts.usdc },
        { token: weth, amount: amounts.weth },
      ] as const
      return pools.mint(wallet, ...sides, fee, { below, above })
    },

    /** Trades both ways: the price moves through ranges and both sides earn. */
    async trade(random: Random, fee: number): Promise<void> {
      const trader = random.address()
      for (let count = 0; count < 4; count += 1) {
        const isUsdc = random.index(2) === 0
        const [token, take] = isUsdc ? [usdc, weth] : [weth, usdc]
        const limit = isUsdc ? at.mostTraded.usdc : at.mostTraded.weth
        const amount = random.amount(limit / 1_000n, limit)
        await erc20.mint(token, trader, amount)
        await pools.swap(trader, { token, amount }, take, fee)
      }
    },

    /** Mints 210 small NFTs, 30 to a transaction, for a wallet that has minted before. */
    async mintMany(wallet: Address, fee: number, ticks: () => readonly [lower: number, upper: number]) {
      await give(wallet, { usdc: parseUnits('100000', 6), weth: parseEther('30') })
      const params = () => {
        const [tickLower, tickUpper] = ticks()
        return {
          ...{ token0: usdc, token1: weth, fee, tickLower, tickUpper, amount0Min: 0n, amount1Min: 0n },
          ...{ amount0Desired: parseUnits('100', 6), amount1Desired: parseEther('0.03') },
          ...{ recipient: wallet, deadline: FAR_FUTURE },
        }
      }
      for (let batch = 0; batch < 7; batch += 1) {
        const calls = Array.from({ length: 30 }, () => manager.data('mint', params()))
        await manager.write(wallet, 'multicall', calls)
      }
    },

    /** The payer's answers about each NFT of the owner at the block, by static calls. Without NFTs that pay nothing. */
    async payouts(owner: Address, blockNumber: bigint) {
      const count = await payer.at(blockNumber).read('balanceOf', owner)
      const found: { tokenId: bigint; supplied: Record<string, bigint>; rewards: Record<string, bigint> }[] = []
      for (let index = 0n; index < count; index += 1n) {
        const tokenId = await payer.at(blockNumber).read('tokenOfOwnerByIndex', owner, index)
        found.push({ tokenId, ...(await payout(payer, manager, { owner, tokenId, blockNumber })) })
      }
      return found
    },
  }
}

async function payout(
  payer: Contract,
  manager: Contract,
  { owner, tokenId, blockNumber }: { owner: Address; tokenId: bigint; blockNumber: bigint },
) {
  const state = await manager.at(blockNumber).read<NftState>('positions', tokenId)
  const [, , token0, token1, , , , liquidity] = state
  const all = { tokenId, recipient: owner, amount0Max: MOST, amount1Max: MOST }
  const out = { tokenId, liquidity, amount0Min: 0n, amount1Min: 0n, deadline: FAR_FUTURE }
  const pays = (functionName: string, params: unknown) =>
    payer.at(blockNumber).simulate<readonly [bigint, bigint]>(owner, functionName, params)
  const fees = await pays('collect', all)
  const taken = liquidity > 0n ? await pays('decreaseLiquidity', out) : ([0n, 0n] as const)
  return {
    supplied: expectedAmounts([token0, taken[0]], [token1, taken[1]]),
    rewards: expectedAmounts([token0, fees[0]], [token1, fees[1]]),
  }
}
