import { addresses } from '@coffer/devnet'
import { type Address, parseEther } from 'viem'
import { expect, it } from 'vitest'
import { deployOwn } from '../../../../../test/contract-of.ts'
import { amountsOf, type Call, positionAt, protocolBench } from '../../../../../test/protocol-bench.ts'
import { seededRandom } from '../../../../../test/random.ts'
import type { Random } from '../../../../../test/random-of.ts'
import { openSolidlyPool, type SolidlyPool, solidlyGauge } from '../../../../../test/solidly-plays.ts'
import { evmAddress } from '../../../../domain/evm-address.ts'
import type { Position } from '../../../../domain/position.ts'
import type { ProtocolRow } from '../../../protocol-row.ts'

const DAY_SECONDS = 86_400
const { tokens } = addresses.ethereum
const reward = tokens.uni
/** `HostileToken` then refuses every transfer. */
const REFUSED = 1
const owner = seededRandom('solidly owner').address()

const rows: ProtocolRow[] = []
const bench = await protocolBench(rows)
const { chain, client } = bench
const { erc20 } = chain.actions
const factory = await deployOwn(chain, 'SolidlyFactory')
const voter = await deployOwn(chain, 'SolidlyVoter', [reward])
const router = await deployOwn(chain, 'SolidlyRouter')
rows.push({
  ...{ family: 'solidly', key: 'solidly', name: 'Solidly', chain: 'ethereum' },
  deployment: { ...{ factory: factory.address, voter: voter.address }, tokens: [tokens.usdc, tokens.weth, tokens.dai] },
})
const makers = { factory, voter, owner }
const volatile = await openSolidlyPool(chain, makers, [tokens.usdc, tokens.weth])
const stable = await openSolidlyPool(chain, makers, [tokens.usdc, tokens.dai], true)
await bench.discover()
await bench.recognise([volatile, stable].map(({ pool }) => evmAddress(pool.address)))

const unitsOf = (token: Address, whole: bigint) => whole * (token === tokens.usdc ? 10n ** 6n : 10n ** 18n)

/** Adds liquidity worth `whole` units: one WETH is 3,000 USDC. */
async function add(wallet: Address, { pool, token0, token1 }: SolidlyPool, whole: bigint): Promise<bigint> {
  for (const token of [token0, token1]) {
    const amount = token === tokens.weth ? unitsOf(token, whole) / 3_000n : unitsOf(token, whole)
    await erc20.mint(token, pool.address, amount)
  }
  await pool.write(wallet, 'mint', wallet)
  return erc20.balanceOf(pool.address, wallet)
}

/** Sells a random part of a reserve, slightly below the pool's price. */
async function trade(random: Random, { pool, token0, token1, isStable }: SolidlyPool): Promise<void> {
  const reserves = [await pool.read('reserve0'), await pool.read('reserve1')] as const
  const side = random.index(2)
  const [give = 0n, take = 0n] = side === 0 ? reserves : reserves.toReversed()
  const amount = random.amount(give / 10_000n, give / 100n)
  const worth = isStable ? (amount * take) / give : (amount * take) / (give + amount)
  const out = (worth * 98n) / 100n
  await erc20.mint(side === 0 ? token0 : token1, pool.address, amount)
  await pool.write(owner, 'swap', side === 0 ? 0n : out, side === 0 ? out : 0n, random.address(), '0x')
}

/** Compares positions of a pool and its gauge with leaving them at the same block. */
async function check(wallet: Address, { pool, gauge, token0, token1 }: SolidlyPool) {
  const { positions, block } = await bench.read(wallet)
  const at = ({ address }: { address: Address }) => positionAt(positions, address)
  const [share, stake] = [at(pool), at(gauge)]
  const [held, staked] = [
    await pool.at(block).read('balanceOf', wallet),
    await gauge.at(block).read('balanceOf', wallet),
  ]
  const burn = (liquidity: bigint) =>
    liquidity > 0n ? [pool.call('transfer', pool.address, liquidity), pool.call('burn', wallet)] : []
  const leave = staked > 0n ? [gauge.call('withdraw', staked), ...burn(staked)] : []
  const coins = [token0, token1]
  const income = (calls: readonly Call[], paid = coins) => bench.incomeBy(wallet, calls, paid, block)
  const shown = (position: Position | undefined) => [amountsOf(position?.supplied), amountsOf(position?.rewards)]
  expect(shown(share)).toEqual([await income(burn(held)), await income([pool.call('claimFees')])])
  expect(shown(stake)).toEqual([await income(leave), await income([gauge.call('getReward', wallet)], [reward])])
  return { share, stake }
}

async function stakeIn(wallet: Address, { pool, gauge }: SolidlyPool, amount: bigint): Promise<void> {
  await erc20.allow(pool.address, wallet, gauge.address)
  await gauge.write(wallet, 'deposit', amount)
}

async function emit({ gauge }: SolidlyPool, amount: bigint): Promise<void> {
  await bench.give(owner, reward, amount, voter.address)
  await voter.write(owner, 'notifyReward', gauge.address, amount)
}

it.each([
  ['volatile', volatile],
  ['stable', stable],
] as const)('%s pools: pays what leaving pool and gauge pays, to the unit, each once', async (name, pool) => {
  const random = seededRandom(`solidly ${name}`)
  for (let round = 0; round < 3; round += 1) {
    const wallet = random.address()
    const share = await add(wallet, pool, 1_000n + BigInt(random.index(1_000_000)))
    for (let count = 0; count < 3; count += 1) await trade(random, pool)
    const held = await check(wallet, pool)
    expect(held.share).toMatchObject({
      kind: 'liquidity',
      protocol: 'solidly',
      receipts: [evmAddress(pool.pool.address)],
    })
    expect(held.share?.rewards.length).toBeGreaterThan(0)
    expect(held.stake).toBeUndefined()
    await stakeIn(wallet, pool, random.amount(share / 4n, share / 2n))
    await emit(pool, random.amount(parseEther('1'), parseEther('100000')))
    await trade(random, pool)
    await chain.travel(1 + random.index(3 * DAY_SECONDS))
    const both = await check(wallet, pool)
    expect(both.stake).toMatchObject({ kind: 'farming', protocol: 'solidly', receipts: [] })
    expect(both.stake?.rewards.length).toBe(1)
    if (round === 1) await pool.pool.write(wallet, 'claimFees')
    await trade(random, pool)
    await check(wallet, pool)
  }
})

it('finds a stake that a router made, and the rest after a stake was withdrawn', async () => {
  const wallet = seededRandom('solidly router').address()
  const share = await add(wallet, volatile, 5_000n)
  const { pool, gauge } = volatile
  await erc20.allow(pool.address, wallet, router.address)
  await router.write(wallet, 'stake', pool.address, share, gauge.address)
  await emit(volatile, parseEther('700'))
  await chain.travel(DAY_SECONDS)
  expect((await check(wallet, volatile)).share).toBeUndefined()
  await gauge.write(wallet, 'withdraw', share)
  const { stake } = await check(wallet, volatile)
  expect(stake?.supplied).toEqual([])
  expect(stake?.rewards.length).toBe(1)
  await gauge.write(wallet, 'getReward', wallet)
  expect((await check(wallet, volatile)).stake).toBeUndefined()
})

it('shows fees of a share that was transferred, and none that their payer cannot pay', async () => {
  const random = seededRandom('solidly fees')
  const wallet = random.address()
  const share = await add(wallet, volatile, 50_000n)
  for (let count = 0; count < 4; count += 1) await trade(random, volatile)
  await erc20.transfer(volatile.pool.address, wallet, random.address(), share)
  await trade(random, volatile)
  const { share: left } = await check(wallet, volatile)
  expect(left?.supplied).toEqual([])
  expect(left?.rewards.length).toBeGreaterThan(0)
  const payer = await volatile.pool.read<Address>('poolFees')
  const owed = await volatile.pool.read('claimable0', wallet)
  const kept = await erc20.balanceOf(volatile.token0, payer)
  await erc20.setBalance(volatile.token0, payer, owed - 1n)
  expect((await bench.read(wallet)).positions).toEqual([])
  await erc20.setBalance(volatile.token0, payer, kept)
  await check(wallet, volatile)
})

it('shows a reward as far as the gauge has it', async () => {
  const wallet = seededRandom('solidly unpaid').address()
  const gauge = stable.gauge.address
  await stakeIn(wallet, stable, await add(wallet, stable, 9_000n))
  await emit(stable, parseEther('900'))
  await chain.travel(DAY_SECONDS)
  const kept = await erc20.balanceOf(reward, gauge)
  await erc20.setBalance(reward, gauge, 5n)
  const { positions } = await bench.read(wallet)
  expect(positions.map(({ rewards }) => amountsOf(rewards))).toEqual([{ [evmAddress(reward)]: 5n }])
  await erc20.setBalance(reward, gauge, kept)
})

it('recognises contracts made by factory and voter, and none that only claims it', async () => {
  const random = seededRandom('solidly spoof')
  const wallet = random.address()
  const votes = await deployOwn(chain, 'SolidlyVoter', [reward])
  const untrusted = { factory: await deployOwn(chain, 'SolidlyFactory'), voter: votes, owner }
  const false0 = await openSolidlyPool(chain, untrusted, [tokens.usdc, tokens.weth])
  // The pool's own code at another address still names the true factory.
  const impostor = random.address()
  await client.setCode({ address: impostor, bytecode: (await client.getCode(volatile.pool)) ?? '0x' })
  await stakeIn(wallet, false0, await add(wallet, false0, 1_000_000n))
  // A gauge of an untrusted voter for a pool of the factory.
  await votes.write(owner, 'createGauge', stable.pool.address)
  const falseGauge = await solidlyGauge(chain, votes, stable.pool.address)
  await stakeIn(wallet, { ...stable, gauge: falseGauge }, await add(wallet, stable, 1_000n))
  const made = [false0.pool, false0.gauge, falseGauge].map(({ address }) => address)
  expect(await bench.recognise([...made, impostor, tokens.usdc, random.address()].map(evmAddress))).toEqual([])
  expect((await bench.read(wallet)).positions).toEqual([])
})

it('shows nothing of a share whose other token refuses to be paid out', async () => {
  const random = seededRandom('solidly hostile')
  const wallet = random.address()
  const hostile = await deployOwn(chain, 'HostileToken', ['Hostile', 'HOS', 18, owner])
  const pool = await openSolidlyPool(chain, makers, [hostile.address, tokens.dai])
  await add(wallet, pool, 100_000n)
  await bench.recognise([evmAddress(pool.pool.address)])
  await trade(random, pool)
  await check(wallet, pool)
  await hostile.write(owner, 'turn', REFUSED, 0)
  expect((await bench.read(wallet)).positions).toEqual([])
})

it('asks a wallet that was never there nothing', async () => {
  await bench.discover()
  const { positions, requests } = await bench.read(bench.devnet.wallets.empty.address)
  expect(positions).toEqual([])
  expect(requests).toBe(1)
})
