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
  joinBalancerPool,
  recoverBalancerPool,
  tradeInBalancerPool,
} from '@coffer/devnet'
import {
  type Address,
  formatEther,
  formatUnits,
  type Hex,
  parseAbi,
  parseEther,
  parseEventLogs,
  parseUnits,
  zeroAddress,
  zeroHash,
} from 'viem'
import { expect, it } from 'vitest'
import { lot, unsold } from '../../../../../test/booked-costs.ts'
import { contractOf, deployOwn } from '../../../../../test/contract-of.ts'
import { gaugePlays } from '../../../../../test/gauge-plays.ts'
import { ownBench } from '../../../../../test/history-bench.ts'
import { namedHistory } from '../../../../../test/named-history.ts'
import { amountsOf, expectedAmounts, positionAt, rewardsAt, suppliedAt } from '../../../../../test/protocol-bench.ts'
import { seededRandom } from '../../../../../test/random.ts'
import { evmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import type { ProtocolRow } from '../../../protocol-row.ts'
import { isVouched } from '../adapter.ts'
import { bindProtocol } from '../protocols.ts'

const DAY_SECONDS = 86_400
const WEEK_SECONDS = 7 * DAY_SECONDS
const ONE = 10n ** 18n
const { usdc, usdt, weth, dai, link, uni } = addresses.ethereum.tokens
const gaugeAbi = parseAbi([
  'function deposit(uint256 amount)',
  'function claimable_tokens(address owner) returns (uint256)',
  'function claimable_reward(address owner, address token) view returns (uint256)',
  'function claimable_reward_write(address owner, address token) returns (uint256)',
])
const supplyAbi = parseAbi([
  'function totalSupply() view returns (uint256)',
  'function getActualSupply() view returns (uint256)',
  'function getVirtualSupply() view returns (uint256)',
])

const rows: ProtocolRow[] = []
const random = seededRandom('balancer')
const bench = await ownBench(rows)
const { chain, give, paidBy } = bench
const { erc20 } = chain.actions

const same = (one: Address, other: Address) => evmAddress(one) === evmAddress(other)
const unitsOf = (token: Address) => (same(token, usdc) || same(token, usdt) ? 10n ** 6n : ONE)
const held = (token: Address, wallet: Address) => erc20.balanceOf(token, wallet)

const gauges = await deployGauges(chain, weth)
const plays = gaugePlays(bench, gauges)
const balancer = await deployBalancer(chain, gauges)
const vault = contractOf(
  chain,
  balancer.vault,
  parseAbi([
    'function getPoolTokens(bytes32 poolId) view returns (address[] tokens, uint256[] balances, uint256 lastChangeBlock)',
  ]),
)
const vault3 = await deployOwn(chain, 'BalancerVault3')
const provider = await deployOwn(chain, 'RatedToken', ['rate', 18, 18, zeroAddress])
const distributor = contractOf(
  chain,
  await deployBalancerFees(chain, gauges),
  parseAbi([
    'function depositToken(address token, uint256 amount)',
    'function claimToken(address owner, address token) returns (uint256)',
    'function claimTokens(address owner, address[] tokens) returns (uint256[])',
    'function setOnlyCallerCheck(bool enabled)',
  ]),
)
const rewardsFactory = await deployRewardsGauges(chain, gauges)
const staking = await deployConvex(chain, gauges.token, { minted: 0n, fee: 0n })

const create = (kind: keyof Balancer['factories'], coins: readonly Address[], rates = {}) =>
  createBalancerPool(chain, balancer, { kind, coins, rates })
const pools = {
  weighted: await create('weighted', [usdc, weth, dai]),
  stable: await create('stable', [usdc, dai, usdt]),
  rated: await create('stable', [usdc, dai], { [dai]: provider.address }),
  first: await create('first', [usdc, link]),
  phantom: await create('phantom', [usdc, dai]),
}
for (const made of Object.values(pools)) await join(random.address(), made, true)
/** Two coins each: their costs follow by hand. */
const pairs = { weighted: await create('weighted', [usdc, weth]), stable: await create('stable', [usdc, dai]) }
const gauge = await createGauge(chain, gauges, pools.weighted.pool)
const pairGauge = await createGauge(chain, gauges, pairs.weighted.pool)
const emitted = gauges.token
rows.push(
  {
    ...{ family: 'balancer', key: 'balancer', name: 'Balancer', chain: 'ethereum' },
    deployment: {
      ...{ vault: balancer.vault, queries: balancer.queries, vault3: vault3.address },
      factories: [...Object.values(balancer.factories), vault3.address],
      gauges: { controller: gauges.controller, makers: [rewardsFactory], minter: gauges.minter, emitted },
      escrow: {
        ...{ escrow: gauges.escrow, token: emitted },
        distributors: [emitted, usdc].map((token) => ({ address: distributor.address, token, byToken: true })),
      },
    },
  },
  {
    ...{ family: 'convex', key: 'aura', name: 'Aura', chain: 'ethereum' },
    deployment: { boosters: [{ address: staking.booster, layout: 'vaults' }], bonus: staking.cvx },
  },
)
await bench.discover()
const known = [...Object.values(pools), ...Object.values(pairs)].map(({ pool }) => pool)
await bench.recognise([...known, gauge, pairGauge].map(evmAddress))

async function join(wallet: Address, made: BalancerPool, isFirst = false): Promise<void> {
  const amounts: bigint[] = []
  for (const token of made.tokens) {
    const isOwn = same(token, made.pool)
    const amount = isOwn ? 0n : random.amount(5_000n * unitsOf(token), 9_000n * unitsOf(token))
    amounts.push(amount)
    if (!isOwn) await give(wallet, token, amount, balancer.vault)
  }
  await joinBalancerPool(chain, wallet, balancer, made, { amounts, isFirst })
}

/** A third party's trade. */
async function trade(made: BalancerPool): Promise<void> {
  const [assetIn = made.pool, assetOut = made.pool] = coinsOf(made)
  const trader = random.address()
  const amount = random.amount(unitsOf(assetIn), 100n * unitsOf(assetIn))
  await give(trader, assetIn, amount, balancer.vault)
  await tradeInBalancerPool(chain, trader, balancer, made, { assetIn, assetOut, amount })
}

const exitPays = (wallet: Address, made: BalancerPool, shares: bigint, isRecovery = false) =>
  paidBy(wallet, coinsOf(made), () => exitBalancerPool(chain, wallet, balancer, made, { shares, isRecovery }))

function coinsOf({ pool, tokens }: BalancerPool): Address[] {
  return tokens.filter((token) => !same(token, pool))
}

const setRate = (rate: bigint, refuses = false) => provider.write(zeroAddress, 'set', rate, refuses)

it.each(['weighted', 'stable', 'rated'] as const)('a share of a %s pool is what its exit pays', async (kind) => {
  const made = pools[kind]
  for (let round = 0; round < 4; round += 1) {
    const wallet = random.address()
    // The pool caches rates for an hour. An exit reads them again and owes the protocol a part of their growth.
    await setRate(random.amount(ONE, 2n * ONE))
    await join(wallet, made)
    await trade(made)
    await setRate(random.amount(2n * ONE, 3n * ONE))
    await chain.travel(3_601)
    const shares = await held(made.pool, wallet)
    const { positions, batches } = await bench.read(wallet)
    expect(batches).toBe(2)
    expect(positionAt(positions, made.pool)).toMatchObject({ kind: 'liquidity', receipts: [evmAddress(made.pool)] })
    const supply = contractOf(chain, made.pool, supplyAbi)
    const [actual, total] = [await supply.read('getActualSupply'), await supply.read('totalSupply')]
    // Shares are due to the protocol, and stable pools minted some 2^111 to themselves.
    if (kind === 'weighted') expect(actual).toBeGreaterThan(total)
    else expect(total / actual).toBeGreaterThan(10n ** 6n)
    expect(suppliedAt(positions, made.pool)).toEqual(await exitPays(wallet, made, shares))
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
    const [, balances] = await vault.read<[Address[], bigint[]]>('getPoolTokens', made.id)
    const supply = await contractOf(chain, made.pool, supplyAbi).read('totalSupply')
    const paid = await exitPays(wallet, made, shares)
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
    await tradeInBalancerPool(chain, wallet, balancer, made, { assetIn, assetOut: made.pool, amount })
    await trade(made)
    const shares = await held(made.pool, wallet)
    const { positions, block } = await bench.read(wallet)
    const [all, balances] = await vault.at(block).read<[Address[], bigint[]]>('getPoolTokens', made.id)
    const supply = await contractOf(chain, made.pool, supplyAbi).at(block).read('getVirtualSupply')
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
  const made = await create('stable', [usdc, dai], { [dai]: provider.address })
  await join(random.address(), made, true)
  await bench.recognise([evmAddress(made.pool)])
  for (const isRecovering of [false, true]) {
    const wallet = random.address()
    await setRate(ONE)
    await join(wallet, made)
    await trade(made)
    if (isRecovering) {
      await recoverBalancerPool(chain, balancer, made.pool)
      await setRate(ONE, true)
      await chain.travel(3_601)
    }
    const shares = await held(made.pool, wallet)
    const { positions } = await bench.read(wallet)
    expect(suppliedAt(positions, made.pool)).toEqual(await exitPays(wallet, made, shares, isRecovering))
  }
  await setRate(ONE)
})

it('a share inside another pool stays a share there, and is what it stands for', async () => {
  const inner = pools.weighted
  const made = await create('weighted', [inner.pool, link])
  const wallet = random.address()
  await join(wallet, inner)
  await erc20.allow(inner.pool, wallet, balancer.vault)
  await give(wallet, link, 5_000n * ONE, balancer.vault)
  const amounts = made.tokens.map((token) => (same(token, inner.pool) ? 10n * ONE : 5_000n * ONE))
  await joinBalancerPool(chain, wallet, balancer, made, { amounts, isFirst: true })
  await bench.recognise([evmAddress(made.pool)])
  const { positions } = await bench.read(wallet)
  const lies = suppliedAt(positions, made.pool)[evmAddress(inner.pool)] ?? 0n
  expect(lies).toBeGreaterThan(0n)
  const parts = await bench.decompose('balancer', inner.pool, lies)
  const exit = random.address()
  await erc20.transfer(inner.pool, wallet, exit, lies)
  expect(amountsOf(parts)).toEqual(await exitPays(exit, inner, lies))
  // The query refuses more than the supply: the amount is proportional.
  const whole = await bench.decompose('balancer', inner.pool, 10n ** 30n)
  expect(whole?.every(({ amountRaw }) => amountRaw > 0n)).toBe(true)
})

async function newThird(isMade: boolean, rated = provider.address) {
  const coins = [usdc, weth] as const
  const { logs } = await vault3.write(random.address(), 'create', coins, [zeroAddress, rated], isMade)
  const abi = parseAbi(['event PoolRegistered(address indexed pool)'])
  const pool = parseEventLogs({ abi, logs })[0]?.args.pool
  if (!pool) throw new Error('the vault made no pool')
  const [protocolContract] = await bench.recognise([evmAddress(pool)])
  return { pool, coins, protocolContract }
}

async function addThird(wallet: Address, { pool, coins }: Awaited<ReturnType<typeof newThird>>): Promise<bigint> {
  const amounts = coins.map((coin) => random.amount(1n, 9_000n * unitsOf(coin)))
  for (const [i, coin] of coins.entries()) await give(wallet, coin, amounts[i] ?? 0n, vault3.address)
  const shares = random.amount(1n, 10n ** 24n)
  await vault3.write(wallet, 'add', pool, amounts, shares)
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
    const paid = await paidBy(wallet, made.coins, () => vault3.write(wallet, 'removeProportional', made.pool, shares))
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
  const before = await bench.readPartly(wallet)
  expect(before.positions).toEqual([])
  expect(`${before.missing}`).toContain('could not be read')
  await vault3.write(wallet, 'setRecovering', made.pool, true)
  const { positions } = await bench.read(wallet)
  const paid = await paidBy(wallet, made.coins, () =>
    vault3.write(wallet, 'removeLiquidityRecovery', made.pool, shares),
  )
  expect(suppliedAt(positions, made.pool)).toEqual(paid)
  await setRate(ONE)
})

it('a stake in a gauge once, with emissions and rewards, and none where Aura stakes', async () => {
  const made = pools.weighted
  const wallet = random.address()
  const own = contractOf(chain, gauge, gaugeAbi)
  await plays.addReward(gauge, uni, wallet)
  await bench.recognise([evmAddress(gauge)])
  await join(wallet, made)
  const shares = await held(made.pool, wallet)
  await erc20.allow(made.pool, wallet, gauge)
  await own.write(wallet, 'deposit', shares / 2n)
  const { pid, pool: vaultOfAura } = await addConvexPool(chain, {
    ...{ booster: staking.booster, share: made.pool, crv: emitted, isVault: true },
  })
  await bench.recognise([evmAddress(vaultOfAura)])
  await erc20.allow(made.pool, wallet, staking.booster)
  await contractOf(chain, staking.booster, 'ConvexBooster').write(wallet, 'deposit', pid, shares - shares / 2n, true)
  await chain.travel(9 * DAY_SECONDS)
  const { positions, block } = await bench.read(wallet)
  const result = await own.at(block).simulate(random.address(), 'claimable_tokens', wallet)
  const reward = await own.at(block).read('claimable_reward', wallet, uni)
  expect(result).toBeGreaterThan(0n)
  expect(reward).toBeGreaterThan(0n)
  expect(positions.map(({ protocol, pool }) => [protocol, pool])).toEqual([
    ['balancer', evmAddress(gauge)],
    ['aura', evmAddress(vaultOfAura)],
  ])
  expect(positionAt(positions, gauge)).toMatchObject({ kind: 'farming', receipts: [evmAddress(gauge)] })
  expect(suppliedAt(positions, gauge)).toEqual(expectedAmounts([made.pool, shares / 2n]))
  expect(rewardsAt(positions, gauge)).toEqual(expectedAmounts([emitted, result], [uni, reward]))
  expect(suppliedAt(positions, vaultOfAura)).toEqual(expectedAmounts([made.pool, shares - shares / 2n]))
})

it('a stake in a gauge of 2022 of another chain, which a factory knows, with BAL that it has not fetched yet', async () => {
  const made = pools.stable
  const { gauge: address, streamer, stream } = await createRewardsGauge(chain, gauges, rewardsFactory, made.pool)
  const rewarding = contractOf(chain, address, gaugeAbi)
  const unknown = await createRewardsGauge(chain, gauges, await deployRewardsGauges(chain, gauges), made.pool)
  const found = await bench.recognise([address, unknown.gauge].map(evmAddress))
  expect(found.map((one) => one.address)).toEqual([address, made.pool].map(evmAddress))
  const wallet = random.address()
  await join(wallet, made)
  const shares = await held(made.pool, wallet)
  await erc20.allow(made.pool, wallet, address)
  await rewarding.write(wallet, 'deposit', shares)
  await plays.give(streamer, 777n * ONE)
  await stream()
  await chain.travel(3 * DAY_SECONDS)
  const { positions, block } = await bench.read(wallet)
  const args = [wallet, emitted] as const
  const result = await rewarding.at(block).simulate(wallet, 'claimable_reward_write', ...args)
  expect(await rewarding.at(block).read('claimable_reward', ...args)).toBe(0n)
  expect(result).toBeGreaterThan(0n)
  expect(rewardsAt(positions, address)).toEqual(expectedAmounts([emitted, result]))
  expect(suppliedAt(positions, address)).toEqual(expectedAmounts([made.pool, shares]))
})

/** Locks BAL for `weeks`. Returns the requested end. */
async function lockFor(wallet: Address, amount: bigint, weeks: number): Promise<bigint> {
  await plays.give(wallet, amount)
  const { timestamp } = await bench.client.getBlock()
  await plays.lock(wallet, amount, weeks)
  return timestamp + BigInt(weeks * WEEK_SECONDS)
}

it('a lock with the fees of each token, which its owner may keep others from claiming, and what is left of them later', async () => {
  const [wallet, payer] = [random.address(), random.address()]
  const amount = random.amount(ONE, 1_000n * ONE)
  await lockFor(random.address(), 50n * ONE, 50)
  const end = await lockFor(wallet, amount, 5)
  await chain.travel(2 * WEEK_SECONDS)
  await give(payer, usdc, 777_000_001n, distributor.address)
  await distributor.write(payer, 'depositToken', usdc, 777_000_001n)
  await chain.travel(2 * WEEK_SECONDS)
  const { positions, block } = await bench.read(wallet)
  const result = await distributor.at(block).simulate(payer, 'claimToken', wallet, usdc)
  expect(result).toBeGreaterThan(0n)
  expect(rewardsAt(positions, gauges.escrow)).toEqual(expectedAmounts([usdc, result]))
  expect(suppliedAt(positions, gauges.escrow)).toEqual(expectedAmounts([emitted, amount]))
  const unlockAt = Number(end - (end % BigInt(WEEK_SECONDS)))
  expect(positionAt(positions, gauges.escrow)).toMatchObject({ kind: 'locked', unlockAt })

  await distributor.write(wallet, 'setOnlyCallerCheck', true)
  const closed = await bench.readPartly(wallet)
  expect(suppliedAt(closed.positions, gauges.escrow)).toEqual(expectedAmounts([emitted, amount]))
  expect(`${closed.missing}`).toContain('owner alone')
  await distributor.write(wallet, 'setOnlyCallerCheck', false)

  await chain.travel(2 * WEEK_SECONDS)
  await plays.unlock(wallet)
  const left = positionAt((await bench.read(wallet)).positions, gauges.escrow)
  expect(left).toMatchObject({ supplied: [], rewards: [{ token: evmAddress(usdc) }] })
  expect(left?.unlockAt).toBeUndefined()
  const paid = await paidBy(wallet, [usdc], () => distributor.write(payer, 'claimToken', wallet, usdc))
  expect(amountsOf(left?.rewards)).toEqual(paid)
  expect((await bench.read(wallet)).positions).toEqual([])
})

it('takes nothing for a pool that no vault knows, and no other token', async () => {
  const other = await deployBalancer(chain, await deployGauges(chain, weth))
  const { pool } = await createBalancerPool(chain, other, { kind: 'weighted', coins: [usdc, weth] })
  expect(await bench.recognise([evmAddress(pool), evmAddress(usdc)])).toEqual([])
})

it('vouches for pools of known factories alone, and believes no other that says more is held than there is', async () => {
  const newUntrusted = async () => await deployOwn(chain, 'BalancerStranger', [balancer.vault])
  const [untrusted, other] = [await newUntrusted(), await newUntrusted()]
  const say = (at: typeof untrusted, id: Hex, amount: bigint, supply: bigint) =>
    at.write(zeroAddress, 'say', id, amount, supply)
  // Another pool's ID is not its own.
  await say(untrusted, pools.weighted.id, ONE, ONE)
  expect(await bench.recognise([evmAddress(untrusted.address)])).toEqual([])
  await say(untrusted, zeroHash, 10n ** 27n, ONE)
  const found = await bench.recognise([untrusted.address, pools.weighted.pool].map(evmAddress))
  const [row] = rows.map(bindProtocol)
  expect(found.map((protocolContract) => [protocolContract.address, row && isVouched(row, protocolContract)])).toEqual([
    [evmAddress(untrusted.address), false],
    [evmAddress(pools.weighted.pool), true],
  ])
  const third = await newThird(false)
  expect(third.protocolContract && row && isVouched(row, third.protocolContract)).toBe(false)
  const expectRefused = async ({ address }: typeof untrusted) => {
    const { positions, missing, refused } = await bench.readPartly(random.address())
    expect([positions, missing, refused]).toEqual([[], [expect.stringContaining('more of it')], [evmAddress(address)]])
  }
  await expectRefused(untrusted)
  await say(untrusted, zeroHash, 0n, ONE)

  // The third vault itself keeps the balances.
  await other.write(zeroAddress, 'register', vault3.address, usdc)
  await bench.recognise([evmAddress(other.address)])
  await say(other, zeroHash, ONE, ONE)
  await expectRefused(other)
  await say(other, zeroHash, 0n, ONE)
})

it('asks a wallet that has nothing there in the first batch alone', bench.expectNothing)

async function newOwner(): Promise<Address> {
  const wallet = random.address()
  for (const token of [usdc, dai, weth]) {
    await give(wallet, token, 5_000n * unitsOf(token), balancer.vault)
    await erc20.allow(token, wallet, vault3.address)
  }
  await erc20.allow(pairs.weighted.pool, wallet, pairGauge)
  return wallet
}

const third = (await newThird(true, zeroAddress)).pool

function joinPair(wallet: Address, made: BalancerPool, isFirst = false) {
  const amounts = made.tokens.map((token) => (same(token, made.pool) ? 0n : 2_000n * unitsOf(token)))
  return joinBalancerPool(chain, wallet, balancer, made, { amounts, isFirst })
}
for (const made of Object.values(pairs)) await joinPair(await newOwner(), made, true)

const { costs, summary, sums } = namedHistory(bench, () => ({
  ...{ native: NATIVE, usdc, dai, weth, uni, gauge: pairGauge, third, bal: emitted, escrow: gauges.escrow },
  ...{ weighted: pairs.weighted.pool, stable: pairs.stable.pool },
}))

it.each(['weighted', 'stable'] as const)('liquidity of a %s pool and the way back', async (kind) => {
  const made = pairs[kind]
  const coin = { weighted: 'weth', stable: 'dai' }[kind]
  const wallet = await newOwner()
  const found = await bench.played(wallet, async () => {
    await joinPair(wallet, made)
    const shares = await held(made.pool, wallet)
    await exitBalancerPool(chain, wallet, balancer, made, { shares: shares / 2n })
    await exitBalancerPool(chain, wallet, balancer, made, { shares: shares - shares / 2n })
  })
  const coins = [coin, 'usdc'].toSorted()
  const back = ['REMOVELIQUIDITY', 'balancer', ...coins.map((each) => `move +${each}`), `move -${kind}`]
  const into = ['ADDLIQUIDITY', 'balancer', `move +${kind}`, ...coins.map((each) => `move -${each}`)]
  expect(summary(found)).toEqual([into, back, back])
  expect(sums(found)[kind]).toBe(0n)
})

it('liquidity for the native coin, which the vault wraps, and back', async () => {
  const wallet = await newOwner()
  await bench.fund(wallet, parseEther('2'))
  const found = await bench.played(wallet, async () => {
    const amounts = pairs.weighted.tokens.map((token) => (same(token, weth) ? parseEther('2') : 0n))
    const wrapped = pairs.weighted.tokens.find((token) => same(token, weth)) ?? weth
    await joinBalancerPool(chain, wallet, balancer, pairs.weighted, { amounts, wrapped })
    const shares = await held(pairs.weighted.pool, wallet)
    await exitBalancerPool(chain, wallet, balancer, pairs.weighted, { shares, wrapped })
  })
  expect(summary(found)).toEqual([
    ['ADDLIQUIDITY', 'balancer', 'move +weighted', 'move -native'],
    ['REMOVELIQUIDITY', 'balancer', 'move +native', 'move +usdc', 'move -weighted'],
  ])
})

it('shares that a pool made for itself and trades alone: liquidity, no swap', async () => {
  const wallet = await newOwner()
  const { stable } = pairs
  const share = stable.pool
  const found = await bench.played(wallet, async () => {
    const amount = parseUnits('100', 6)
    await tradeInBalancerPool(chain, wallet, balancer, stable, { assetIn: usdc, assetOut: share, amount })
    const shares = await held(share, wallet)
    await tradeInBalancerPool(chain, wallet, balancer, stable, { assetIn: share, assetOut: dai, amount: shares })
    await tradeInBalancerPool(chain, wallet, balancer, stable, { assetIn: usdc, assetOut: dai, amount })
  })
  expect(summary(found)).toEqual([
    ['ADDLIQUIDITY', 'balancer', 'move +stable', 'move -usdc'],
    ['REMOVELIQUIDITY', 'balancer', 'move +dai', 'move -stable'],
    ['SWAP', 'balancer', 'swap +dai', 'swap -usdc'],
  ])
})

it('liquidity of the third vault', async () => {
  const wallet = await newOwner()
  const found = await bench.played(wallet, async () => {
    await vault3.write(wallet, 'add', third, [parseUnits('2000', 6), parseEther('1')], parseEther('100'))
    await vault3.write(wallet, 'removeProportional', third, parseEther('25'))
  })
  expect(summary(found)).toEqual([
    ['ADDLIQUIDITY', 'balancer', 'move +third', 'move -usdc', 'move -weth'],
    ['REMOVELIQUIDITY', 'balancer', 'move +usdc', 'move +weth', 'move -third'],
  ])
  expect(sums(found)).toEqual({ third: parseEther('75'), usdc: -parseUnits('1500', 6), weth: -parseEther('0.75') })
  const quotes = 'usdc:6 1 had 5000 at 1, weth 2000 had 5000 at 1500, third 35'
  // The deposit was 2,000 * 1 + 1 * 1,500. A quarter of it came back, by worth in halves: 500 USDC and 0.25 WETH at 500
  // USD each.
  expect(costs(wallet, quotes, found)).toEqual({
    held: { usdc: '3500 at 3437.5', weth: '4999.25 at 7498937.5', third: '75 at 2625' },
    ...unsold('7505000'),
  })
})

it('a stake with emissions and rewards, and the way back', async () => {
  const wallet = await newOwner()
  const joined = await bench.played(wallet, () => joinPair(wallet, pairs.weighted))
  const shares = await held(pairs.weighted.pool, wallet)
  await plays.addReward(pairGauge, uni, random.address())
  const found = await bench.played(wallet, async () => {
    await plays.stake(wallet, pairGauge, shares)
    await chain.travel(WEEK_SECONDS)
    await plays.mint(wallet, pairGauge)
    await plays.claim(wallet, pairGauge)
    await plays.unstake(wallet, pairGauge, shares)
  })
  expect(summary(found)).toEqual([
    ['STAKE', 'balancer', 'move +gauge', 'move -weighted'],
    ['CLAIM', 'balancer', 'income +bal'],
    ['CLAIM', 'balancer', 'income +uni'],
    ['UNSTAKE', 'balancer', 'move +weighted', 'move -gauge'],
  ])
  const moved = sums(found)
  expect(moved).toMatchObject({ weighted: 0n, gauge: 0n, bal: await held(emitted, wallet) })
  expect(moved['bal']).toBeGreaterThan(0n)

  const exited = await bench.played(wallet, () => exitBalancerPool(chain, wallet, balancer, pairs.weighted, { shares }))
  const [bal, beside] = [await held(emitted, wallet), await held(uni, wallet)]
  const quotes = 'usdc:6 1 had 5000 at 1, weth 2000 had 5000 at 1500, bal 7, uni 5'
  const income = 7n * bal + 5n * beside
  const dollars = expect.stringContaining(`${formatUnits(await held(usdc, wallet), 6)} at `)
  const ether = expect.stringContaining(`${formatEther(await held(weth, wallet))} at `)
  // 5,000 * 1 + 5,000 * 1,500.
  expect(costs(wallet, quotes, [...joined, ...found, ...exited])).toEqual({
    held: { usdc: dollars, weth: ether, bal: lot(bal, 7n), uni: lot(beside, 5n) },
    ...unsold(parseEther('7505000') + income, income),
  })
})

it('a lock, more of it, fees of several tokens in one claim, and its end', async () => {
  const [wallet, other, giver] = [random.address(), random.address(), random.address()]
  await plays.give(other, parseEther('50'))
  await plays.lock(other, parseEther('50'), 50)
  await plays.give(wallet, parseEther('10'))
  const found = await bench.played(wallet, async () => {
    await plays.lock(wallet, parseEther('5'), 4)
    await plays.addToLock(wallet, parseEther('5'))
    await chain.travel(2 * WEEK_SECONDS)
    await give(giver, usdc, parseUnits('700', 6), distributor.address)
    await plays.give(giver, parseEther('70'), distributor.address)
    await distributor.write(giver, 'depositToken', usdc, parseUnits('700', 6))
    await distributor.write(giver, 'depositToken', emitted, parseEther('70'))
    await chain.travel(WEEK_SECONDS)
    await distributor.write(wallet, 'claimTokens', wallet, [emitted, usdc])
    await chain.travel(2 * WEEK_SECONDS)
    await plays.unlock(wallet)
  })
  expect(summary(found)).toEqual([
    ['STAKE', 'balancer', 'move -bal', 'move escrow'],
    ['STAKE', 'balancer', 'move -bal', 'move escrow'],
    ['CLAIM', 'balancer', 'income +bal', 'income +usdc'],
    ['UNSTAKE', 'balancer', 'move +bal', 'move escrow'],
  ])
  const [ofBal, ofUsdc] = [await held(emitted, wallet), await held(usdc, wallet)]
  const earned = ofBal - parseEther('10')
  expect(sums(found)).toMatchObject({ usdc: ofUsdc, bal: earned })
  // Ten were bought at 4 USD and locked. Fees have the prices of their time.
  const income = 7n * earned + ofUsdc * 10n ** 12n
  const bought = parseEther('40')
  expect(costs(wallet, 'bal 7 had 10 at 4, usdc:6 1', found)).toEqual({
    held: { bal: `${formatEther(ofBal)} at ${formatEther(bought + 7n * earned)}`, usdc: lot(ofUsdc, 1n, 6) },
    ...unsold(bought + income, income),
  })
})
