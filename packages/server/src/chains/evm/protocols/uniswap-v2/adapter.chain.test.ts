import { addresses } from '@coffer/devnet'
import { type Address, parseAbi, parseEther, parseUnits, zeroAddress } from 'viem'
import { expect, it } from 'vitest'
import { contractOf } from '../../../../../test/contract-of.ts'
import { amountsOf, expectedAmounts, protocolBench } from '../../../../../test/protocol-bench.ts'
import { seededRandom } from '../../../../../test/random.ts'
import type { Random } from '../../../../../test/random-of.ts'
import { evmAddress } from '../../../../domain/evm-address.ts'
import { protocolRows } from '../protocols.ts'

const { tokens, uniswapV2 } = addresses.ethereum
const { usdcWeth } = uniswapV2.pairs
const routerAbi = parseAbi([
  'function removeLiquidity(address tokenA, address tokenB, uint256 liquidity, uint256 amountAMin, uint256 amountBMin, address to, uint256 deadline) returns (uint256 amountA, uint256 amountB)',
])
const factoryAbi = parseAbi(['function feeToSetter() view returns (address)', 'function setFeeTo(address feeTo)'])
const pairAbi = parseAbi([
  'function balanceOf(address owner) view returns (uint256)',
  'function token0() view returns (address)',
  'function token1() view returns (address)',
  'function kLast() view returns (uint256)',
])

const bench = await protocolBench(protocolRows.filter(({ key, chain }) => key === 'uniswap_v2' && chain === 'ethereum'))
const { erc20, uniswapV2: pool } = bench.chain.actions
const router = contractOf(bench.chain, uniswapV2.router, routerAbi)
const factory = contractOf(bench.chain, uniswapV2.factory, factoryAbi)
const pairAt = (address: Address) => contractOf(bench.chain, address, pairAbi)

/** Compares the position with the router's payout for the whole share, by a static call at the block. */
async function check(wallet: Address, pair: Address) {
  await erc20.allow(pair, wallet, uniswapV2.router)
  const { positions, block, batches } = await bench.read(wallet)
  expect(batches).toBe(2)
  const position = positions.find(({ pool: shown }) => shown === pair.toLowerCase())
  const { read } = pairAt(pair).at(block)
  const sides = [await read<Address>('token0'), await read<Address>('token1')] as const
  const rest = [await read('balanceOf', wallet), 0n, 0n, wallet, 2n ** 40n]
  const removed = router.at(block).simulate<[bigint, bigint]>(wallet, 'removeLiquidity', ...sides, ...rest)
  const [amount0, amount1] = await removed
  expect(amountsOf(position?.supplied)).toEqual(expectedAmounts([sides[0], amount0], [sides[1], amount1]))
  return position
}

type Side = { token: Address; amount: bigint }

async function add(wallet: Address, one: Side, other: Side): Promise<void> {
  for (const { token, amount } of [one, other]) await erc20.mint(token, wallet, amount)
  await pool.add(wallet, one, other)
}

/** Three sales of USDC or WETH. */
async function trade(random: Random): Promise<void> {
  const trader = random.address()
  for (let count = 0; count < 3; count += 1) {
    const isUsdc = random.index(2) === 0
    const [token, take] = isUsdc ? [tokens.usdc, tokens.weth] : [tokens.weth, tokens.usdc]
    const limit = isUsdc ? parseUnits('50000', 6) : parseEther('10')
    const amount = random.amount(limit / 1_000n, limit)
    await erc20.mint(token, trader, amount)
    await pool.swap(trader, { token, amount }, take)
  }
}

it('reads the share of the demonstration wallet', async () => {
  const position = await check(bench.devnet.wallets.demo.address, usdcWeth)
  expect(position).toMatchObject({ kind: 'liquidity', protocol: 'uniswap_v2', chain: 'ethereum' })
  expect(position?.receipts).toEqual([evmAddress(usdcWeth)])
})

it.each([false, true])('pays what burn pays, to the unit, with the protocol fee switched on: %s', async (feeOn) => {
  const random = seededRandom(`uniswap_v2 fee ${feeOn}`)
  const setter = await factory.read<Address>('feeToSetter')
  await factory.write(setter, 'setFeeTo', feeOn ? random.address() : zeroAddress)
  for (let round = 0; round < 3; round += 1) {
    const wallet = random.address()
    const usdc = random.amount(10n ** 6n, parseUnits('500000', 6))
    await add(wallet, { token: tokens.usdc, amount: usdc }, { token: tokens.weth, amount: parseEther('500') })
    await trade(random)
    await check(wallet, usdcWeth)
  }
  if (feeOn) expect(await pairAt(usdcWeth).read('kLast')).toBeGreaterThan(0n)
})

it('reads one unit of a pair and reserves of 10^30', async () => {
  const random = seededRandom('uniswap_v2 limits')
  const [small, large] = [random.address(), random.address()]
  await erc20.transfer(usdcWeth, bench.devnet.wallets.demo.address, small, 1n)
  // One unit of liquidity is worth less than one of either token, which `burn` refuses to pay.
  const { positions } = await bench.read(small)
  expect(positions.length).toBeLessThanOrEqual(1)
  await add(large, { token: tokens.link, amount: 10n ** 30n }, { token: tokens.uni, amount: 10n ** 30n })
  await bench.discover()
  const position = await check(large, await pool.pairOf(tokens.link, tokens.uni))
  expect(position?.supplied.map(({ amountRaw }) => amountRaw > 10n ** 29n)).toEqual([true, true])
})

it('recognises an unlisted pair, and no contract that only claims to be one', async () => {
  const random = seededRandom('uniswap_v2 recognise')
  const wallet = random.address()
  const amount = parseEther('10')
  await add(wallet, { token: tokens.nova, amount }, { token: tokens.dai, amount })
  const pair = evmAddress(await pool.pairOf(tokens.nova, tokens.dai))
  // The same code at another address gives the same answers, but is not the factory's.
  const impostor = random.address()
  const code = await bench.client.getCode({ address: pair })
  await bench.client.setCode({ address: impostor, bytecode: code ?? '0x' })
  for (const slot of [6, 7]) {
    const index = `0x${slot.toString(16).padStart(64, '0')}` as const
    const value = await bench.client.getStorageAt({ address: pair, slot: index })
    await bench.client.setStorageAt({ address: impostor, index, value: value ?? '0x' })
  }
  await bench.discover()
  const found = await bench.recognise([pair, impostor, tokens.dai, random.address()].map(evmAddress))
  expect(found.map(({ address }) => address)).toEqual([pair])
  await check(wallet, pair)
})
