import { addresses, ownArtifact } from '@coffer/devnet'
import { type Address, decodeFunctionResult, encodeFunctionData, erc20Abi, type Hex, parseAbi, parseEther } from 'viem'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { amountsOf, expectedAmounts, openProtocolBench } from '../../../../../test/protocol-bench.ts'
import { seededRandom } from '../../../../../test/random.ts'
import type { Random } from '../../../../../test/random-of.ts'
import { evmAddress } from '../../../../domain/evm-address.ts'
import type { Position } from '../../../../domain/position.ts'
import type { ProtocolRow } from '../../../protocol-row.ts'

const DAY_SECONDS = 86_400
const { tokens, multicall3 } = addresses.ethereum
const reward = tokens.uni
const factoryAbi = parseAbi([
  'function createPool(address one, address other, bool stable) returns (address)',
  'function getPool(address one, address other, bool stable) view returns (address)',
])
const poolAbi = parseAbi([
  'function token0() view returns (address)',
  'function token1() view returns (address)',
  'function stable() view returns (bool)',
  'function reserve0() view returns (uint256)',
  'function reserve1() view returns (uint256)',
  'function poolFees() view returns (address)',
  'function mint(address to) returns (uint256)',
  'function burn(address to) returns (uint256, uint256)',
  'function swap(uint256 amount0Out, uint256 amount1Out, address to, bytes data)',
  'function claimFees() returns (uint256, uint256)',
  'function claimable0(address owner) view returns (uint256)',
])
const voterAbi = parseAbi([
  'function createGauge(address pool) returns (address)',
  'function gauges(address pool) view returns (address)',
  'function notifyReward(address gauge, uint256 amount)',
])
const gaugeAbi = parseAbi([
  'function deposit(uint256 amount)',
  'function withdraw(uint256 amount)',
  'function getReward(address owner)',
])
const routerAbi = parseAbi(['function stake(address pool, uint256 liquidity, address gauge)'])
const hostileAbi = parseAbi(['function turn(uint8 transfers, uint8 balances)'])
/** `HostileToken` then refuses every transfer. */
const REFUSED = 1
const multicallAbi = parseAbi([
  'function aggregate3((address target, bool allowFailure, bytes callData)[] calls) payable returns ((bool success, bytes returnData)[] returnData)',
])

const rows: ProtocolRow[] = []
let bench: Awaited<ReturnType<typeof openProtocolBench>>
let factory: Address
let voter: Address
let router: Address
let volatile: Pool
let stable: Pool

type Pool = { at: Address; gauge: Address; token0: Address; token1: Address; stable: boolean }

beforeAll(async () => {
  bench = await openProtocolBench(inject('devnetState'), rows)
  const { chain } = bench
  factory = await chain.deploy(ownArtifact('SolidlyFactory'))
  voter = await chain.deploy(ownArtifact('SolidlyVoter'), [reward])
  router = await chain.deploy(ownArtifact('SolidlyRouter'))
  rows.push({
    ...{ family: 'solidly', key: 'solidly', name: 'Solidly', chain: 'ethereum' },
    deployment: { factory, voter, tokens: [tokens.usdc, tokens.weth, tokens.dai] },
  })
  volatile = await openPool(factory, voter, [tokens.usdc, tokens.weth], false)
  stable = await openPool(factory, voter, [tokens.usdc, tokens.dai], true)
  await bench.discover()
  await bench.recognise([volatile.at, stable.at].map(evmAddress))
})
afterAll(() => bench?.stop())

const owner = seededRandom('solidly owner').address()

async function openPool(
  by: Address,
  votes: Address,
  pair: readonly [Address, Address],
  isStable: boolean,
): Promise<Pool> {
  const { chain, client } = bench
  const args = [...pair, isStable] as const
  const made = { address: by, abi: factoryAbi, args } as const
  await chain.write({ from: owner, ...made, functionName: 'createPool' })
  const at = await client.readContract({ ...made, functionName: 'getPool' })
  await chain.write({ from: owner, address: votes, abi: voterAbi, functionName: 'createGauge', args: [at] })
  const gauge = await client.readContract({ address: votes, abi: voterAbi, functionName: 'gauges', args: [at] })
  const pool = { address: at, abi: poolAbi } as const
  const token0 = await client.readContract({ ...pool, functionName: 'token0' })
  const token1 = await client.readContract({ ...pool, functionName: 'token1' })
  return { at, gauge, token0, token1, stable: isStable }
}

const unitsOf = (token: Address, whole: bigint) => whole * (token === tokens.usdc ? 10n ** 6n : 10n ** 18n)

/** Adds liquidity worth `whole` units: one WETH is 3,000 USDC. */
async function add(wallet: Address, pool: Pool, whole: bigint): Promise<bigint> {
  const { erc20 } = bench.chain.actions
  for (const token of [pool.token0, pool.token1]) {
    const amount = token === tokens.weth ? unitsOf(token, whole) / 3_000n : unitsOf(token, whole)
    await erc20.mint(token, pool.at, amount)
  }
  await bench.chain.write({ from: wallet, address: pool.at, abi: poolAbi, functionName: 'mint', args: [wallet] })
  return erc20.balanceOf(pool.at, wallet)
}

/** Sells a random part of a reserve, slightly below the pool's price. */
async function trade(random: Random, pool: Pool): Promise<void> {
  const { client, chain } = bench
  const at = { address: pool.at, abi: poolAbi } as const
  const reserves = [
    await client.readContract({ ...at, functionName: 'reserve0' }),
    await client.readContract({ ...at, functionName: 'reserve1' }),
  ] as const
  const side = random.index(2)
  const [give = 0n, take = 0n] = side === 0 ? reserves : reserves.toReversed()
  const amount = random.amount(give / 10_000n, give / 100n)
  const worth = pool.stable ? (amount * take) / give : (amount * take) / (give + amount)
  const out = (worth * 98n) / 100n
  await chain.actions.erc20.mint(side === 0 ? pool.token0 : pool.token1, pool.at, amount)
  const args = [side === 0 ? 0n : out, side === 0 ? out : 0n, random.address(), '0x'] as const
  await chain.write({ from: owner, ...at, functionName: 'swap', args })
}

type Call = { target: Address; callData: Hex }

/** Increase of tokens by the wallet's own calls at the block: Multicall3 is placed at its address. */
async function paidBy(wallet: Address, of: readonly Address[], calls: readonly Call[], blockNumber: bigint) {
  const balance = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [wallet] })
  const look = of.map((target) => ({ target, callData: balance }))
  const steps = [...look, ...calls, ...look].map((call) => ({ ...call, allowFailure: false }))
  const data = encodeFunctionData({ abi: multicallAbi, functionName: 'aggregate3', args: [steps] })
  const code = (await bench.client.getCode({ address: multicall3 })) ?? '0x'
  const answer = await bench.client.call({ to: wallet, data, blockNumber, stateOverride: [{ address: wallet, code }] })
  const done = decodeFunctionResult({ abi: multicallAbi, functionName: 'aggregate3', data: answer.data ?? '0x' })
  const told = done.map(({ returnData }) => (returnData === '0x' ? 0n : BigInt(`0x${returnData.slice(2, 66)}`)))
  return expectedAmounts(
    ...of.map((token, i) => [token, (told[told.length - of.length + i] ?? 0n) - (told[i] ?? 0n)] as const),
  )
}

const callsOf = (pool: Pool, wallet: Address) => {
  const toGauge = (data: Hex): Call => ({ target: pool.gauge, callData: data })
  const toPool = (data: Hex): Call => ({ target: pool.at, callData: data })
  const burn = (liquidity: bigint): Call[] =>
    liquidity === 0n
      ? []
      : [
          toPool(encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [pool.at, liquidity] })),
          toPool(encodeFunctionData({ abi: poolAbi, functionName: 'burn', args: [wallet] })),
        ]
  return {
    burn,
    leave: (staked: bigint) =>
      staked === 0n
        ? []
        : [toGauge(encodeFunctionData({ abi: gaugeAbi, functionName: 'withdraw', args: [staked] })), ...burn(staked)],
    claimFees: [toPool(encodeFunctionData({ abi: poolAbi, functionName: 'claimFees' }))],
    claimReward: [toGauge(encodeFunctionData({ abi: gaugeAbi, functionName: 'getReward', args: [wallet] }))],
  }
}

/** Compares positions of a pool and its gauge with leaving them at the same block. */
async function check(
  wallet: Address,
  pool: Pool,
): Promise<{ share: Position | undefined; stake: Position | undefined }> {
  const { positions, block } = await bench.read(wallet)
  const at = (address: Address) => positions.find((position) => position.pool === evmAddress(address))
  const [share, stake] = [at(pool.at), at(pool.gauge)]
  const balanceOf = (address: Address) =>
    bench.client.readContract({ address, abi: erc20Abi, functionName: 'balanceOf', args: [wallet], blockNumber: block })
  const calls = callsOf(pool, wallet)
  const coins = [pool.token0, pool.token1]
  const paid = (position: Position | undefined) => ({
    supplied: amountsOf(position?.supplied ?? []),
    rewards: amountsOf(position?.rewards ?? []),
  })
  expect(paid(share)).toEqual({
    supplied: await paidBy(wallet, coins, calls.burn(await balanceOf(pool.at)), block),
    rewards: await paidBy(wallet, coins, calls.claimFees, block),
  })
  expect(paid(stake)).toEqual({
    supplied: await paidBy(wallet, coins, calls.leave(await balanceOf(pool.gauge)), block),
    rewards: await paidBy(wallet, [reward], calls.claimReward, block),
  })
  return { share, stake }
}

async function stakeIn(wallet: Address, pool: Pool, amount: bigint): Promise<void> {
  await bench.chain.actions.erc20.allow(pool.at, wallet, pool.gauge)
  await bench.chain.write({ from: wallet, address: pool.gauge, abi: gaugeAbi, functionName: 'deposit', args: [amount] })
}

async function emit(pool: Pool, amount: bigint): Promise<void> {
  const { erc20 } = bench.chain.actions
  await erc20.mint(reward, owner, amount)
  await erc20.allow(reward, owner, voter)
  const args = [pool.gauge, amount] as const
  await bench.chain.write({ from: owner, address: voter, abi: voterAbi, functionName: 'notifyReward', args })
}

it.each([
  ['volatile', () => volatile],
  ['stable', () => stable],
] as const)('%s pools: pays what leaving pool and gauge pays, to the unit, each once', async (name, poolOf) => {
  const random = seededRandom(`solidly ${name}`)
  const pool = poolOf()
  for (let round = 0; round < 3; round += 1) {
    const wallet = random.address()
    const share = await add(wallet, pool, 1_000n + BigInt(random.index(1_000_000)))
    for (let count = 0; count < 3; count += 1) await trade(random, pool)
    const held = await check(wallet, pool)
    expect(held.share).toMatchObject({ kind: 'liquidity', protocol: 'solidly', receipts: [evmAddress(pool.at)] })
    expect(held.share?.rewards.length).toBeGreaterThan(0)
    expect(held.stake).toBeUndefined()
    await stakeIn(wallet, pool, random.amount(share / 4n, share / 2n))
    await emit(pool, random.amount(parseEther('1'), parseEther('100000')))
    await trade(random, pool)
    await bench.chain.travel(1 + random.index(3 * DAY_SECONDS))
    const both = await check(wallet, pool)
    expect(both.stake).toMatchObject({ kind: 'farming', protocol: 'solidly', receipts: [] })
    expect(both.stake?.rewards.length).toBe(1)
    const claim = { from: wallet, address: pool.at, abi: poolAbi, functionName: 'claimFees' } as const
    if (round === 1) await bench.chain.write(claim)
    await trade(random, pool)
    await check(wallet, pool)
  }
})

it('finds a stake that a router made, and the rest after a stake was withdrawn', async () => {
  const random = seededRandom('solidly router')
  const wallet = random.address()
  const share = await add(wallet, volatile, 5_000n)
  await bench.chain.actions.erc20.allow(volatile.at, wallet, router)
  const args = [volatile.at, share, volatile.gauge] as const
  await bench.chain.write({ from: wallet, address: router, abi: routerAbi, functionName: 'stake', args })
  await emit(volatile, parseEther('700'))
  await bench.chain.travel(DAY_SECONDS)
  expect((await check(wallet, volatile)).share).toBeUndefined()
  const gauge = { from: wallet, address: volatile.gauge, abi: gaugeAbi } as const
  await bench.chain.write({ ...gauge, functionName: 'withdraw', args: [share] })
  const { stake } = await check(wallet, volatile)
  expect(stake?.supplied).toEqual([])
  expect(stake?.rewards.length).toBe(1)
  await bench.chain.write({ ...gauge, functionName: 'getReward', args: [wallet] })
  expect((await check(wallet, volatile)).stake).toBeUndefined()
})

it('shows fees of a share that was transferred, and none that their payer cannot pay', async () => {
  const random = seededRandom('solidly fees')
  const { erc20 } = bench.chain.actions
  const wallet = random.address()
  const share = await add(wallet, volatile, 50_000n)
  for (let count = 0; count < 4; count += 1) await trade(random, volatile)
  await erc20.transfer(volatile.at, wallet, random.address(), share)
  await trade(random, volatile)
  const { share: left } = await check(wallet, volatile)
  expect(left?.supplied).toEqual([])
  expect(left?.rewards.length).toBeGreaterThan(0)
  const at = { address: volatile.at, abi: poolAbi } as const
  const payer = await bench.client.readContract({ ...at, functionName: 'poolFees' })
  const owed = await bench.client.readContract({ ...at, functionName: 'claimable0', args: [wallet] })
  const kept = await erc20.balanceOf(volatile.token0, payer)
  await erc20.setBalance(volatile.token0, payer, owed - 1n)
  expect((await bench.read(wallet)).positions).toEqual([])
  await erc20.setBalance(volatile.token0, payer, kept)
  await check(wallet, volatile)
})

it('shows a reward as far as the gauge has it', async () => {
  const random = seededRandom('solidly unpaid')
  const { erc20 } = bench.chain.actions
  const wallet = random.address()
  await stakeIn(wallet, stable, await add(wallet, stable, 9_000n))
  await emit(stable, parseEther('900'))
  await bench.chain.travel(DAY_SECONDS)
  const kept = await erc20.balanceOf(reward, stable.gauge)
  await erc20.setBalance(reward, stable.gauge, 5n)
  const { positions } = await bench.read(wallet)
  expect(positions.map(({ rewards }) => amountsOf(rewards))).toEqual([{ [evmAddress(reward)]: 5n }])
  await erc20.setBalance(reward, stable.gauge, kept)
})

it('recognises contracts made by factory and voter, and none that only claims it', async () => {
  const random = seededRandom('solidly spoof')
  const wallet = random.address()
  const untrustedContracts = await bench.chain.deploy(ownArtifact('SolidlyFactory'))
  const votes = await bench.chain.deploy(ownArtifact('SolidlyVoter'), [reward])
  const false0 = await openPool(untrustedContracts, votes, [tokens.usdc, tokens.weth], false)
  // The pool's own code at another address still names the true factory.
  const impostor = random.address()
  await bench.client.setCode({
    address: impostor,
    bytecode: (await bench.client.getCode({ address: volatile.at })) ?? '0x',
  })
  await stakeIn(wallet, false0, await add(wallet, false0, 1_000_000n))
  // A gauge of an untrusted voter for a pool of the factory.
  await bench.chain.write({
    from: owner,
    address: votes,
    abi: voterAbi,
    functionName: 'createGauge',
    args: [stable.at],
  })
  const gauge = { address: votes, abi: voterAbi, functionName: 'gauges', args: [stable.at] } as const
  const falseGauge = await bench.client.readContract(gauge)
  await stakeIn(wallet, { ...stable, gauge: falseGauge }, await add(wallet, stable, 1_000n))
  const asked = [false0.at, false0.gauge, falseGauge, impostor, tokens.usdc, random.address()].map(evmAddress)
  expect(await bench.recognise(asked)).toEqual([])
  expect((await bench.read(wallet)).positions).toEqual([])
})

it('shows nothing of a share whose other token refuses to be paid out', async () => {
  const random = seededRandom('solidly hostile')
  const wallet = random.address()
  const hostile = await bench.chain.deploy(ownArtifact('HostileToken'), ['Hostile', 'HOS', 18, owner])
  const pool = await openPool(factory, voter, [hostile, tokens.dai], false)
  await add(wallet, pool, 100_000n)
  await bench.recognise([evmAddress(pool.at)])
  await trade(random, pool)
  await check(wallet, pool)
  await bench.chain.write({ from: owner, address: hostile, abi: hostileAbi, functionName: 'turn', args: [REFUSED, 0] })
  expect((await bench.read(wallet)).positions).toEqual([])
})

it('asks a wallet that was never there nothing', async () => {
  await bench.discover()
  const { positions, requests } = await bench.read(bench.devnet.wallets.empty.address)
  expect(positions).toEqual([])
  expect(requests).toBe(1)
})
