import { addresses, type CurveKind, createGauge, deployCurvePool, deployGauges, ownArtifact } from '@coffer/devnet'
import { type Address, formatEther, formatUnits, parseAbi, parseEther, parseUnits } from 'viem'
import { expect, it } from 'vitest'
import { lot, unsold } from '../../../../../test/booked-costs.ts'
import { contractOf, deployOwn } from '../../../../../test/contract-of.ts'
import { gaugePlays } from '../../../../../test/gauge-plays.ts'
import { ownBench } from '../../../../../test/history-bench.ts'
import { namedHistory } from '../../../../../test/named-history.ts'
import { amountsOf, expectedAmounts } from '../../../../../test/protocol-bench.ts'
import { seededRandom } from '../../../../../test/random.ts'
import { evmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import type { ProtocolRow } from '../../../protocol-row.ts'

const DAY_SECONDS = 86_400
const WEEK_SECONDS = 7 * DAY_SECONDS
const COIN = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'
const { tokens } = addresses.ethereum
const { usdc, weth, uni } = tokens
const gaugeAbi = parseAbi([
  'function claimable_tokens(address owner) returns (uint256)',
  'function claimable_reward(address owner, address token) view returns (uint256)',
  'function add_reward(address token, address distributor)',
  'function deposit_reward_token(address token, uint256 amount)',
  'function killGauge()',
])

type Pool = { pool: Address; token: Address; coins: readonly Address[] }

const rows: ProtocolRow[] = []
const random = seededRandom('curve')
const bench = await ownBench(rows)
const { chain, client, give } = bench
const { erc20, native } = chain.actions

const registry = await deployOwn(chain, 'CurveRegistry')
const gauges = await deployGauges(chain, weth)
const plays = gaugePlays(bench, gauges)
const escrow = contractOf(
  chain,
  gauges.escrow,
  parseAbi([
    'function balanceOf(address owner) view returns (uint256)',
    'function locked(address owner) view returns (int128 amount, uint256 end)',
  ]),
)
const distributor = await deployOwn(chain, 'FeeDistributor', [usdc])

const unitsOf = (token: Address) => (token === tokens.usdc || token === tokens.usdt ? 10n ** 6n : 10n ** 18n)
const at = (pool: Address) => contractOf(chain, pool, 'CurvePool')
const register = ({ token, pool }: Omit<Pool, 'coins'>) => registry.write(random.address(), 'register', token, pool)

/** A pool with another provider's liquidity, in the registry by default. */
async function openPool(coins: readonly Address[], kind: CurveKind = {}, isRegistered = true): Promise<Pool> {
  const made = { ...(await deployCurvePool(chain, coins, kind)), coins }
  if (isRegistered) await register(made)
  await add(random.address(), made, 500_000n)
  return made
}

/** By shares that are coins of other pools. */
const bases = new Map<Address, Pool>()

/** `whole`: units of each coin. */
async function add(wallet: Address, { pool, token, coins }: Pool, whole: bigint): Promise<bigint> {
  const amounts = coins.map((coin) => whole * unitsOf(coin))
  for (const [i, coin] of coins.entries()) {
    const amount = amounts[i] ?? 0n
    const base = bases.get(coin)
    if (coin === COIN) await native.give(wallet, amount)
    else if (base) await add(wallet, base, 2n * whole)
    else await erc20.mint(coin, wallet, amount)
    if (coin !== COIN) await erc20.allow(coin, wallet, pool)
  }
  const value = coins.includes(COIN) ? whole * 10n ** 18n : 0n
  await at(pool).pay(wallet, value, 'add_liquidity', amounts, 1_000n * whole * 10n ** 15n)
  return erc20.balanceOf(token, wallet)
}

/** A random trade, which earns the administrator a fee. */
async function trade({ pool, coins: [sold = NATIVE] }: Pool): Promise<void> {
  const trader = random.address()
  const amount = random.amount(1n, 90_000n * unitsOf(sold))
  await give(trader, sold, amount, pool)
  await at(pool).write(trader, 'exchange', 0n, 1n, amount)
}

/** The pool's own payout for all shares of the wallet. */
async function withdrawn(wallet: Address, { pool, token, coins }: Pool) {
  const args = [await erc20.balanceOf(token, wallet), coins.map(() => 0n)] as const
  const result = await at(pool).simulate<bigint[]>(wallet, 'remove_liquidity', ...args)
  return expectedAmounts(...coins.map((coin, i) => [coin === COIN ? NATIVE : coin, result[i] ?? 0n] as const))
}

/** Sends a random part of the shares away, so no amount is round. */
async function part(wallet: Address, { token }: Pool): Promise<void> {
  const all = await erc20.balanceOf(token, wallet)
  await erc20.transfer(token, wallet, random.address(), random.amount(1n, all - 1n))
}

async function stake(wallet: Address, gauge: Address, token: Address, amount: bigint): Promise<void> {
  await erc20.allow(token, wallet, gauge)
  await plays.stake(wallet, gauge, amount)
}

const claimable = (gauge: Address, wallet: Address) =>
  contractOf(chain, gauge, gaugeAbi).simulate(NATIVE, 'claimable_tokens', wallet)

const known = (...contracts: readonly Address[]) => bench.recognise(contracts.map(evmAddress))

const stable = await openPool([tokens.usdc, tokens.dai])
bases.set(stable.token, stable)
const pools = {
  stable,
  crypto: await openPool([tokens.usdc, tokens.weth], { isCrypto: true }),
  old: await openPool([tokens.dai, tokens.usdt], { isOld: true }),
  native: await openPool([COIN, tokens.weth]),
  meta: await openPool([tokens.usdt, stable.token]),
  rebasing: await openPool([tokens.usdt, tokens.dai], { isRebasing: true }),
}
/** Two more, for histories: without other providers, and with gauges that issue a token and none. */
const { pool, token: share } = await deployCurvePool(chain, [usdc, weth], { isCrypto: true })
await register({ pool, token: share })
const gauge = await createGauge(chain, gauges, share)
const [firstGauge, silent] = [
  await chain.deploy(ownArtifact('CurveGauge'), [pools.old.token, 10n ** 15n]),
  await chain.deploy(ownArtifact('CurveGauge'), [share, 10n ** 15n]),
]
rows.push({
  ...{ family: 'curve', key: 'curve', name: 'Curve', chain: 'ethereum' },
  deployment: {
    ...{ registry: registry.address, stableFactories: [registry.address], cryptoFactories: [registry.address] },
    pools: [
      { name: 'old', pool: pools.old.pool, token: pools.old.token, gauge: firstGauge },
      { name: 'first', pool, token: share, gauge: silent },
    ],
    gauges: { controller: gauges.controller, minter: gauges.minter, emitted: gauges.token },
    escrow: {
      escrow: gauges.escrow,
      token: gauges.token,
      distributors: [{ address: distributor.address, token: usdc }],
    },
  },
})
await bench.discover()
await known(...Object.values(pools).map(({ token }) => token), gauge)

it.each(['stable', 'crypto', 'old', 'native', 'rebasing'] as const)(
  'reads random shares of a pool (%s) as what it would pay for them',
  async (name) => {
    const wallet = random.address()
    for (let round = 0; round < 3; round += 1) {
      await add(wallet, pools[name], random.amount(1n, 90_000n))
      await part(wallet, pools[name])
      if (name !== 'native' && name !== 'old') await trade(pools[name])
      const { positions, batches } = await bench.read(wallet)
      expect(positions.map(({ kind, pool, receipts }) => ({ kind, pool, receipts }))).toEqual([
        { kind: 'liquidity', pool: evmAddress(pools[name].pool), receipts: [evmAddress(pools[name].token)] },
      ])
      expect(amountsOf(positions[0]?.supplied)).toEqual(await withdrawn(wallet, pools[name]))
      expect(batches).toBe(2)
    }
  },
)

it('pays the whole rest for all shares of a crypto pool', async () => {
  const coins = [usdc, weth]
  const own = { ...(await deployCurvePool(chain, coins, { isCrypto: true })), coins }
  await register(own)
  const wallet = random.address()
  await add(wallet, own, 7n)
  await known(own.token)
  const { positions } = await bench.read(wallet)
  const all = expectedAmounts([tokens.usdc, 7n * 10n ** 6n], [tokens.weth, 7n * 10n ** 18n])
  expect(amountsOf(positions[0]?.supplied)).toEqual(all)
})

it('shows what was given to a pool that counts what lies in it, and not elsewhere', async () => {
  const wallet = random.address()
  await add(wallet, pools.rebasing, 1_000n)
  await add(wallet, pools.stable, 1_000n)
  for (const each of [pools.rebasing, pools.stable]) await erc20.mint(tokens.dai, each.pool, parseEther('5'))
  const { positions } = await bench.read(wallet)
  const seen = new Map(positions.map(({ pool, supplied }) => [pool, amountsOf(supplied)]))
  for (const each of [pools.rebasing, pools.stable])
    expect(seen.get(evmAddress(each.pool))).toEqual(await withdrawn(wallet, each))
})

/** A wallet with 4 of the 10 shares of a pool of 1,000 and 2,003 units. */
async function holderOfFew(kind: CurveKind) {
  const coins = [tokens.dai, tokens.uni] as const
  const made = await deployCurvePool(chain, coins, kind)
  const [first, wallet] = [random.address(), random.address()]
  await give(first, tokens.dai, 1_000n, made.pool)
  await give(first, tokens.uni, 2_003n, made.pool)
  await at(made.pool).write(first, 'add_liquidity', [1_000n, 2_003n], 10n)
  await erc20.transfer(made.token, first, wallet, 4n)
  await register(made)
  await known(made.token)
  const { positions } = await bench.read(wallet)
  return { wallet, pool: { ...made, coins }, supplied: amountsOf(positions[0]?.supplied) }
}

it('counts a stable pool by all shares, and a crypto pool by one share less', async () => {
  const stable = await holderOfFew({})
  expect(stable.supplied).toEqual(expectedAmounts([tokens.dai, 400n], [tokens.uni, 801n]))
  expect(stable.supplied).toEqual(await withdrawn(stable.wallet, stable.pool))
  const crypto = await holderOfFew({ isCrypto: true })
  expect(crypto.supplied).toEqual(expectedAmounts([tokens.dai, 300n], [tokens.uni, 600n]))
  expect(crypto.supplied).toEqual(await withdrawn(crypto.wallet, crypto.pool))
})

it('calls a pool that takes only int128 indices with them', async () => {
  const { supplied, pool } = await holderOfFew({ isOld: true })
  await expect(at(pool.pool).read('balances', 0n)).rejects.toThrow('reverted')
  expect(supplied).toEqual(expectedAmounts([tokens.dai, 400n], [tokens.uni, 801n]))
})

it('shows a pool that a dead coin filled as the little that is left of the other', async () => {
  const made = await openPool([tokens.usdc, tokens.uni])
  const [wallet, seller] = [random.address(), random.address()]
  await add(wallet, made, 500_000n)
  const sold = parseEther('999000000')
  await give(seller, tokens.uni, sold, made.pool)
  await at(made.pool).write(seller, 'exchange', 1n, 0n, sold)
  await known(made.token)
  const { positions } = await bench.read(wallet)
  // The pool had 1,000,000 USDC. 999,000 less a fee of 399.6 left it, and half of the fee is the administrator's.
  const left = expectedAmounts([tokens.usdc, 599_900_000n], [tokens.uni, parseEther('500000000')])
  expect(amountsOf(positions[0]?.supplied)).toEqual(left)
})

it('reads the unchanged balances of a pool while another contract sends it coins', async () => {
  const victim = await openPool([tokens.uni, tokens.dai], { isRebasing: true })
  const wallet = random.address()
  const trap = await chain.deploy(ownArtifact('ReentrantPool'), [tokens.dai, victim.pool, wallet])
  await erc20.mint(tokens.dai, trap, parseEther('1000000'))
  await register({ token: trap, pool: trap })
  await known(trap, victim.token)
  await add(wallet, victim, 500_000n)
  const { positions } = await bench.read(wallet)
  const seen = new Map(positions.map(({ pool, supplied }) => [pool, amountsOf(supplied)]))
  const whole = parseEther('500000')
  expect(seen.get(evmAddress(victim.pool))).toEqual(expectedAmounts([tokens.uni, whole], [tokens.dai, whole]))
  expect(seen.get(evmAddress(trap))).toEqual(expectedAmounts([tokens.dai, whole]))
})

it('names the share of the base pool in a pool over it, and knows that share without a log', async () => {
  const meta = await openPool([tokens.dai, pools.stable.token])
  const found = await known(meta.token)
  expect(found.map(({ address }) => address)).toContain(evmAddress(pools.stable.token))
  const wallet = random.address()
  await add(wallet, meta, 40n)
  const { positions } = await bench.read(wallet)
  const { supplied = [] } = positions.find(({ pool }) => pool === evmAddress(meta.pool)) ?? {}
  expect(amountsOf(supplied)).toEqual(await withdrawn(wallet, meta))
  expect(Object.keys(amountsOf(supplied))).toContain(evmAddress(pools.stable.token))
})

it('takes pools of factories that are their own shares, by either kind of factory', async () => {
  await registry.write(random.address(), 'makeStable', tokens.nova, 2n)
  await registry.write(random.address(), 'makeCrypto', tokens.orphan, [usdc, weth])
  // A factory vouches for them, but they have no coins: they are no protocol contracts.
  expect(await known(tokens.nova, tokens.orphan)).toEqual([])
})

it('ignores untrusted pools and gauges, regardless of their answers', async () => {
  const spoof = await openPool([tokens.usdc, tokens.weth], {}, false)
  const unvoted = await createGauge(chain, gauges, pools.stable.token, false)
  const unlisted = await chain.deploy(ownArtifact('CurveGauge'), [pools.stable.token, 1n])
  expect(await known(spoof.token, spoof.pool, unvoted, unlisted)).toEqual([])
})

it('reads random stakes in a gauge with what it emits and rewards, to the unit', async () => {
  const own = contractOf(chain, await createGauge(chain, gauges, pools.crypto.token), gaugeAbi)
  const [wallet, giver] = [random.address(), random.address()]
  await own.write(gauges.adaptor, 'add_reward', uni, giver)
  await give(giver, uni, parseEther('7000'), own.address)
  await known(own.address)
  await chain.travel(WEEK_SECONDS)
  await own.write(giver, 'deposit_reward_token', uni, parseEther('7000'))
  for (let round = 0; round < 3; round += 1) {
    const amount = await add(wallet, pools.crypto, random.amount(1n, 9_000n))
    await stake(wallet, own.address, pools.crypto.token, random.amount(1n, amount))
    await chain.travel(Number(random.amount(60n, BigInt(2 * DAY_SECONDS))))
    const staked = await erc20.balanceOf(own.address, wallet)
    const { positions } = await bench.read(wallet)
    const farm = positions.find(({ kind }) => kind === 'farming')
    expect(farm).toMatchObject({ pool: evmAddress(own.address), receipts: [evmAddress(own.address)] })
    expect(amountsOf(farm?.supplied)).toEqual(expectedAmounts([pools.crypto.token, staked]))
    const emitted = await claimable(own.address, wallet)
    expect(emitted).toBeGreaterThan(0n)
    const rewarded = await own.read('claimable_reward', wallet, uni)
    expect(amountsOf(farm?.rewards)).toEqual(expectedAmounts([gauges.token, emitted], [uni, rewarded]))
    // Staked shares are in one position, others in the second.
    expect(positions.length).toBe((await erc20.balanceOf(pools.crypto.token, wallet)) > 0n ? 2 : 1)
  }
  await own.write(gauges.adaptor, 'killGauge')
  const killed = (await bench.read(wallet)).positions.find(({ kind }) => kind === 'farming')
  expect(killed?.supplied).toHaveLength(1)
})

it('reads rewards that remain in a gauge after the stake was withdrawn', async () => {
  const own = await createGauge(chain, gauges, pools.native.token)
  await known(own)
  const wallet = random.address()
  await chain.travel(WEEK_SECONDS)
  const amount = await add(wallet, pools.native, 20n)
  await stake(wallet, own, pools.native.token, amount)
  await chain.travel(DAY_SECONDS)
  await plays.unstake(wallet, own, amount)
  const left = await claimable(own, wallet)
  const farm = (await bench.read(wallet)).positions.find(({ kind }) => kind === 'farming')
  expect(farm).toMatchObject({
    supplied: [],
    receipts: [],
    rewards: [{ token: evmAddress(gauges.token), amountRaw: left }],
  })
})

it('reads a gauge of the first version, although no log names the wallet', async () => {
  const wallet = random.address()
  const amount = await add(wallet, pools.old, random.amount(1n, 900n))
  await stake(wallet, firstGauge, pools.old.token, amount)
  await chain.travel(DAY_SECONDS)
  const { positions } = await bench.read(wallet, { keys: [] })
  expect(positions).toMatchObject([{ kind: 'farming', pool: evmAddress(firstGauge), receipts: [] }])
  expect(amountsOf(positions[0]?.supplied)).toEqual(expectedAmounts([pools.old.token, amount]))
  expect(amountsOf(positions[0]?.rewards)).toEqual(expectedAmounts([gauges.token, await claimable(firstGauge, wallet)]))
})

it('shows what is locked until it is taken out, never the votes, and the fees', async () => {
  for (const whole of [1n, 977n, 31_337n]) {
    const wallet = random.address()
    const amount = whole * 10n ** 18n + random.amount(0n, 10n ** 18n)
    await plays.give(wallet, amount)
    await plays.lock(wallet, amount, 20)
    await erc20.mint(usdc, distributor.address, 55n * whole)
    await distributor.write(wallet, 'credit', wallet, 55n * whole)
    const [locked, end] = await escrow.read<[bigint, bigint]>('locked', wallet)
    expect(locked).toBe(amount)
    const position = {
      ...{ kind: 'locked', unlockAt: Number(end), receipts: [] },
      supplied: [{ token: evmAddress(gauges.token), amountRaw: amount }],
      rewards: [{ token: evmAddress(usdc), amountRaw: 55n * whole }],
    }
    expect((await bench.read(wallet)).positions).toMatchObject([position])
    const snapshot = await client.snapshot()
    await chain.travel(21 * WEEK_SECONDS)
    expect(await escrow.read('balanceOf', wallet)).toBe(0n)
    expect((await bench.read(wallet)).positions).toMatchObject([position])
    await client.revert({ id: snapshot })
  }
})

it('costs a wallet without anything one batch', bench.expectNothing)

async function newOwner(): Promise<Address> {
  const wallet = random.address()
  await give(wallet, usdc, parseUnits('3000', 6), pool)
  await give(wallet, weth, parseEther('1'), pool)
  for (const spender of [gauge, silent]) await erc20.allow(share, wallet, spender)
  return wallet
}

const addBoth = (wallet: Address) =>
  at(pool).write(wallet, 'add_liquidity', [parseUnits('3000', 6), parseEther('1')], parseEther('100'))
const held = (wallet: Address) => erc20.balanceOf(share, wallet)
const { costs, summary, sums } = namedHistory(bench, () => ({
  ...{ share, gauge, silent, usdc, weth, uni, crv: gauges.token, escrow: gauges.escrow },
}))

it('liquidity, a stake with emissions and rewards, and the way back', async () => {
  const wallet = await newOwner()
  await plays.addReward(gauge, uni, random.address())
  const found = await bench.played(wallet, async () => {
    await addBoth(wallet)
    const amount = await held(wallet)
    await plays.stake(wallet, gauge, amount)
    await chain.travel(86_400)
    await plays.mint(wallet, gauge)
    await chain.travel(86_400)
    // The minter logs cumulative amounts.
    await plays.mint(wallet, gauge)
    await plays.claim(wallet, gauge)
    await plays.unstake(wallet, gauge, amount)
    await at(pool).write(wallet, 'remove_liquidity', amount, [0n, 0n])
  })
  expect(summary(found)).toEqual([
    ['ADDLIQUIDITY', 'curve', 'move +share', 'move -usdc', 'move -weth'],
    ['STAKE', 'curve', 'move +gauge', 'move -share'],
    ['CLAIM', 'curve', 'income +crv'],
    ['CLAIM', 'curve', 'income +crv'],
    ['CLAIM', 'curve', 'income +uni'],
    ['UNSTAKE', 'curve', 'move +share', 'move -gauge'],
    ['REMOVELIQUIDITY', 'curve', 'move +usdc', 'move +weth', 'move -share'],
  ])
  const { balanceOf } = erc20
  const [ofUsdc, ofWeth] = [await balanceOf(usdc, wallet), await balanceOf(weth, wallet)]
  const [ofUni, ofCrv] = [await balanceOf(uni, wallet), await balanceOf(gauges.token, wallet)]
  expect(sums(found)).toEqual({
    ...{ share: 0n, gauge: 0n, usdc: ofUsdc - parseUnits('3000', 6), weth: ofWeth - parseEther('1') },
    ...{ uni: ofUni, crv: ofCrv },
  })
  const quotes = 'usdc:6 1 had 3000 at 1, weth 3000 had 1 at 2000, crv 2, uni 5'
  const income = 2n * ofCrv + 5n * ofUni
  // The returned tokens share the cost by worth.
  const usdc6 = expect.stringContaining(`${formatUnits(ofUsdc, 6)} at `)
  const ether = expect.stringContaining(`${formatEther(ofWeth)} at `)
  // 3,000 * 1 + 1 * 2,000, and the claimed rewards.
  expect(costs(wallet, quotes, found)).toEqual({
    held: { usdc: usdc6, weth: ether, crv: lot(ofCrv, 2n), uni: lot(ofUni, 5n) },
    ...unsold(parseEther('5000') + income, income),
  })
})

it('a stake in a gauge that issues no token', async () => {
  const wallet = await newOwner()
  await addBoth(wallet)
  const amount = await held(wallet)
  const found = await bench.played(wallet, async () => {
    await plays.stake(wallet, silent, amount)
    await plays.unstake(wallet, silent, amount / 4n)
  })
  expect(summary(found)).toEqual([
    ['STAKE', 'curve', 'move -share', 'move silent'],
    ['UNSTAKE', 'curve', 'move +share', 'move silent'],
  ])
  const out = amount / 4n
  expect(costs(wallet, `share 50 had ${formatEther(amount)} at 40`, found)).toEqual({
    held: { share: lot(out, 40n), 'share in a position': lot(amount - out, 40n) },
    ...unsold(40n * amount),
  })
})

it('a lock for votes, more of it, fees, and what was locked', async () => {
  const wallet = random.address()
  await plays.give(wallet, parseEther('100'))
  await erc20.mint(usdc, distributor.address, 1_234n)
  const locked = await bench.played(wallet, async () => {
    await plays.lock(wallet, parseEther('60'), 5)
    await plays.addToLock(wallet, parseEther('30'))
    await distributor.write(random.address(), 'credit', wallet, 1_234n)
    await distributor.write(wallet, 'claim', wallet)
  })
  const quotes = 'crv 3 had 100 at 2, usdc:6 1'
  expect(costs(wallet, quotes, locked).held).toEqual({
    ...{ crv: '10 at 20', 'crv in a position': '90 at 180', usdc: '0.001234 at 0.001234' },
  })
  const unlocked = await bench.played(wallet, async () => {
    await chain.travel(6 * WEEK_SECONDS)
    await plays.unlock(wallet)
  })
  const found = [...locked, ...unlocked]
  expect(summary(found)).toEqual([
    ['STAKE', 'curve', 'move -crv', 'move escrow'],
    ['STAKE', 'curve', 'move -crv', 'move escrow'],
    ['CLAIM', 'curve', 'income +usdc'],
    ['UNSTAKE', 'curve', 'move +crv', 'move escrow'],
  ])
  expect(costs(wallet, quotes, found)).toEqual({
    held: { crv: '100 at 200', usdc: '0.001234 at 0.001234' },
    ...unsold('200.001234', '0.001234'),
  })
})
