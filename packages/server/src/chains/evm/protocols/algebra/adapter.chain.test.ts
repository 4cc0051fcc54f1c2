import { type AlgebraGeneration, addresses, algebraActions, deployAlgebra } from '@coffer/devnet'
import { type Address, decodeFunctionResult, erc721Abi, type Hex, parseEther, parseUnits, zeroAddress } from 'viem'
import { describe, expect, it } from 'vitest'
import { contractOf, deployOwn } from '../../../../../test/contract-of.ts'
import { ownBench } from '../../../../../test/history-bench.ts'
import { namedHistory } from '../../../../../test/named-history.ts'
import { amountsOf, expectedAmounts } from '../../../../../test/protocol-bench.ts'
import { seededRandom } from '../../../../../test/random.ts'
import type { Random } from '../../../../../test/random-of.ts'
import { evmAddress } from '../../../../domain/evm-address.ts'
import type { Position } from '../../../../domain/position.ts'
import type { WalletTransaction } from '../../../../domain/transaction.ts'
import type { ProtocolRow } from '../../../protocol-row.ts'

const { tokens } = addresses.ethereum
const MAX_UINT128 = 2n ** 128n - 1n
const FAR_FUTURE = 2n ** 40n
const GENERATIONS: readonly AlgebraGeneration[] = ['v1', 'v2', 'integral']
/** Index of the liquidity in the manager's `positions` result. */
const LIQUIDITY = { v1: 6, v2: 6, integral: 7 } as const

const side = (token: Address, amount: bigint) => ({ token, amount })
const usdc = (amount: bigint) => side(tokens.usdc, amount)
const weth = (amount: bigint) => side(tokens.weth, amount)

const rows: ProtocolRow[] = []
const bench = await ownBench(rows)
const { chain, client } = bench
const { erc20 } = chain.actions
const provider = seededRandom('algebra provider').address()
const router = await deployOwn(chain, 'NftRouter')

async function give(wallet: Address, ...sides: ReturnType<typeof side>[]): Promise<void> {
  for (const { token, amount } of sides) await erc20.mint(token, wallet, amount)
}

/** `key`: the deployment, which names the manager of a generation. */
async function open(generation: AlgebraGeneration, key: string = generation) {
  const at = await deployAlgebra(chain, generation, tokens.weth)
  const actions = algebraActions(chain, at, erc20)
  await actions.createPool(usdc(3_000_000_000n), weth(parseEther('1')), provider)
  await give(provider, usdc(parseUnits('6000000', 6)), weth(parseEther('2000')))
  await actions.mint(provider, usdc(parseUnits('6000000', 6)), weth(parseEther('2000')), 'full')
  const { factory, manager } = at
  rows.push({
    ...{ family: 'algebra', key: `algebra_${key}`, name: key, chain: 'ethereum' },
    deployment: { factory, ...(key === generation && { manager }), ...(generation === 'v1' && { generation }) },
  })
  return { at, actions }
}

const forks = {
  v1: await open('v1'),
  v2: await open('v2'),
  integral: await open('integral'),
  unnamed: await open('integral', 'unnamed'),
}
type Fork = (typeof forks)['v1']
await bench.discover()

const managerOf = ({ at, actions }: Fork) => contractOf(chain, at.manager, actions.abi)

const collectArgs = (recipient: Address, tokenId: bigint) => [
  { tokenId, recipient, amount0Max: MAX_UINT128, amount1Max: MAX_UINT128 },
]
const decreaseArgs = (tokenId: bigint, liquidity: bigint) => [
  { tokenId, liquidity, amount0Min: 0n, amount1Min: 0n, deadline: FAR_FUTURE },
]

async function nftOf(fork: Fork, tokenId: bigint) {
  const words = await managerOf(fork).read<readonly unknown[]>('positions', tokenId)
  const [, , token0, token1] = words as readonly [bigint, Address, Address, Address]
  return { token0, token1, liquidity: words[LIQUIDITY[fork.at.generation]] as bigint }
}

/** Amounts from taking everything out and collecting in one transaction, and from collecting alone. */
async function payout(fork: Fork, owner: Address, tokenId: bigint, block: bigint) {
  const { token0, token1, liquidity } = await nftOf(fork, tokenId)
  const { data: encode, at } = managerOf(fork)
  const { simulate } = at(block)
  const steps = [
    ...(liquidity > 0n ? [encode('decreaseLiquidity', ...decreaseArgs(tokenId, liquidity))] : []),
    encode('collect', ...collectArgs(owner, tokenId)),
  ]
  const results = await simulate<Hex[]>(owner, 'multicall', steps)
  const both = (functionName: string, data: Hex) =>
    decodeFunctionResult({ abi: fork.actions.abi, functionName, data }) as readonly [bigint, bigint]
  const [taken0, taken1] = liquidity > 0n ? both('decreaseLiquidity', results[0] ?? '0x') : [0n, 0n]
  const [all0, all1] = both('collect', results.at(-1) ?? '0x')
  const fees = await simulate<[bigint, bigint]>(owner, 'collect', ...collectArgs(owner, tokenId))
  return {
    supplied: expectedAmounts([token0, taken0], [token1, taken1]),
    rewards: expectedAmounts([token0, fees[0]], [token1, fees[1]]),
    all: expectedAmounts([token0, all0], [token1, all1]),
  }
}

/** Compares every NFT of the wallet with its manager's payout at the same block. */
async function check(fork: Fork, owner: Address, tokenIds: readonly bigint[]): Promise<Position[]> {
  const { positions, block, batches } = await bench.read(owner)
  expect(batches).toBe(2)
  expect(positions.map(({ tokenId }) => tokenId)).toEqual(tokenIds)
  for (const { tokenId = 0n, supplied, rewards } of positions) {
    const paid = await payout(fork, owner, tokenId, block)
    expect(amountsOf(supplied)).toEqual(paid.supplied)
    expect(amountsOf(rewards)).toEqual(paid.rewards)
    expect(amountsOf([...supplied, ...rewards])).toEqual(paid.all)
  }
  return positions
}

/** Trades both ways: the price moves through ranges and both sides earn. */
async function trade({ actions }: Fork, random: Random): Promise<void> {
  const trader = random.address()
  for (let count = 0; count < 4; count += 1) {
    const isBuy = random.index(2) === 0
    const most = isBuy ? parseUnits('400000', 6) : parseEther('120')
    const sold = side(isBuy ? tokens.usdc : tokens.weth, random.amount(most / 1_000n, most))
    await give(trader, sold)
    await actions.swap(trader, sold, isBuy ? tokens.weth : tokens.usdc)
  }
}

async function mint({ actions }: Fork, wallet: Address, below: number, above: number, size = 1n): Promise<bigint> {
  const sides = [usdc(size * 20_000_000n), weth(size * parseEther('0.006'))] as const
  await give(wallet, ...sides)
  return actions.mint(wallet, ...sides, { below, above })
}

describe.each(GENERATIONS)('%s', (generation) => {
  const fork = forks[generation]
  it('pays what the manager pays, to the unit, whatever happened to the positions', async () => {
    const random = seededRandom(`algebra ${generation}`)
    for (let round = 0; round < 3; round += 1) {
      const wallet = random.address()
      const width = 60 * (1 + random.index(60))
      const first = await mint(fork, wallet, width, width, random.amount(1n, 9_000n))
      const second = await mint(fork, wallet, width, width, random.amount(1n, 900n))
      const ids = [first, second, await mint(fork, wallet, -60, 6000), await mint(fork, wallet, 6000, -60)]
      await trade(fork, random)
      const positions = await check(fork, wallet, ids)
      expect(positions[0]).toMatchObject({ kind: 'nft-liquidity', label: 'Dynamic fee' })
      const [more0, more1] = [usdc(20_000_000n), weth(parseEther('0.006'))]
      await give(wallet, more0, more1)
      await fork.actions.increase(wallet, first, more0.amount, more1.amount)
      await fork.actions.decrease(wallet, first, random.amount(1n, (await nftOf(fork, first)).liquidity - 1n))
      await trade(fork, random)
      await check(fork, wallet, ids)
      // Settling one of two positions with the same range rounds the pool's remainder for both.
      for (let settled = 0; settled < 3; settled += 1) {
        await fork.actions.collect(wallet, first)
        await trade(fork, random)
      }
      await check(fork, wallet, ids)
      await fork.actions.collect(wallet, second)
      await fork.actions.close(wallet, first, (await nftOf(fork, first)).liquidity)
      await trade(fork, random)
      const { positions: left } = await bench.read(wallet)
      const leftIds = left.map(({ tokenId = 0n }) => tokenId)
      expect(leftIds.length).toBe(3)
      await check(fork, wallet, leftIds)
    }
  })

  it('counts what somebody sent to the pool as the pool does', async () => {
    const random = seededRandom(`algebra ${generation} gift`)
    const wallet = random.address()
    const id = await mint(fork, wallet, 600, 600, 500n)
    await give(await fork.actions.poolOf(tokens.usdc, tokens.weth), usdc(parseUnits('10000', 6)))
    const [position] = await check(fork, wallet, [id])
    // The first pools keep a gift, later ones pay it to positions in range.
    expect(position?.rewards.length).toBe(generation === 'v1' ? 0 : 1)
  })

  it('leaves closed positions out, and shows what waits in one without liquidity, in a pool without any', async () => {
    const random = seededRandom(`algebra ${generation} closed`)
    const wallet = random.address()
    const sides = [side(tokens.link, parseEther('100')), side(tokens.uni, parseEther('300'))] as const
    await give(wallet, ...sides)
    await fork.actions.createPool(...sides, wallet)
    const id = await fork.actions.mint(wallet, ...sides, { below: 600, above: 600 })
    await check(fork, wallet, [id])
    await fork.actions.decrease(wallet, id, (await nftOf(fork, id)).liquidity)
    const [waiting] = await check(fork, wallet, [id])
    expect(waiting?.supplied).toEqual([])
    expect(waiting?.rewards.length).toBe(2)
    await fork.actions.collect(wallet, id)
    expect(await check(fork, wallet, [])).toEqual([])
  })
})

it('reads 200 positions in the same two batches', async () => {
  const fork = forks.integral
  const random = seededRandom('algebra many')
  const wallet = random.address()
  const first = await mint(fork, wallet, 600, 600, 1_000n)
  await give(wallet, usdc(parseUnits('900000', 6)), weth(parseEther('300')))
  const [, tick] = await fork.actions.stateOf(await fork.actions.poolOf(tokens.usdc, tokens.weth))
  const centre = Math.floor(tick / 60) * 60
  const { token0, token1 } = await nftOf(fork, first)
  const one = () => {
    const [tickLower, tickUpper] = [centre - 60 * (1 + random.index(300)), centre + 60 * (1 + random.index(300))]
    const place = { token0, token1, deployer: zeroAddress, tickLower, tickUpper, recipient: wallet }
    const amounts = { amount0Desired: 10n ** 8n, amount1Desired: parseEther('0.03'), amount0Min: 0n, amount1Min: 0n }
    const args = [{ ...place, ...amounts, deadline: FAR_FUTURE }]
    return managerOf(fork).data('mint', ...args)
  }
  for (let batch = 0; batch < 10; batch += 1) {
    await managerOf(fork).write(wallet, 'multicall', Array.from({ length: 20 }, one))
  }
  await trade(fork, random)
  const { positions, batches } = await bench.read(wallet)
  expect([positions.length, batches]).toEqual([201, 2])
})

it('counts what a plugin lets the owner take out of a pool of its deployer, and says that it may keep a part', async () => {
  const fork = forks.integral
  const random = seededRandom('algebra custom')
  const wallet = random.address()
  const sides = [usdc(parseUnits('3000', 6)), weth(parseEther('1'))] as const
  await give(wallet, ...sides)
  const plugin = await fork.actions.createKeepingPool(...sides, provider, 250_000)
  const id = await fork.actions.mint(wallet, ...sides, { below: 600, above: 600 }, plugin)
  const { positions, block } = await bench.read(wallet)
  const [position] = positions
  expect(position).toMatchObject({
    label: 'Dynamic fee, plugin may keep a part',
    pool: (await fork.actions.poolOf(tokens.usdc, tokens.weth, plugin)).toLowerCase(),
  })
  // The plugin keeps a quarter.
  const paid = await payout(fork, wallet, id, block)
  expect(amountsOf(position?.supplied)).toEqual(paid.supplied)
  // A plugin that refuses removals: nothing can be taken out.
  await client.setCode({ address: plugin, bytecode: '0x5f5ffd' })
  const refused = await bench.read(wallet)
  expect(refused.positions).toEqual([])
})

describe('a manager that no row names', () => {
  /** A second manager of the first pools' factory. The factory's deployment names only the first one. */
  const openFake = async (named: Address) => await deployOwn(chain, 'FakePositions', [named])
  const poolOf = () => forks.v1.actions.poolOf(tokens.usdc, tokens.weth)

  it('is recognised by liquidity that it has in a pool, and by nothing else', async () => {
    const { factory } = forks.v1.at
    const { manager } = forks.unnamed.at
    const [liar, outsider, burner] = [await openFake(factory), await openFake(manager), await openFake(factory)]
    const pool = await poolOf()
    for (const fake of [liar, outsider, burner]) {
      await fake.write(provider, 'claim', pool, -600, 600, 10n ** 15n, 0n, 3n)
    }
    await burner.write(provider, 'turn', false, true)
    // Nineteen contracts that use up their gas do not hide the other one.
    const burners = Array.from({ length: 19 }, () => burner.address)
    const asked = [...burners, liar.address, outsider.address, manager, tokens.usdc]
    const found = await bench.recognise(asked.map(evmAddress))
    expect(found.map(({ address }) => address)).toEqual([manager.toLowerCase()])
    const wallet = seededRandom('algebra unnamed').address()
    await check(forks.unnamed, wallet, [await mint(forks.unnamed, wallet, 600, 600)])
  })

  it('counts as far as the pool has liquidity of its own, and fails alone', async () => {
    const { at } = forks.v1
    const fake = await openFake(at.factory)
    const pool = await poolOf()
    await give(fake.address, usdc(parseUnits('100000', 6)), weth(parseEther('100')))
    const liquidity = 10n ** 13n
    await fake.write(provider, 'fund', pool, 180_000, 210_000, liquidity)
    await fake.write(provider, 'claim', pool, 180_000, 210_000, (liquidity * 2n) / 5n, MAX_UINT128, 200n)
    const found = await bench.recognise([evmAddress(fake.address)])
    expect(found.map(({ address, role }) => [address, role])).toEqual([[evmAddress(fake.address), 'manager']])
    const wallet = seededRandom('algebra victim').address()
    const { positions, missing: left } = await bench.readPartly(wallet)
    // It can pay for two of its hundred and twenty-eight.
    expect(positions.length).toBe(2)
    expect(positions.every(({ rewards }) => rewards.length === 0)).toBe(true)
    expect(left).toEqual(['Error: the wallet has 200 position NFTs, too many to read all of them'])
    await fake.write(provider, 'turn', true, false)
    const own = await mint(forks.v1, wallet, 600, 600)
    const after = await bench.readPartly(wallet)
    expect(after.positions.map(({ tokenId }) => tokenId)).toEqual([own])
    expect(after.missing.length).toBeGreaterThan(0)
    await fake.write(provider, 'claim', pool, 180_000, 210_000, 0n, 0n, 0n)
  })
})

it('costs a wallet that has none no call', bench.expectNothing)

describe.each(GENERATIONS)('the history of %s', (generation) => {
  const protocol = `algebra_${generation}`
  const fork = forks[generation]
  const { manager } = fork.at
  const random = seededRandom(`algebra history ${generation}`)
  const { summary: named } = namedHistory(bench, () => ({ usdc: tokens.usdc, weth: tokens.weth, nft: manager }))
  const summary = (found: readonly WalletTransaction[]) =>
    named(found)
      .filter(([type]) => type !== 'APPROVAL')
      .map((action) => action.map((text) => text?.replace(/nft \d+$/, 'nft') ?? null))
  const RANGE = { below: 600, above: 600 }
  const sidesOf = (size: bigint) => [usdc(size * parseUnits('3000', 6)), weth(size * parseEther('1'))] as const
  const collected = ['COLLECT', protocol, 'income +usdc', 'income +weth']

  /** `size`: WETH of the wallet, with the same worth in USDC. */
  async function newOwner(size: bigint): Promise<Address> {
    const wallet = random.address()
    await give(wallet, ...sidesOf(size))
    return wallet
  }

  async function tradeBoth(): Promise<void> {
    const wallet = await newOwner(1n)
    const [dollars, coin] = sidesOf(1n)
    await fork.actions.swap(wallet, dollars, tokens.weth)
    await fork.actions.swap(wallet, coin, tokens.usdc)
  }

  it('mints, increases, collects fees, and takes all out with the NFT', async () => {
    const wallet = await newOwner(2n)
    const found = await bench.played(wallet, async () => {
      const id = await fork.actions.mint(wallet, ...sidesOf(1n), RANGE)
      await fork.actions.increase(wallet, id, parseEther('0.1'), parseEther('0.1'))
      await tradeBoth()
      await fork.actions.collect(wallet, id)
      await tradeBoth()
      await fork.actions.close(wallet, id, (await nftOf(fork, id)).liquidity)
    })
    const out = ['income +usdc', 'income +weth', 'move +usdc', 'move +weth', 'move -nft']
    expect(summary(found)).toEqual([
      ['ADDLIQUIDITY', protocol, 'move +nft', 'move -usdc', 'move -weth'],
      ['ADDLIQUIDITY', protocol, 'move -usdc', 'move -weth', 'move nft'],
      collected,
      ['REMOVELIQUIDITY', protocol, ...out],
    ])
    expect(
      found
        .at(-1)
        ?.movements.map(({ leg, treatment }) => `${leg} ${treatment}`)
        .toSorted(),
    ).toEqual([...['0 move', '0 move', '0 move', '1 income', '1 income']])
  })

  it('takes out in two steps, and ends the NFT with the second', async () => {
    const wallet = await newOwner(1n)
    const id = await fork.actions.mint(wallet, ...sidesOf(1n), RANGE)
    const found = await bench.played(wallet, async () => {
      await fork.actions.decrease(wallet, id, (await nftOf(fork, id)).liquidity)
      await fork.actions.close(wallet, id, 0n)
    })
    expect(summary(found)).toEqual([
      ['REMOVELIQUIDITY', protocol],
      ['REMOVELIQUIDITY', protocol, 'move +usdc', 'move +weth', 'move -nft'],
    ])
  })

  it('collects what an earlier transaction took out: later pools do not distinguish it from fees', async () => {
    const wallet = await newOwner(1n)
    const id = await fork.actions.mint(wallet, ...sidesOf(1n), RANGE)
    const found = await bench.played(wallet, async () => {
      await fork.actions.decrease(wallet, id, (await nftOf(fork, id)).liquidity)
      await fork.actions.collect(wallet, id)
    })
    const back = ['REMOVELIQUIDITY', protocol, 'move +usdc', 'move +weth', 'move nft']
    expect(summary(found)).toEqual([['REMOVELIQUIDITY', protocol], generation === 'v1' ? back : collected])
  })

  it('is paid by a router, and passes the NFT to another', async () => {
    const [wallet, other] = [await newOwner(2n), random.address()]
    for (const token of [tokens.usdc, tokens.weth]) await erc20.allow(token, wallet, router.address)
    const found = await bench.played(wallet, async () => {
      const [first, second] = sidesOf(1n).toSorted((a, b) => (BigInt(a.token) < BigInt(b.token) ? -1 : 1))
      if (!first || !second) throw new Error('a pair has two sides')
      const place = {
        ...{ token0: first.token, token1: second.token, tickLower: -887_220, tickUpper: 887_220 },
        ...(generation === 'integral' && { deployer: zeroAddress }),
      }
      const amounts = { amount0Desired: first.amount, amount1Desired: second.amount, amount0Min: 0n, amount1Min: 0n }
      const args = [{ ...place, ...amounts, recipient: wallet, deadline: FAR_FUTURE }]
      const call = managerOf(fork).data('mint', ...args)
      const [pair, most] = [[first.token, second.token] as const, [first.amount, second.amount] as const]
      await router.write(wallet, 'open', manager, pair, most, call)
      const id = (await bench.read(wallet)).positions[0]?.tokenId ?? 0n
      await contractOf(chain, manager, erc721Abi).write(wallet, 'transferFrom', wallet, other, id)
    })
    expect(summary(found)).toEqual([
      ['ADDLIQUIDITY', protocol, 'move +nft', 'move -usdc', 'move -weth'],
      ['TRANSFEROUT', null, 'send -nft'],
    ])
  })
})
