import { addresses, deployV4Hook, type PoolKey, poolKeyOf } from '@coffer/devnet'
import { type Address, parseAbi, parseEther, parseUnits, zeroAddress } from 'viem'
import { expect, it } from 'vitest'
import { contractOf } from '../../../../../test/contract-of.ts'
import { amountsOf, expectedAmounts, protocolBench, throwLeftOut } from '../../../../../test/protocol-bench.ts'
import { seededRandom } from '../../../../../test/random.ts'
import type { Random } from '../../../../../test/random-of.ts'
import { openV4Nfts, v4Payout } from '../../../../../test/uniswap-v4-truth.ts'
import { evmAddress } from '../../../../domain/evm-address.ts'
import { NotFoundYet } from '../../../../domain/not-found-yet.ts'
import type { Position } from '../../../../domain/position.ts'
import { protocolRows } from '../protocols.ts'

const { tokens, uniswapV4: at } = addresses.ethereum
const { coin, wrapped } = at.pools
/** Hooks that may keep a part of removals, and set the fee, by the last 14 bits of their addresses. */
const KEEPING: Address = '0x4d28a5b1705d53510f256ea0f8a8f322f9610101'
const PRICING: Address = '0x4d28a5b1705d53510f256ea0f8a8f322f9611080'
const DYNAMIC_FEE = 0x80_00_00
const pricerAbi = parseAbi(['function setManager(address manager)', 'function setFee(uint24 fee)'])

const bench = await protocolBench(protocolRows.filter(({ key, chain }) => key === 'uniswap_v4' && chain === 'ethereum'))
const { erc20, native, uniswapV4 } = bench.chain.actions
const RANGE = { below: 600, above: 600 }

const idsOf = (positions: readonly Position[]) => positions.map(({ tokenId }) => tokenId)

/** Compares positions with the manager's payout for every NFT that it assigns to the wallet. */
async function check(owner: Address): Promise<Position[]> {
  const { positions, block, batches } = await bench.read(owner)
  expect(batches).toBe(2)
  const expected: unknown[] = []
  for (const tokenId of await openV4Nfts(bench.client, owner, block)) {
    const paid = await v4Payout(bench.client, owner, tokenId, block)
    const [supplied, rewards] = [expectedAmounts(...paid.supplied), expectedAmounts(...paid.rewards)]
    if (Object.keys({ ...supplied, ...rewards }).length > 0) expected.push([tokenId, { supplied, rewards }])
  }
  const inOrder = positions.toSorted((a, b) => Number((a.tokenId ?? 0n) - (b.tokenId ?? 0n)))
  const found = inOrder.map(({ tokenId, supplied, rewards }) => [
    tokenId,
    { supplied: amountsOf(supplied), rewards: amountsOf(rewards) },
  ])
  expect(found).toEqual(expected)
  return inOrder
}

/** A wallet with coins for its NFTs. */
async function newOwner(random: Random): Promise<Address> {
  const wallet = random.address()
  await erc20.mint(tokens.usdc, wallet, parseUnits('10000000', 6))
  await erc20.mint(tokens.weth, wallet, parseEther('3000'))
  await native.give(wallet, parseEther('3000'))
  return wallet
}

/** Trades both ways: the price moves through ranges and both sides earn. */
async function trade(random: Random, key: PoolKey) {
  const trader = random.address()
  for (let count = 0; count < 4; count += 1) {
    const [token, limit] = random.pick([
      [tokens.usdc, parseUnits('900000', 6)],
      [key.currency0 === zeroAddress ? zeroAddress : tokens.weth, parseEther('300')],
    ] as const)
    const amount = random.amount(limit / 1_000n, limit)
    if (token === zeroAddress) await native.give(trader, amount)
    else await erc20.mint(token, trader, amount)
    await uniswapV4.swap(trader, { token, amount }, key)
  }
}

/** Affordable for a test wallet in a range of any used width. */
const someLiquidity = (random: Random) => random.amount(10n ** 6n, 10n ** 15n)

it('pays what the manager pays, to the unit, whatever happened to the positions', async () => {
  const random = seededRandom('uniswap_v4')
  const value = parseEther('500')
  for (let round = 0; round < 4; round += 1) {
    const wallet = await newOwner(random)
    const key = random.pick([coin, wrapped])
    const sent = key === coin ? { value } : {}
    const width = 60 * (1 + random.index(60))
    const around = { below: width, above: width }
    // Both have the same range. Each has its own account in the pool.
    const mint = (range: typeof around) =>
      uniswapV4.mint(wallet, key, range, { liquidity: someLiquidity(random), ...sent })
    const [first, second] = [await mint(around), await mint(around)]
    await mint({ below: -60, above: 6000 })
    await mint({ below: 6000, above: -60 })
    expect((await check(wallet)).length).toBe(4)
    await trade(random, key)
    await check(wallet)
    await uniswapV4.decrease(wallet, first, random.amount(1n, await uniswapV4.liquidityOf(first)))
    await trade(random, key)
    await check(wallet)
    await uniswapV4.increase(wallet, second, someLiquidity(random), key === coin ? value : 0n)
    await uniswapV4.collect(wallet, first)
    await trade(random, key)
    await check(wallet)
    await uniswapV4.burn(wallet, second)
    expect(idsOf(await check(wallet))).not.toContain(second)
  }
})

it('names the pool manager, the fee, and the native coin as it is', async () => {
  const random = seededRandom('uniswap_v4 facts')
  const wallet = await newOwner(random)
  const sent = { liquidity: 10n ** 14n, value: parseEther('50') }
  const tokenId = await uniswapV4.mint(wallet, coin, RANGE, sent)
  await trade(random, coin)
  const [position] = await check(wallet)
  expect(position).toMatchObject({
    ...{ kind: 'nft-liquidity', protocol: 'uniswap_v4', label: '0.3%', tokenId },
    pool: at.poolManager.toLowerCase(),
    receipts: [at.positionManager.toLowerCase()],
  })
  expect(position?.supplied.map(({ token }) => token)).toEqual([zeroAddress, tokens.usdc.toLowerCase()])
})

it('leaves out NFTs that were burnt, emptied or sent on, and reads those that came from others', async () => {
  const random = seededRandom('uniswap_v4 owners')
  const [wallet, other] = [await newOwner(random), random.address()]
  const mint = (owner?: Address) =>
    uniswapV4.mint(wallet, wrapped, RANGE, { liquidity: 10n ** 14n, ...(owner && { owner }) })
  const [kept, sent, burnt, emptied] = [await mint(), await mint(), await mint(), await mint()]
  const given = await mint(other)
  await uniswapV4.send(wallet, other, sent)
  await uniswapV4.burn(wallet, burnt)
  await uniswapV4.decrease(wallet, emptied, await uniswapV4.liquidityOf(emptied))
  expect(idsOf(await check(wallet))).toEqual([kept])
  expect(idsOf(await check(other)).sort()).toEqual([sent, given].sort())
  // Back and forth: one more log, but still one position.
  await uniswapV4.send(other, wallet, sent)
  expect(idsOf(await check(wallet))).toEqual([kept, sent])
})

it('says that NFTs are missing which no searched log has named, and reads the others', async () => {
  const random = seededRandom('uniswap_v4 missing')
  const wallet = await newOwner(random)
  for (let minted = 0; minted < 3; minted += 1) {
    await uniswapV4.mint(wallet, wrapped, RANGE, { liquidity: 10n ** 14n })
  }
  const keys = await bench.findKeys(wallet)
  expect(keys.length).toBe(3)
  const left: unknown[] = []
  const leftOut = (why: unknown) => void left.push(why)
  expect((await bench.read(wallet, { keys: keys.slice(1), leftOut })).positions.length).toBe(2)
  expect((await bench.read(wallet, { keys: [], leftOut })).positions).toEqual([])
  expect(left.map((why) => why instanceof NotFoundYet)).toEqual([true, true])
  expect((await bench.read(wallet, { leftOut })).positions.length).toBe(3)
  expect(left.length).toBe(2)
  // A wallet with position IDs but without NFTs costs no more calls than the scan.
  const outsider = random.address()
  expect(await bench.read(outsider, { keys })).toMatchObject({ positions: [], batches: 1 })
})

it('reads a past block by keys of today: NFTs of then, as they were', async () => {
  const random = seededRandom('uniswap_v4 past')
  const wallet = await newOwner(random)
  const first = await uniswapV4.mint(wallet, wrapped, RANGE, { liquidity: 10n ** 14n })
  await trade(random, wrapped)
  const block = await bench.client.getBlockNumber()
  const then = await v4Payout(bench.client, wallet, first, block)
  await uniswapV4.burn(wallet, first)
  const second = await uniswapV4.mint(wallet, wrapped, RANGE, { liquidity: 10n ** 13n })
  expect(idsOf(await check(wallet))).toEqual([second])
  const [known] = await bench.discover()
  const keys = await bench.findKeys(wallet)
  expect(keys.map(({ key }) => key)).toEqual([first, second])
  const protocolContracts = known?.protocolContracts ?? []
  const held = protocolContracts.map((protocolContract) => ({ ...protocolContract, balanceRaw: 1n }))
  const scope = { held, protocolContracts, keys, leftOut: throwLeftOut }
  const positions = (await known?.deployment.positions(bench.openReader(block), evmAddress(wallet), scope)) ?? []
  expect(idsOf(positions)).toEqual([first])
  expect(amountsOf(positions[0]?.supplied)).toEqual(expectedAmounts(...then.supplied))
  expect(amountsOf(positions[0]?.rewards)).toEqual(expectedAmounts(...then.rewards))
})

it('counts what a hook lets the owner take out of a pool, and says that it may keep a part or sets the fee', async () => {
  const random = seededRandom('uniswap_v4 hooks')
  const wallet = await newOwner(random)
  await deployV4Hook(bench.chain, 'FeeTakingHook', KEEPING, [at.poolManager])
  await deployV4Hook(bench.chain, 'DynamicFeesTestHook', PRICING)
  const pricer = contractOf(bench.chain, PRICING, pricerAbi)
  await pricer.write(wallet, 'setManager', at.poolManager)
  await pricer.write(wallet, 'setFee', 1234)
  const sides = [
    { token: tokens.usdc, amount: parseUnits('3000', 6) },
    { token: tokens.weth, amount: parseEther('1') },
  ] as const
  const keeping = poolKeyOf(tokens.usdc, tokens.weth, 3000, 60, KEEPING)
  const pricing = poolKeyOf(tokens.usdc, tokens.weth, DYNAMIC_FEE, 60, PRICING)
  for (const key of [keeping, pricing]) {
    await uniswapV4.createPool(...sides, key, wallet)
    await uniswapV4.mint(wallet, key, 'full', { liquidity: 10n ** 14n })
  }
  const { positions, block } = await bench.read(wallet)
  expect(positions.map(({ label }) => label)).toEqual(['0.3%, hook may keep a part', '0.1234%, dynamic'])
  for (const position of positions) {
    const paid = await v4Payout(bench.client, wallet, position.tokenId ?? 0n, block)
    expect(amountsOf(position.supplied)).toEqual(expectedAmounts(...paid.supplied))
  }
  // A hook that refuses removals: nothing can be taken out.
  await bench.client.setCode({ address: KEEPING, bytecode: '0x5f5ffd' })
  const refused = await bench.read(wallet)
  expect(refused.positions.map(({ label }) => label)).toEqual(['0.1234%, dynamic'])
})

it('reads many NFTs, and a flood of untrusted ones, in the same two batches', async () => {
  const random = seededRandom('uniswap_v4 many')
  const [wallet, outsider] = [await newOwner(random), await newOwner(random)]
  for (let minted = 0; minted < 70; minted += 1) {
    const range = { below: 60 * (1 + random.index(50)), above: 60 * (1 + random.index(50)) }
    const owner = { owner: wallet, liquidity: random.amount(1n, 10n ** 12n) }
    await uniswapV4.mint(minted % 2 === 0 ? wallet : outsider, wrapped, range, owner)
  }
  await trade(random, wrapped)
  expect((await check(wallet)).length).toBe(70)
})
