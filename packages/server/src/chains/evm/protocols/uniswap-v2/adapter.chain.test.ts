import { addresses } from '@coffer/devnet'
import { type Address, erc20Abi, parseAbi, parseEther, parseUnits } from 'viem'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { amountsOf, expectedAmounts, openProtocolBench } from '../../../../../test/protocol-bench.ts'
import { seededRandom } from '../../../../../test/random.ts'
import type { Random } from '../../../../../test/random-of.ts'
import { evmAddress } from '../../../../domain/evm-address.ts'
import { protocolRows } from '../protocols.ts'

const { tokens, uniswapV2 } = addresses.ethereum
const routerAbi = parseAbi([
  'function removeLiquidity(address tokenA, address tokenB, uint256 liquidity, uint256 amountAMin, uint256 amountBMin, address to, uint256 deadline) returns (uint256 amountA, uint256 amountB)',
])
const factoryAbi = parseAbi(['function feeToSetter() view returns (address)', 'function setFeeTo(address feeTo)'])
const pairAbi = parseAbi([
  'function token0() view returns (address)',
  'function token1() view returns (address)',
  'function kLast() view returns (uint256)',
])

let bench: Awaited<ReturnType<typeof openProtocolBench>>

beforeAll(async () => {
  const rows = protocolRows.filter(({ key, chain }) => key === 'uniswap_v2' && chain === 'ethereum')
  bench = await openProtocolBench(inject('devnetState'), rows)
})
afterAll(() => bench?.stop())

/** The router's payout for the wallet's whole share, by a static call at the block. */
async function burnt(wallet: Address, pair: Address, blockNumber: bigint) {
  const at = { address: pair, abi: pairAbi } as const
  const token0 = await bench.client.readContract({ ...at, functionName: 'token0' })
  const token1 = await bench.client.readContract({ ...at, functionName: 'token1' })
  const held = { address: pair, abi: erc20Abi, functionName: 'balanceOf', args: [wallet], blockNumber } as const
  const { result } = await bench.client.simulateContract({
    account: wallet,
    address: uniswapV2.router,
    abi: routerAbi,
    functionName: 'removeLiquidity',
    args: [token0, token1, await bench.client.readContract(held), 0n, 0n, wallet, 2n ** 40n],
    blockNumber,
  })
  return expectedAmounts([token0, result[0]], [token1, result[1]])
}

async function check(wallet: Address, pair: Address) {
  await bench.chain.actions.erc20.allow(pair, wallet, uniswapV2.router)
  const { positions, block, batches } = await bench.read(wallet)
  expect(batches).toBe(2)
  const position = positions.find(({ pool }) => pool === pair.toLowerCase())
  expect(amountsOf(position?.supplied ?? [])).toEqual(await burnt(wallet, pair, block))
  return position
}

async function tradeSomething(random: Random, pair: readonly [Address, Address], amounts: readonly [bigint, bigint]) {
  const { erc20, uniswapV2: pool } = bench.chain.actions
  const trader = random.address()
  for (let trade = 0; trade < 3; trade += 1) {
    const side = random.index(2)
    const [give, take, limit] = side === 0 ? [...pair, amounts[0]] : [pair[1], pair[0], amounts[1]]
    const amount = random.amount(limit / 1_000n, limit)
    await erc20.mint(give, trader, amount)
    await pool.swap(trader, { token: give, amount }, take)
  }
}

it('reads the share of the demonstration wallet', async () => {
  const position = await check(bench.devnet.wallets.demo.address, uniswapV2.pairs.usdcWeth)
  expect(position).toMatchObject({ kind: 'liquidity', protocol: 'uniswap_v2', chain: 'ethereum' })
  expect(position?.receipts).toEqual([evmAddress(uniswapV2.pairs.usdcWeth)])
})

it.each([false, true])('pays what burn pays, to the unit, with the protocol fee switched on: %s', async (feeOn) => {
  const random = seededRandom(`uniswap_v2 fee ${feeOn}`)
  const { erc20, uniswapV2: pool } = bench.chain.actions
  const setter = { address: uniswapV2.factory, abi: factoryAbi } as const
  const from = await bench.client.readContract({ ...setter, functionName: 'feeToSetter' })
  await bench.chain.write({
    from,
    ...setter,
    functionName: 'setFeeTo',
    args: [feeOn ? random.address() : `0x${'0'.repeat(40)}`],
  })
  for (let round = 0; round < 3; round += 1) {
    const wallet = random.address()
    const amounts = [random.amount(10n ** 6n, parseUnits('500000', 6)), parseEther('500')] as const
    await erc20.mint(tokens.usdc, wallet, amounts[0])
    await erc20.mint(tokens.weth, wallet, amounts[1])
    await pool.add(wallet, { token: tokens.usdc, amount: amounts[0] }, { token: tokens.weth, amount: amounts[1] })
    await tradeSomething(random, [tokens.usdc, tokens.weth], [parseUnits('50000', 6), parseEther('10')])
    await check(wallet, uniswapV2.pairs.usdcWeth)
  }
  const kLast = { address: uniswapV2.pairs.usdcWeth, abi: pairAbi, functionName: 'kLast' } as const
  if (feeOn) expect(await bench.client.readContract(kLast)).toBeGreaterThan(0n)
})

it('reads one unit of a pair and reserves of 10^30', async () => {
  const random = seededRandom('uniswap_v2 limits')
  const { erc20, uniswapV2: pool } = bench.chain.actions
  const [small, large] = [random.address(), random.address()]
  await erc20.transfer(uniswapV2.pairs.usdcWeth, bench.devnet.wallets.demo.address, small, 1n)
  // One unit of liquidity is worth less than one of either token, which `burn` refuses to pay.
  const { positions } = await bench.read(small)
  expect(positions.length).toBeLessThanOrEqual(1)
  for (const token of [tokens.link, tokens.uni]) await erc20.mint(token, large, 10n ** 30n)
  await pool.add(large, { token: tokens.link, amount: 10n ** 30n }, { token: tokens.uni, amount: 10n ** 30n })
  await bench.discover()
  const position = await check(large, await pool.pairOf(tokens.link, tokens.uni))
  expect(position?.supplied.map(({ amountRaw }) => amountRaw > 10n ** 29n)).toEqual([true, true])
})

it('recognises an unlisted pair, and no contract that only claims to be one', async () => {
  const random = seededRandom('uniswap_v2 recognise')
  const { erc20, uniswapV2: pool } = bench.chain.actions
  const wallet = random.address()
  await erc20.mint(tokens.nova, wallet, parseEther('10'))
  await erc20.mint(tokens.dai, wallet, parseEther('10'))
  await pool.add(
    wallet,
    { token: tokens.nova, amount: parseEther('10') },
    { token: tokens.dai, amount: parseEther('10') },
  )
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
  const found = await bench.recognise([
    pair,
    evmAddress(impostor),
    evmAddress(tokens.dai),
    evmAddress(random.address()),
  ])
  expect(found.map(({ address }) => address)).toEqual([pair])
  await check(wallet, pair)
})
