import {
  addConvexPool,
  addresses,
  type Balancer,
  type BalancerPool,
  createBalancerPool,
  createGauge,
  createRewardsGauge,
  deployBalancer,
  deployBalancerFees,
  deployConvex,
  deployGauges,
  deployRewardsGauges,
  exitBalancerPool,
  type Gauges,
  joinBalancerPool,
  ownArtifact,
  recoverBalancerPool,
  tradeInBalancerPool,
} from '@coffer/devnet'
import { type Address, parseAbi, parseEventLogs, zeroAddress, zeroHash } from 'viem'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { amountsOf, expectedAmounts, openProtocolBench } from '../../../../../test/protocol-bench.ts'
import { seededRandom } from '../../../../../test/random.ts'
import { evmAddress } from '../../../../domain/evm-address.ts'
import type { Position } from '../../../../domain/position.ts'
import type { ProtocolRow } from '../../../protocol-row.ts'
import { isVouched } from '../adapter.ts'
import { bindProtocol } from '../protocols.ts'

const DAY_SECONDS = 86_400
const WEEK_SECONDS = 7 * DAY_SECONDS
const ONE = 10n ** 18n
const { tokens } = addresses.ethereum
const vault3Abi = parseAbi([
  'function create(address[] tokens, address[] providers, bool isMade) returns (address)',
  'function add(address pool, uint256[] amounts, uint256 shares)',
  'function setRecovering(address pool, bool isRecovering)',
  'function removeProportional(address pool, uint256 shares) returns (uint256[])',
  'function removeLiquidityRecovery(address pool, uint256 shares) returns (uint256[])',
  'event PoolRegistered(address indexed pool)',
])
const ratedAbi = parseAbi(['function set(uint256 figure, bool refuses)'])
const strangerAbi = parseAbi([
  'function say(bytes32 id, uint256 held, uint256 supply)',
  'function register(address vault, address token)',
])
const gaugeAbi = parseAbi([
  'function deposit(uint256 amount)',
  'function claimable_tokens(address owner) returns (uint256)',
  'function add_reward(address token, address distributor)',
  'function deposit_reward_token(address token, uint256 amount)',
  'function claimable_reward(address owner, address token) view returns (uint256)',
  'function claimable_reward_write(address owner, address token) returns (uint256)',
])
const boosterAbi = parseAbi(['function deposit(uint256 pid, uint256 amount, bool stake)'])
const escrowAbi = parseAbi(['function create_lock(uint256 amount, uint256 end)', 'function withdraw()'])
const feesAbi = parseAbi([
  'function depositToken(address token, uint256 amount)',
  'function claimToken(address owner, address token) returns (uint256)',
  'function setOnlyCallerCheck(bool enabled)',
])
const tokenAbi = parseAbi(['function transfer(address to, uint256 amount) returns (bool)'])
const supplyAbi = parseAbi([
  'function totalSupply() view returns (uint256)',
  'function getActualSupply() view returns (uint256)',
  'function getVirtualSupply() view returns (uint256)',
])
const heldAbi = parseAbi([
  'function getPoolTokens(bytes32 poolId) view returns (address[] tokens, uint256[] balances, uint256 lastChangeBlock)',
])

const rows: ProtocolRow[] = []
const random = seededRandom('balancer')
let bench: Awaited<ReturnType<typeof openProtocolBench>>
let gauges: Gauges
let balancer: Balancer
let vault3: Address
let distributor: Address
let provider: Address
let pools: Record<'weighted' | 'stable' | 'rated' | 'first' | 'phantom', BalancerPool>
let staking: Awaited<ReturnType<typeof deployConvex>>
let gauge: Address
let rewardsFactory: Address

const unitsOf = (token: Address) => (same(token, tokens.usdc) || same(token, tokens.usdt) ? 10n ** 6n : ONE)
const same = (a: Address, b: Address) => evmAddress(a) === evmAddress(b)

async function give(wallet: Address, token: Address, amount: bigint, spender: Address): Promise<void> {
  await bench.chain.actions.erc20.mint(token, wallet, amount)
  await bench.chain.actions.erc20.allow(token, wallet, spender)
}

async function join(wallet: Address, made: BalancerPool, isFirst = false): Promise<void> {
  const amounts: bigint[] = []
  for (const token of made.tokens) {
    const isOwn = same(token, made.pool)
    const amount = isOwn ? 0n : random.amount(5_000n * unitsOf(token), 9_000n * unitsOf(token))
    amounts.push(amount)
    if (!isOwn) await give(wallet, token, amount, balancer.vault)
  }
  await joinBalancerPool(bench.chain, wallet, balancer, made, { amounts, isFirst })
}

/** A third party's trade. */
async function trade(made: BalancerPool): Promise<void> {
  const [assetIn = made.pool, assetOut = made.pool] = made.tokens.filter((token) => !same(token, made.pool))
  const trader = random.address()
  const amount = random.amount(unitsOf(assetIn), 100n * unitsOf(assetIn))
  await give(trader, assetIn, amount, balancer.vault)
  await tradeInBalancerPool(bench.chain, trader, balancer, made, { assetIn, assetOut, amount })
}

const held = (token: Address, wallet: Address) => bench.chain.actions.erc20.balanceOf(token, wallet)

/** Balances after an action of a wallet without these tokens. */
async function paidBy(wallet: Address, coins: readonly Address[], play: () => Promise<unknown>) {
  const others = await Promise.all(coins.map((coin) => held(coin, wallet)))
  await play()
  const after = await Promise.all(
    coins.map(async (coin, i) => [coin, (await held(coin, wallet)) - (others[i] ?? 0n)] as const),
  )
  return expectedAmounts(...after)
}

const coinsOf = ({ pool, tokens: all }: BalancerPool) => all.filter((token) => !same(token, pool))

const at = (positions: readonly Position[], pool: Address) =>
  positions.find((position) => position.pool === evmAddress(pool))
const suppliedAt = (positions: readonly Position[], pool: Address) => amountsOf(at(positions, pool)?.supplied ?? [])

async function sendBal(to: Address, amount: bigint): Promise<void> {
  const call = { from: gauges.holder, address: gauges.token, abi: tokenAbi, functionName: 'transfer' } as const
  await bench.chain.write({ ...call, args: [to, amount] })
}

async function setRate(rate: bigint, refuses = false): Promise<void> {
  await bench.chain.write({
    from: zeroAddress,
    address: provider,
    abi: ratedAbi,
    functionName: 'set',
    args: [rate, refuses],
  })
}

beforeAll(async () => {
  bench = await openProtocolBench(inject('devnetState'), rows)
  const { chain } = bench
  gauges = await deployGauges(chain, tokens.weth)
  balancer = await deployBalancer(chain, gauges)
  provider = await chain.deploy(ownArtifact('RatedToken'), ['rate', 18, 18, zeroAddress])
  const { usdc, usdt, weth, dai, link } = tokens
  const create = (kind: keyof Balancer['factories'], coins: readonly Address[], rates = {}) =>
    createBalancerPool(chain, balancer, { kind, coins, rates })
  pools = {
    weighted: await create('weighted', [usdc, weth, dai]),
    stable: await create('stable', [usdc, dai, usdt]),
    rated: await create('stable', [usdc, dai], { [dai]: provider }),
    first: await create('first', [usdc, link]),
    phantom: await create('phantom', [usdc, dai]),
  }
  for (const made of Object.values(pools)) await join(random.address(), made, true)
  const { controller, minter, token: emitted } = gauges
  vault3 = await chain.deploy(ownArtifact('BalancerVault3'))
  distributor = await deployBalancerFees(chain, gauges)
  const { vault, queries, factories } = balancer
  rewardsFactory = await deployRewardsGauges(chain, gauges)
  rows.push({
    ...{ family: 'balancer', key: 'balancer', name: 'Balancer', chain: 'ethereum' },
    deployment: {
      ...{ vault, queries, vault3, factories: [...Object.values(factories), vault3] },
      gauges: { controller, makers: [rewardsFactory], minter, emitted },
      escrow: {
        escrow: gauges.escrow,
        token: emitted,
        distributors: [emitted, usdc].map((token) => ({ address: distributor, token, byToken: true })),
      },
    },
  })
  staking = await deployConvex(chain, emitted, { minted: 0n, fee: 0n })
  rows.push({
    ...{ family: 'convex', key: 'aura', name: 'Aura', chain: 'ethereum' },
    deployment: { boosters: [{ address: staking.booster, layout: 'vaults' }], bonus: staking.cvx },
  })
  gauge = await createGauge(chain, gauges, pools.weighted.pool)
  await bench.discover()
  const found = [...Object.values(pools).map(({ pool }) => pool), gauge]
  await bench.recognise(found.map(evmAddress))
})
afterAll(() => bench?.stop())

it.each(['weighted', 'stable', 'rated'] as const)('a share of a %s pool is what its exit pays', async (kind) => {
  const made = pools[kind]
  for (let round = 0; round < 4; round += 1) {
    const wallet = random.address()
    // The pool caches rates for an hour. An exit reads them again and owes the protocol a part of their growth.
    await setRate(random.amount(ONE, 2n * ONE))
    await join(wallet, made)
    await trade(made)
    await setRate(random.amount(2n * ONE, 3n * ONE))
    await bench.chain.travel(3_601)
    const shares = await held(made.pool, wallet)
    const { positions, batches } = await bench.read(wallet)
    expect(batches).toBe(2)
    expect(at(positions, made.pool)).toMatchObject({ kind: 'liquidity', receipts: [evmAddress(made.pool)] })
    const supply = { address: made.pool, abi: supplyAbi } as const
    const actual = await bench.client.readContract({ ...supply, functionName: 'getActualSupply' })
    const total = await bench.client.readContract({ ...supply, functionName: 'totalSupply' })
    // Shares are due to the protocol, and stable pools minted some 2^111 to themselves.
    if (kind === 'weighted') expect(actual).toBeGreaterThan(total)
    else expect(total / actual).toBeGreaterThan(10n ** 6n)
    const paid = await paidBy(wallet, coinsOf(made), () =>
      exitBalancerPool(bench.chain, wallet, balancer, made, { shares }),
    )
    expect(suppliedAt(positions, made.pool)).toEqual(paid)
  }
})

it('a share of a pool of 2021 is what its exit pays, after fees that fall due then', async () => {
  const made = pools.first
  for (let round = 0; round < 3; round += 1) {
    const wallet = random.address()
    await join(wallet, made)
    await trade(made)
    const shares = await held(made.pool, wallet)
    const { positions } = await bench.read(wallet)
    const of = { address: balancer.vault, abi: heldAbi, functionName: 'getPoolTokens', args: [made.id] } as const
    const [, balances] = await bench.client.readContract(of)
    const call = { address: made.pool, abi: supplyAbi, functionName: 'totalSupply' } as const
    const supply = await bench.client.readContract(call)
    const paid = await paidBy(wallet, made.tokens, () =>
      exitBalancerPool(bench.chain, wallet, balancer, made, { shares }),
    )
    expect(suppliedAt(positions, made.pool)).toEqual(paid)
    // The part of the pool's balance is larger: fees are due in one of its tokens.
    const parts = made.tokens.map(
      (token, i) => ((balances[i] ?? 0n) * shares) / supply - (paid[evmAddress(token)] ?? 0n),
    )
    expect(parts.toSorted((a, b) => Number(a - b)).at(-1)).toBeGreaterThan(1n)
  }
})

it('a share that is only traded is its part of the coins, by the supply without what the pool minted itself', async () => {
  const made = pools.phantom
  for (let round = 0; round < 3; round += 1) {
    const wallet = random.address()
    const [assetIn = made.pool] = coinsOf(made)
    const amount = random.amount(unitsOf(assetIn), 1_000n * unitsOf(assetIn))
    await give(wallet, assetIn, amount, balancer.vault)
    await tradeInBalancerPool(bench.chain, wallet, balancer, made, { assetIn, assetOut: made.pool, amount })
    await trade(made)
    const shares = await held(made.pool, wallet)
    const { positions, block: blockNumber } = await bench.read(wallet)
    const of = { address: balancer.vault, abi: heldAbi, functionName: 'getPoolTokens', args: [made.id] } as const
    const [all, balances] = await bench.client.readContract({ ...of, blockNumber })
    const call = { address: made.pool, abi: supplyAbi, functionName: 'getVirtualSupply', blockNumber } as const
    const supply = await bench.client.readContract(call)
    const part = (shares * ONE) / supply
    expect(part).toBeLessThan(ONE)
    const parts = all.map(
      (token, i) => [token, same(token, made.pool) ? 0n : ((balances[i] ?? 0n) * part) / ONE] as const,
    )
    expect(suppliedAt(positions, made.pool)).toEqual(expectedAmounts(...parts))
  }
})

it('a share of a pool in recovery mode, whose rate cannot be asked for any more', async () => {
  await setRate(ONE)
  const { usdc, dai } = tokens
  const made = await createBalancerPool(bench.chain, balancer, {
    kind: 'stable',
    coins: [usdc, dai],
    rates: { [dai]: provider },
  })
  await join(random.address(), made, true)
  await bench.recognise([evmAddress(made.pool)])
  for (const isRecovering of [false, true]) {
    const wallet = random.address()
    await setRate(ONE)
    await join(wallet, made)
    await trade(made)
    if (isRecovering) {
      await recoverBalancerPool(bench.chain, balancer, made.pool)
      await setRate(ONE, true)
      await bench.chain.travel(3_601)
    }
    const shares = await held(made.pool, wallet)
    const { positions } = await bench.read(wallet)
    const paid = await paidBy(wallet, coinsOf(made), () =>
      exitBalancerPool(bench.chain, wallet, balancer, made, { shares, isRecovery: isRecovering }),
    )
    expect(suppliedAt(positions, made.pool)).toEqual(paid)
  }
  await setRate(ONE)
})

it('a share inside another pool stays a share there, and is what it stands for', async () => {
  const { chain } = bench
  const inner = pools.weighted
  const made = await createBalancerPool(chain, balancer, { kind: 'weighted', coins: [inner.pool, tokens.link] })
  const wallet = random.address()
  await join(wallet, inner)
  await chain.actions.erc20.allow(inner.pool, wallet, balancer.vault)
  await give(wallet, tokens.link, 5_000n * ONE, balancer.vault)
  const amounts = made.tokens.map((token) => (same(token, inner.pool) ? 10n * ONE : 5_000n * ONE))
  await joinBalancerPool(chain, wallet, balancer, made, { amounts, isFirst: true })
  await bench.recognise([evmAddress(made.pool)])
  const { positions } = await bench.read(wallet)
  const lies = suppliedAt(positions, made.pool)[evmAddress(inner.pool)] ?? 0n
  expect(lies).toBeGreaterThan(0n)
  const [known] = await bench.recognise([evmAddress(inner.pool)])
  const [row] = rows.map(bindProtocol)
  if (!(known && row)) throw new Error('the inner pool is not known')
  const parts = await row.decompose(bench.openReader(), { protocolContract: known, amountRaw: lies })
  const exit = random.address()
  await chain.write({ from: wallet, address: inner.pool, abi: tokenAbi, functionName: 'transfer', args: [exit, lies] })
  const paid = await paidBy(exit, inner.tokens, () => exitBalancerPool(chain, exit, balancer, inner, { shares: lies }))
  expect(amountsOf(parts ?? [])).toEqual(paid)
  // The query refuses more than the supply: the amount is proportional.
  const whole = await row.decompose(bench.openReader(), { protocolContract: known, amountRaw: 10n ** 30n })
  expect(whole?.every(({ amountRaw }) => amountRaw > 0n)).toBe(true)
})

async function newThird(isMade: boolean) {
  const coins = [tokens.usdc, tokens.weth] as const
  const args = [coins, [zeroAddress, provider], isMade] as const
  const call = { from: random.address(), address: vault3, abi: vault3Abi } as const
  const { logs } = await bench.chain.write({ ...call, functionName: 'create', args })
  const pool = parseEventLogs({ abi: vault3Abi, logs, eventName: 'PoolRegistered' })[0]?.args.pool
  if (!pool) throw new Error('the vault made no pool')
  const [protocolContract] = await bench.recognise([evmAddress(pool)])
  return { pool, coins, protocolContract }
}

async function addThird(wallet: Address, { pool, coins }: Awaited<ReturnType<typeof newThird>>): Promise<bigint> {
  const amounts = coins.map((coin) => random.amount(1n, 9_000n * unitsOf(coin)))
  for (const [i, coin] of coins.entries()) await give(wallet, coin, amounts[i] ?? 0n, vault3)
  const shares = random.amount(1n, 10n ** 24n)
  const call = { from: wallet, address: vault3, abi: vault3Abi, functionName: 'add' } as const
  await bench.chain.write({ ...call, args: [pool, amounts, shares] })
  return shares
}

it('a share of the third vault, with rates of its tokens and fees on their growth', async () => {
  await setRate(ONE)
  const made = await newThird(true)
  for (let round = 0; round < 4; round += 1) {
    const wallet = random.address()
    await addThird(random.address(), made)
    const shares = await addThird(wallet, made)
    // The last two rounds owe fees, the others have lost.
    await setRate(ONE + (BigInt(round) * random.amount(1n, ONE)) / 3n)
    const { positions, batches } = await bench.read(wallet)
    expect(batches).toBe(2)
    const call = { from: wallet, address: vault3, abi: vault3Abi, functionName: 'removeProportional' } as const
    const paid = await paidBy(wallet, made.coins, () => bench.chain.write({ ...call, args: [made.pool, shares] }))
    expect(suppliedAt(positions, made.pool)).toEqual(paid)
  }
})

it('a share of the third vault without a rate: unknown, and its part of the balances in recovery mode', async () => {
  await setRate((3n * ONE) / 2n)
  const made = await newThird(true)
  const wallet = random.address()
  await addThird(random.address(), made)
  const shares = await addThird(wallet, made)
  await setRate(ONE, true)
  const missing: unknown[] = []
  const before = await bench.read(wallet, { leftOut: (why) => missing.push(why) })
  expect(before.positions).toEqual([])
  expect(`${missing}`).toContain('could not be read')
  const call = { from: wallet, address: vault3, abi: vault3Abi } as const
  await bench.chain.write({ ...call, functionName: 'setRecovering', args: [made.pool, true] })
  const { positions } = await bench.read(wallet)
  const paid = await paidBy(wallet, made.coins, () =>
    bench.chain.write({ ...call, functionName: 'removeLiquidityRecovery', args: [made.pool, shares] }),
  )
  expect(suppliedAt(positions, made.pool)).toEqual(paid)
  await setRate(ONE)
})

it('a stake in a gauge once, with emissions and rewards, and none where Aura stakes', async () => {
  const { chain, client } = bench
  const made = pools.weighted
  const wallet = random.address()
  const { uni } = tokens
  await chain.write({
    from: gauges.adaptor,
    address: gauge,
    abi: gaugeAbi,
    functionName: 'add_reward',
    args: [uni, wallet],
  })
  await bench.recognise([evmAddress(gauge)])
  await join(wallet, made)
  const shares = await held(made.pool, wallet)
  const at3 = { from: wallet, address: gauge, abi: gaugeAbi } as const
  await chain.actions.erc20.allow(made.pool, wallet, gauge)
  await chain.write({ ...at3, functionName: 'deposit', args: [shares / 2n] })
  await give(wallet, uni, 700n * ONE, gauge)
  await chain.write({ ...at3, functionName: 'deposit_reward_token', args: [uni, 700n * ONE] })
  const { pid, pool: vaultOfAura } = await addConvexPool(chain, {
    ...{ booster: staking.booster, share: made.pool, crv: gauges.token, isVault: true },
  })
  await bench.recognise([evmAddress(vaultOfAura)])
  await chain.actions.erc20.allow(made.pool, wallet, staking.booster)
  const stake = { from: wallet, address: staking.booster, abi: boosterAbi, functionName: 'deposit' } as const
  await chain.write({ ...stake, args: [pid, shares - shares / 2n, true] })
  await chain.travel(9 * DAY_SECONDS)
  const { positions, block: blockNumber } = await bench.read(wallet)
  const call = { account: random.address(), address: gauge, abi: gaugeAbi, blockNumber } as const
  const { result } = await client.simulateContract({ ...call, functionName: 'claimable_tokens', args: [wallet] })
  const reward = await client.readContract({ ...call, functionName: 'claimable_reward', args: [wallet, uni] })
  expect(result).toBeGreaterThan(0n)
  expect(reward).toBeGreaterThan(0n)
  expect(positions.map(({ protocol, pool }) => [protocol, pool])).toEqual([
    ['balancer', evmAddress(gauge)],
    ['aura', evmAddress(vaultOfAura)],
  ])
  expect(at(positions, gauge)).toMatchObject({ kind: 'farming', receipts: [evmAddress(gauge)] })
  expect(suppliedAt(positions, gauge)).toEqual(expectedAmounts([made.pool, shares / 2n]))
  expect(amountsOf(at(positions, gauge)?.rewards ?? [])).toEqual(expectedAmounts([gauges.token, result], [uni, reward]))
  expect(suppliedAt(positions, vaultOfAura)).toEqual(expectedAmounts([made.pool, shares - shares / 2n]))
})

it('a stake in a gauge of 2022 of another chain, which a factory knows, with BAL that it has not fetched yet', async () => {
  const { chain, client } = bench
  const made = pools.stable
  const { gauge: rewarding, streamer, stream } = await createRewardsGauge(chain, gauges, rewardsFactory, made.pool)
  const unknown = await createRewardsGauge(chain, gauges, await deployRewardsGauges(chain, gauges), made.pool)
  const found = await bench.recognise([rewarding, unknown.gauge].map(evmAddress))
  expect(found.map(({ address }) => address)).toEqual([rewarding, made.pool].map(evmAddress))
  const wallet = random.address()
  await join(wallet, made)
  const shares = await held(made.pool, wallet)
  await chain.actions.erc20.allow(made.pool, wallet, rewarding)
  await chain.write({ from: wallet, address: rewarding, abi: gaugeAbi, functionName: 'deposit', args: [shares] })
  await sendBal(streamer, 777n * ONE)
  await stream()
  await chain.travel(3 * DAY_SECONDS)
  const { positions, block: blockNumber } = await bench.read(wallet)
  const call = { account: wallet, address: rewarding, abi: gaugeAbi, blockNumber } as const
  const args = [wallet, gauges.token] as const
  const { result } = await client.simulateContract({ ...call, functionName: 'claimable_reward_write', args })
  expect(await client.readContract({ ...call, functionName: 'claimable_reward', args })).toBe(0n)
  expect(result).toBeGreaterThan(0n)
  expect(amountsOf(at(positions, rewarding)?.rewards ?? [])).toEqual(expectedAmounts([gauges.token, result]))
  expect(suppliedAt(positions, rewarding)).toEqual(expectedAmounts([made.pool, shares]))
})

/** Locks BAL for `weeks`. Returns the requested end. */
async function lockFor(wallet: Address, amount: bigint, weeks: number): Promise<bigint> {
  const { chain, client } = bench
  await sendBal(wallet, amount)
  await chain.actions.erc20.allow(gauges.token, wallet, gauges.escrow)
  const { timestamp } = await client.getBlock()
  const end = timestamp + BigInt(weeks * WEEK_SECONDS)
  const call = { from: wallet, address: gauges.escrow, abi: escrowAbi, functionName: 'create_lock' } as const
  await chain.write({ ...call, args: [amount, end] })
  return end
}

it('a lock with the fees of each token, which its owner may keep others from claiming, and what is left of them later', async () => {
  const { chain, client } = bench
  const wallet = random.address()
  const amount = random.amount(ONE, 1_000n * ONE)
  await lockFor(random.address(), 50n * ONE, 50)
  const end = await lockFor(wallet, amount, 5)
  await chain.travel(2 * WEEK_SECONDS)
  const payer = random.address()
  await give(payer, tokens.usdc, 777_000_001n, distributor)
  const fees = { from: payer, address: distributor, abi: feesAbi } as const
  await chain.write({ ...fees, functionName: 'depositToken', args: [tokens.usdc, 777_000_001n] })
  await chain.travel(2 * WEEK_SECONDS)
  const { positions, block: blockNumber } = await bench.read(wallet)
  const claim = { account: payer, address: distributor, abi: feesAbi, functionName: 'claimToken' } as const
  const { result } = await client.simulateContract({ ...claim, args: [wallet, tokens.usdc], blockNumber })
  expect(result).toBeGreaterThan(0n)
  expect(amountsOf(at(positions, gauges.escrow)?.rewards ?? [])).toEqual(expectedAmounts([tokens.usdc, result]))
  expect(suppliedAt(positions, gauges.escrow)).toEqual(expectedAmounts([gauges.token, amount]))
  const unlockAt = Number(end - (end % BigInt(WEEK_SECONDS)))
  expect(at(positions, gauges.escrow)).toMatchObject({ kind: 'locked', unlockAt })

  await chain.write({ ...fees, from: wallet, functionName: 'setOnlyCallerCheck', args: [true] })
  const missing: unknown[] = []
  const closed = await bench.read(wallet, { leftOut: (why) => missing.push(why) })
  expect(suppliedAt(closed.positions, gauges.escrow)).toEqual(expectedAmounts([gauges.token, amount]))
  expect(`${missing}`).toContain('owner alone')
  await chain.write({ ...fees, from: wallet, functionName: 'setOnlyCallerCheck', args: [false] })

  await chain.travel(2 * WEEK_SECONDS)
  await chain.write({ from: wallet, address: gauges.escrow, abi: escrowAbi, functionName: 'withdraw' })
  const later = await bench.read(wallet)
  const left = at(later.positions, gauges.escrow)
  expect(left).toMatchObject({ supplied: [], rewards: [{ token: evmAddress(tokens.usdc) }] })
  expect(left?.unlockAt).toBeUndefined()
  const paid = await paidBy(wallet, [tokens.usdc], () =>
    chain.write({ ...fees, functionName: 'claimToken', args: [wallet, tokens.usdc] }),
  )
  expect(amountsOf(left?.rewards ?? [])).toEqual(paid)
  expect((await bench.read(wallet)).positions).toEqual([])
})

it('takes nothing for a pool that no vault knows, and no other token', async () => {
  const other = await deployBalancer(bench.chain, await deployGauges(bench.chain, tokens.weth))
  const coins = [tokens.usdc, tokens.weth]
  const { pool } = await createBalancerPool(bench.chain, other, { kind: 'weighted', coins })
  expect(await bench.recognise([evmAddress(pool), evmAddress(tokens.usdc)])).toEqual([])
})

it('vouches for pools of known factories alone, and believes no other that says more is held than there is', async () => {
  const { chain } = bench
  const stranger = await chain.deploy(ownArtifact('BalancerStranger'), [balancer.vault])
  const say = async (id: `0x${string}`, amount: bigint, supply: bigint) => {
    const call = { from: zeroAddress, address: stranger, abi: strangerAbi, functionName: 'say' } as const
    await chain.write({ ...call, args: [id, amount, supply] })
  }
  // Another pool's ID is not its own.
  await say(pools.weighted.id, ONE, ONE)
  expect(await bench.recognise([evmAddress(stranger)])).toEqual([])
  await say(zeroHash, 10n ** 27n, ONE)
  const found = await bench.recognise([stranger, pools.weighted.pool].map(evmAddress))
  const [row] = rows.map(bindProtocol)
  expect(found.map((protocolContract) => [protocolContract.address, row && isVouched(row, protocolContract)])).toEqual([
    [evmAddress(stranger), false],
    [evmAddress(pools.weighted.pool), true],
  ])
  const third = await newThird(false)
  expect(third.protocolContract && row && isVouched(row, third.protocolContract)).toBe(false)
  const missing: (string | undefined)[] = []
  const leftOut = (why: unknown, { address }: { address?: string } = {}) => missing.push(`${why}`, address)
  const wallet = random.address()
  expect((await bench.read(wallet, { leftOut })).positions).toEqual([])
  expect(missing).toEqual([expect.stringContaining('more of it'), evmAddress(stranger)])
  await say(zeroHash, 0n, ONE)

  // The third vault itself keeps the balances.
  const other = await chain.deploy(ownArtifact('BalancerStranger'), [balancer.vault])
  const call = { from: zeroAddress, address: other, abi: strangerAbi } as const
  await chain.write({ ...call, functionName: 'register', args: [vault3, tokens.usdc] })
  await bench.recognise([evmAddress(other)])
  await chain.write({ ...call, functionName: 'say', args: [zeroHash, ONE, ONE] })
  missing.length = 0
  expect((await bench.read(wallet, { leftOut })).positions).toEqual([])
  expect(missing).toEqual([expect.stringContaining('more of it'), evmAddress(other)])
  await chain.write({ ...call, functionName: 'say', args: [zeroHash, 0n, ONE] })
})

it('asks a wallet that has nothing there in the first batch alone', async () => {
  const { positions, batches } = await bench.read(bench.devnet.wallets.empty.address)
  expect(positions).toEqual([])
  expect(batches).toBe(1)
})
