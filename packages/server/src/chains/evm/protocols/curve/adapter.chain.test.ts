import {
  addresses,
  type CurveKind,
  createGauge,
  deployCurvePool,
  deployGauges,
  type Gauges,
  ownArtifact,
} from '@coffer/devnet'
import { type Address, parseAbi, parseEther } from 'viem'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { amountsOf, expectedAmounts, openProtocolBench } from '../../../../../test/protocol-bench.ts'
import { seededRandom } from '../../../../../test/random.ts'
import { evmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import type { ProtocolRow } from '../../../protocol-row.ts'

const DAY_SECONDS = 86_400
const WEEK_SECONDS = 7 * DAY_SECONDS
const COIN = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'
const { tokens } = addresses.ethereum
const poolAbi = parseAbi([
  'function add_liquidity(uint256[] amounts, uint256 first) payable returns (uint256)',
  'function remove_liquidity(uint256 burn, uint256[] least) returns (uint256[])',
  'function exchange(uint256 i, uint256 j, uint256 amount) returns (uint256)',
])
const registryAbi = parseAbi([
  'function register(address token, address pool)',
  'function makeStable(address pool, uint256 count)',
  'function makeCrypto(address pool, address[2] coins)',
])
const gaugeAbi = parseAbi([
  'function deposit(uint256 amount)',
  'function withdraw(uint256 amount)',
  'function claimable_tokens(address owner) returns (uint256)',
  'function claimable_reward(address owner, address token) view returns (uint256)',
  'function add_reward(address token, address distributor)',
  'function deposit_reward_token(address token, uint256 amount)',
  'function killGauge()',
])
const escrowAbi = parseAbi([
  'function create_lock(uint256 amount, uint256 end)',
  'function balanceOf(address owner) view returns (uint256)',
  'function locked(address owner) view returns (int128 amount, uint256 end)',
])
const distributorAbi = parseAbi(['function credit(address owner, uint256 amount)'])
const tokenAbi = parseAbi(['function transfer(address to, uint256 amount) returns (bool)'])

type Pool = { pool: Address; token: Address; coins: readonly Address[] }

const rows: ProtocolRow[] = []
const random = seededRandom('curve')
let bench: Awaited<ReturnType<typeof openProtocolBench>>
let registry: Address
let gauges: Gauges
let distributor: Address
let firstGauge: Address
let pools: Record<'stable' | 'crypto' | 'old' | 'native' | 'meta' | 'rebasing', Pool>

const unitsOf = (token: Address) => (token === tokens.usdc || token === tokens.usdt ? 10n ** 6n : 10n ** 18n)

/** A pool with another provider's liquidity, in the registry by default. */
async function openPool(coins: readonly Address[], kind: CurveKind = {}, isRegistered = true): Promise<Pool> {
  const made = { ...(await deployCurvePool(bench.chain, coins, kind)), coins }
  const args = [made.token, made.pool] as const
  const enter = { from: random.address(), address: registry, abi: registryAbi, functionName: 'register', args } as const
  if (isRegistered) await bench.chain.write(enter)
  await add(random.address(), made, 500_000n)
  return made
}

/** `whole`: units of each coin. */
async function add(wallet: Address, { pool, token, coins }: Pool, whole: bigint): Promise<bigint> {
  const { erc20, native } = bench.chain.actions
  const amounts = coins.map((coin) => whole * unitsOf(coin))
  for (const [i, coin] of coins.entries()) {
    if (coin === COIN) await native.give(wallet, amounts[i] ?? 0n)
    else {
      if (coin === pools?.stable.token) await add(wallet, pools.stable, 2n * whole)
      else await erc20.mint(coin, wallet, amounts[i] ?? 0n)
      await erc20.allow(coin, wallet, pool)
    }
  }
  const value = coins.includes(COIN) ? whole * 10n ** 18n : 0n
  const args = [amounts, 1_000n * whole * 10n ** 15n] as const
  await bench.chain.write({ from: wallet, address: pool, abi: poolAbi, functionName: 'add_liquidity', args, value })
  return erc20.balanceOf(token, wallet)
}

/** A random trade, which earns the administrator a fee. */
async function trade({ pool, coins: [give = NATIVE] }: Pool): Promise<void> {
  const { erc20 } = bench.chain.actions
  const trader = random.address()
  const amount = random.amount(1n, 90_000n * unitsOf(give))
  await erc20.mint(give, trader, amount)
  await erc20.allow(give, trader, pool)
  const args = [0n, 1n, amount] as const
  await bench.chain.write({ from: trader, address: pool, abi: poolAbi, functionName: 'exchange', args })
}

/** The pool's own payout for all shares of the wallet. */
async function withdrawn(wallet: Address, { pool, token, coins }: Pool) {
  const burn = await bench.chain.actions.erc20.balanceOf(token, wallet)
  const least = coins.map(() => 0n)
  const call = { account: wallet, address: pool, abi: poolAbi, functionName: 'remove_liquidity' } as const
  const { result } = await bench.client.simulateContract({ ...call, args: [burn, least] })
  return expectedAmounts(...coins.map((coin, i) => [coin === COIN ? NATIVE : coin, result[i] ?? 0n] as const))
}

/** Sends a random part of the shares away, so no amount is round. */
async function part(wallet: Address, { token }: Pool): Promise<void> {
  const all = await bench.chain.actions.erc20.balanceOf(token, wallet)
  const args = [random.address(), random.amount(1n, all - 1n)] as const
  await bench.chain.write({ from: wallet, address: token, abi: tokenAbi, functionName: 'transfer', args })
}

async function stake(wallet: Address, gauge: Address, token: Address, amount: bigint): Promise<void> {
  await bench.chain.actions.erc20.allow(token, wallet, gauge)
  await bench.chain.write({ from: wallet, address: gauge, abi: gaugeAbi, functionName: 'deposit', args: [amount] })
}

async function claimable(gauge: Address, wallet: Address): Promise<bigint> {
  const call = { account: NATIVE, address: gauge, abi: gaugeAbi, functionName: 'claimable_tokens' } as const
  return (await bench.client.simulateContract({ ...call, args: [wallet] })).result
}

const known = (...contracts: readonly Address[]) => bench.recognise(contracts.map(evmAddress))

beforeAll(async () => {
  bench = await openProtocolBench(inject('devnetState'), rows)
  const { chain } = bench
  registry = await chain.deploy(ownArtifact('CurveRegistry'))
  gauges = await deployGauges(chain, tokens.weth)
  distributor = await chain.deploy(ownArtifact('FeeDistributor'), [tokens.usdc])
  const stable = await openPool([tokens.usdc, tokens.dai])
  pools = { stable } as typeof pools
  pools.crypto = await openPool([tokens.usdc, tokens.weth], { isCrypto: true })
  pools.old = await openPool([tokens.dai, tokens.usdt], { isOld: true })
  pools.native = await openPool([COIN, tokens.weth])
  pools.meta = await openPool([tokens.usdt, stable.token])
  pools.rebasing = await openPool([tokens.usdt, tokens.dai], { isRebasing: true })
  firstGauge = await chain.deploy(ownArtifact('CurveGauge'), [pools.old.token, 10n ** 15n])
  const { controller, minter, token: emitted, escrow } = gauges
  const listed = { name: 'old', pool: pools.old.pool, token: pools.old.token, gauge: firstGauge }
  rows.push({
    ...{ family: 'curve', key: 'curve', name: 'Curve', chain: 'ethereum' },
    deployment: {
      ...{ registry, stableFactories: [registry], cryptoFactories: [registry], pools: [listed] },
      gauges: { controller, minter, emitted },
      escrow: { escrow, token: emitted, distributors: [{ address: distributor, token: tokens.usdc }] },
    },
  })
  await bench.discover()
  await known(...Object.values(pools).map(({ token }) => token))
})
afterAll(() => bench?.stop())

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
      expect(amountsOf(positions[0]?.supplied ?? [])).toEqual(await withdrawn(wallet, pools[name]))
      expect(batches).toBe(2)
    }
  },
)

it('pays the whole rest for all shares of a crypto pool', async () => {
  const { pool, token } = await deployCurvePool(bench.chain, [tokens.usdc, tokens.weth], { isCrypto: true })
  const own = { pool, token, coins: [tokens.usdc, tokens.weth] }
  const args = [token, pool] as const
  await bench.chain.write({ from: pool, address: registry, abi: registryAbi, functionName: 'register', args })
  const wallet = random.address()
  await add(wallet, own, 7n)
  await known(token)
  const { positions } = await bench.read(wallet)
  const all = expectedAmounts([tokens.usdc, 7n * 10n ** 6n], [tokens.weth, 7n * 10n ** 18n])
  expect(amountsOf(positions[0]?.supplied ?? [])).toEqual(all)
})

it('shows what was given to a pool that counts what lies in it, and not elsewhere', async () => {
  const wallet = random.address()
  await add(wallet, pools.rebasing, 1_000n)
  await add(wallet, pools.stable, 1_000n)
  for (const { pool } of [pools.rebasing, pools.stable])
    await bench.chain.actions.erc20.mint(tokens.dai, pool, parseEther('5'))
  const { positions } = await bench.read(wallet)
  const seen = new Map(positions.map(({ pool, supplied }) => [pool, amountsOf(supplied)]))
  for (const each of [pools.rebasing, pools.stable])
    expect(seen.get(evmAddress(each.pool))).toEqual(await withdrawn(wallet, each))
})

/** A wallet with 4 of the 10 shares of a pool of 1,000 and 2,003 units. */
async function holderOfFew(kind: CurveKind) {
  const coins = [tokens.dai, tokens.uni] as const
  const made = await deployCurvePool(bench.chain, coins, kind)
  const [first, wallet] = [random.address(), random.address()]
  const write = { from: first, abi: [...poolAbi, ...registryAbi, ...tokenAbi] } as const
  for (const [coin, amount] of [
    [tokens.dai, 1_000n],
    [tokens.uni, 2_003n],
  ] as const) {
    await bench.chain.actions.erc20.mint(coin, first, amount)
    await bench.chain.actions.erc20.allow(coin, first, made.pool)
  }
  const amounts = [1_000n, 2_003n] as const
  await bench.chain.write({ ...write, address: made.pool, functionName: 'add_liquidity', args: [amounts, 10n] })
  await bench.chain.write({ ...write, address: made.token, functionName: 'transfer', args: [wallet, 4n] })
  await bench.chain.write({ ...write, address: registry, functionName: 'register', args: [made.token, made.pool] })
  await known(made.token)
  const { positions } = await bench.read(wallet)
  return { wallet, pool: { ...made, coins }, supplied: amountsOf(positions[0]?.supplied ?? []) }
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
  const abi = parseAbi(['function balances(uint256 i) view returns (uint256)'])
  const unsigned = { address: pool.pool, abi, functionName: 'balances', args: [0n] } as const
  await expect(bench.client.readContract(unsigned)).rejects.toThrow('reverted')
  expect(supplied).toEqual(expectedAmounts([tokens.dai, 400n], [tokens.uni, 801n]))
})

it('shows a pool that a dead coin filled as the little that is left of the other', async () => {
  const { erc20 } = bench.chain.actions
  const made = await openPool([tokens.usdc, tokens.uni])
  const [wallet, seller] = [random.address(), random.address()]
  await add(wallet, made, 500_000n)
  const sold = parseEther('999000000')
  await erc20.mint(tokens.uni, seller, sold)
  await erc20.allow(tokens.uni, seller, made.pool)
  const args = [1n, 0n, sold] as const
  await bench.chain.write({ from: seller, address: made.pool, abi: poolAbi, functionName: 'exchange', args })
  await known(made.token)
  const { positions } = await bench.read(wallet)
  // The pool had 1,000,000 USDC. 999,000 less a fee of 399.6 left it, and half of the fee is the administrator's.
  const left = expectedAmounts([tokens.usdc, 599_900_000n], [tokens.uni, parseEther('500000000')])
  expect(amountsOf(positions[0]?.supplied ?? [])).toEqual(left)
})

it('reads the unchanged balances of a pool while another contract sends it coins', async () => {
  const { chain } = bench
  const victim = await openPool([tokens.uni, tokens.dai], { isRebasing: true })
  const wallet = random.address()
  const trap = await chain.deploy(ownArtifact('ReentrantPool'), [tokens.dai, victim.pool, wallet])
  await chain.actions.erc20.mint(tokens.dai, trap, parseEther('1000000'))
  const write = { from: random.address(), address: registry, abi: registryAbi } as const
  await chain.write({ ...write, functionName: 'register', args: [trap, trap] })
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
  const write = { from: random.address(), address: registry, abi: registryAbi } as const
  const [stable, crypto] = [tokens.nova, tokens.orphan]
  await bench.chain.write({ ...write, functionName: 'makeStable', args: [stable, 2n] })
  await bench.chain.write({ ...write, functionName: 'makeCrypto', args: [crypto, [tokens.usdc, tokens.weth]] })
  // A factory vouches for them, but they have no coins: they are no protocol contracts.
  expect(await known(stable, crypto)).toEqual([])
})

it('ignores untrusted pools and gauges, regardless of their answers', async () => {
  const spoof = await openPool([tokens.usdc, tokens.weth], {}, false)
  const [unvoted, silent] = [
    await createGauge(bench.chain, gauges, pools.stable.token, false),
    await bench.chain.deploy(ownArtifact('CurveGauge'), [pools.stable.token, 1n]),
  ]
  expect(await known(spoof.token, spoof.pool)).toEqual([])
  const found = await known(unvoted, silent)
  expect(found.map(({ role }) => role)).toEqual([])
})

it('reads random stakes in a gauge with what it emits and rewards, to the unit', async () => {
  const { chain } = bench
  const gauge = await createGauge(chain, gauges, pools.crypto.token)
  const giver = random.address()
  const own = { address: gauge, abi: gaugeAbi } as const
  await chain.write({ from: gauges.adaptor, ...own, functionName: 'add_reward', args: [tokens.uni, giver] })
  await chain.actions.erc20.mint(tokens.uni, giver, parseEther('7000'))
  await chain.actions.erc20.allow(tokens.uni, giver, gauge)
  await known(gauge)
  const wallet = random.address()
  await chain.travel(WEEK_SECONDS)
  await chain.write({
    from: giver,
    ...own,
    functionName: 'deposit_reward_token',
    args: [tokens.uni, parseEther('7000')],
  })
  for (let round = 0; round < 3; round += 1) {
    const amount = await add(wallet, pools.crypto, random.amount(1n, 9_000n))
    await stake(wallet, gauge, pools.crypto.token, random.amount(1n, amount))
    await chain.travel(Number(random.amount(60n, BigInt(2 * DAY_SECONDS))))
    const staked = await chain.actions.erc20.balanceOf(gauge, wallet)
    const { positions } = await bench.read(wallet)
    const farm = positions.find(({ kind }) => kind === 'farming')
    expect(farm).toMatchObject({ pool: evmAddress(gauge), receipts: [evmAddress(gauge)] })
    expect(amountsOf(farm?.supplied ?? [])).toEqual(expectedAmounts([pools.crypto.token, staked]))
    const view = { ...own, functionName: 'claimable_reward', args: [wallet, tokens.uni] } as const
    const emitted = await claimable(gauge, wallet)
    expect(emitted).toBeGreaterThan(0n)
    expect(amountsOf(farm?.rewards ?? [])).toEqual(
      expectedAmounts([gauges.token, emitted], [tokens.uni, await bench.client.readContract(view)]),
    )
    // Staked shares are in one position, others in the second.
    const held = await chain.actions.erc20.balanceOf(pools.crypto.token, wallet)
    expect(positions.length).toBe(held > 0n ? 2 : 1)
  }
  await chain.write({ from: gauges.adaptor, ...own, functionName: 'killGauge' })
  const killed = (await bench.read(wallet)).positions.find(({ kind }) => kind === 'farming')
  expect(killed?.supplied).toHaveLength(1)
})

it('reads rewards that remain in a gauge after the stake was withdrawn', async () => {
  const gauge = await createGauge(bench.chain, gauges, pools.native.token)
  await known(gauge)
  const wallet = random.address()
  await bench.chain.travel(WEEK_SECONDS)
  const amount = await add(wallet, pools.native, 20n)
  await stake(wallet, gauge, pools.native.token, amount)
  await bench.chain.travel(DAY_SECONDS)
  await bench.chain.write({ from: wallet, address: gauge, abi: gaugeAbi, functionName: 'withdraw', args: [amount] })
  const left = await claimable(gauge, wallet)
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
  await bench.chain.travel(DAY_SECONDS)
  const { positions } = await bench.read(wallet, { keys: [] })
  expect(positions).toMatchObject([{ kind: 'farming', pool: evmAddress(firstGauge), receipts: [] }])
  expect(amountsOf(positions[0]?.supplied ?? [])).toEqual(expectedAmounts([pools.old.token, amount]))
  expect(amountsOf(positions[0]?.rewards ?? [])).toEqual(
    expectedAmounts([gauges.token, await claimable(firstGauge, wallet)]),
  )
})

it('shows what is locked until it is taken out, never the votes, and the fees', async () => {
  const { chain, client } = bench
  for (const whole of [1n, 977n, 31_337n]) {
    const wallet = random.address()
    const amount = whole * 10n ** 18n + random.amount(0n, 10n ** 18n)
    await chain.write({
      from: gauges.holder,
      address: gauges.token,
      abi: tokenAbi,
      functionName: 'transfer',
      args: [wallet, amount],
    })
    await chain.actions.erc20.allow(gauges.token, wallet, gauges.escrow)
    const { timestamp } = await client.getBlock()
    const own = { address: gauges.escrow, abi: escrowAbi } as const
    const until = timestamp + BigInt(20 * WEEK_SECONDS)
    await chain.write({ from: wallet, ...own, functionName: 'create_lock', args: [amount, until] })
    await chain.actions.erc20.mint(tokens.usdc, distributor, 55n * whole)
    await chain.write({
      from: wallet,
      address: distributor,
      abi: distributorAbi,
      functionName: 'credit',
      args: [wallet, 55n * whole],
    })
    const [locked, end] = await client.readContract({ ...own, functionName: 'locked', args: [wallet] })
    expect(locked).toBe(amount)
    const position = {
      ...{ kind: 'locked', unlockAt: Number(end), receipts: [] },
      supplied: [{ token: evmAddress(gauges.token), amountRaw: amount }],
      rewards: [{ token: evmAddress(tokens.usdc), amountRaw: 55n * whole }],
    }
    expect((await bench.read(wallet)).positions).toMatchObject([position])
    const snapshot = await client.snapshot()
    await chain.travel(21 * WEEK_SECONDS)
    expect(await client.readContract({ ...own, functionName: 'balanceOf', args: [wallet] })).toBe(0n)
    expect((await bench.read(wallet)).positions).toMatchObject([position])
    await client.revert({ id: snapshot })
  }
})

it('costs a wallet without anything one batch', async () => {
  expect(await bench.read(random.address())).toMatchObject({ positions: [], batches: 1 })
})
