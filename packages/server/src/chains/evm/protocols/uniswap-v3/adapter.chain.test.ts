import { addresses } from '@coffer/devnet'
import { type Address, parseAbi, parseEther, parseUnits } from 'viem'
import { expect, it } from 'vitest'
import { contractOf } from '../../../../../test/contract-of.ts'
import { amountsOf, protocolBench } from '../../../../../test/protocol-bench.ts'
import { seededRandom } from '../../../../../test/random.ts'
import { v3Plays } from '../../../../../test/v3-plays.ts'
import type { Position } from '../../../../domain/position.ts'
import { protocolRows } from '../protocols.ts'

const { tokens, uniswapV3 } = addresses.ethereum
const poolAbi = parseAbi([
  'function slot0() view returns (uint160 sqrtPriceX96, int24 tick, uint16, uint16, uint16, uint8, bool)',
])

const bench = await protocolBench(protocolRows.filter(({ key, chain }) => key === 'uniswap_v3' && chain === 'ethereum'))
const { erc20, uniswapV3: pools } = bench.chain.actions
const { liquidityOf, mint, mintMany, payouts, trade } = v3Plays(bench, pools, {
  manager: uniswapV3.manager,
  mostTraded: { usdc: parseUnits('400000', 6), weth: parseEther('120') },
})

/** Compares every NFT of the wallet with the manager's own payout at the same block. */
async function check(owner: Address): Promise<Position[]> {
  const { positions, block, batches } = await bench.read(owner)
  expect(batches).toBe(2)
  const paid = await payouts(owner, block)
  const found = positions.map(({ tokenId, supplied, rewards }) => {
    return { tokenId, supplied: amountsOf(supplied), rewards: amountsOf(rewards) }
  })
  expect(found).toEqual(paid.filter(({ supplied, rewards }) => Object.keys({ ...supplied, ...rewards }).length > 0))
  return positions
}

it('reads a position in range and one out of it, with their fees', async () => {
  const positions = await check(bench.devnet.wallets.demo.address)
  expect(positions.map(({ label }) => label)).toEqual(['0.05%', '0.3%'])
  const [inRange, outOfRange] = positions
  expect(inRange?.supplied.length).toBe(2)
  expect(inRange?.rewards.length).toBeGreaterThan(0)
  expect(outOfRange?.supplied.length).toBe(1)
  const pool = uniswapV3.pools.usdcWeth500.toLowerCase()
  expect(inRange).toMatchObject({ kind: 'nft-liquidity', protocol: 'uniswap_v3', pool })
})

it('pays what the manager pays, to the unit, whatever happened to the positions', async () => {
  const random = seededRandom('uniswap_v3')
  for (let round = 0; round < 4; round += 1) {
    const wallet = random.address()
    const fee = random.pick([500, 3000])
    const width = 60 * (1 + random.index(60))
    const usdc = random.amount(10n ** 6n, parseUnits('200000', 6))
    const small = { usdc: parseUnits('5000', 6), weth: parseEther('2') }
    const first = await mint(wallet, { usdc, weth: parseEther('60') }, fee, width)
    const second = await mint(wallet, { usdc: usdc / 3n + 7n, weth: parseEther('20') }, fee, width)
    await mint(wallet, small, fee, -60, 6000)
    await mint(wallet, small, fee, 6000, -60)
    await trade(random, fee)
    await check(wallet)
    await pools.decrease(wallet, first, random.amount(1n, await liquidityOf(first)))
    await trade(random, fee)
    await check(wallet)
    // Settling one of two positions with the same range rounds the pool's remainder for both.
    for (let settled = 0; settled < 3; settled += 1) {
      await pools.collect(wallet, first)
      await trade(random, fee)
    }
    await check(wallet)
    await pools.collect(wallet, second)
    await check(wallet)
  }
})

it('leaves closed positions out, and shows what still waits in one without liquidity', async () => {
  const wallet = seededRandom('uniswap_v3 closed').address()
  const tokenId = await mint(wallet, { usdc: parseUnits('1000', 6), weth: parseEther('1') }, 500, 600)
  await pools.decrease(wallet, tokenId, await liquidityOf(tokenId))
  const [waiting] = await check(wallet)
  expect(waiting?.supplied).toEqual([])
  expect(waiting?.rewards.length).toBeGreaterThan(0)
  await pools.collect(wallet, tokenId)
  expect(await check(wallet)).toEqual([])
})

it('reads a position of a few units and one of 10^30', async () => {
  const random = seededRandom('uniswap_v3 limits')
  const [small, large] = [random.address(), random.address()]
  await mint(small, { usdc: 1n, weth: 10n ** 9n }, 500, 60)
  await check(small)
  const [link, uni] = [
    { token: tokens.link, amount: 10n ** 30n },
    { token: tokens.uni, amount: 10n ** 30n },
  ]
  for (const { token, amount } of [link, uni]) await erc20.mint(token, large, amount)
  await pools.createPool(link, uni, 3000, large)
  await pools.mint(large, link, uni, 3000, { below: 6000, above: 6000 })
  const [position] = await check(large)
  expect(position?.supplied.some(({ amountRaw }) => amountRaw > 10n ** 29n)).toBe(true)
})

it('reads hundreds of positions in the same two batches', async () => {
  const random = seededRandom('uniswap_v3 many')
  const wallet = random.address()
  await mint(wallet, { usdc: parseUnits('100', 6), weth: parseEther('0.03') }, 500, 600)
  const pool = contractOf(bench.chain, uniswapV3.pools.usdcWeth500, poolAbi)
  const [, tick] = await pool.read<[bigint, number]>('slot0')
  // On the grid of the pool's ranges.
  const centre = Math.floor(tick / 10) * 10
  await mintMany(wallet, 500, () => [centre - 10 * (1 + random.index(300)), centre + 10 * (1 + random.index(300))])
  await trade(random, 500)
  expect((await check(wallet)).length).toBe(211)
})
