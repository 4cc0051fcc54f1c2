import { addresses } from '@coffer/devnet'
import { type Address, parseAbi, parseEther } from 'viem'
import { expect, it } from 'vitest'
import { contractOf } from '../../../../../test/contract-of.ts'
import { amountsOf, expectedAmounts, protocolBench } from '../../../../../test/protocol-bench.ts'
import { seededRandom } from '../../../../../test/random.ts'
import type { Random } from '../../../../../test/random-of.ts'
import { evmAddress } from '../../../../domain/evm-address.ts'
import type { Position } from '../../../../domain/position.ts'
import type { ProtocolContract } from '../adapter.ts'
import { bindProtocol, protocolRows } from '../protocols.ts'

const { tokens, pendle } = addresses.ethereum
const DAY_SECONDS = 86_400
const ONE = parseEther('1')
const YEAR_SECONDS = 31_536_000n
/** Difference between this file's series and the market's own exponential, in base units of an asset. */
const ROUNDING = 1_000n
const abi = parseAbi([
  'function balanceOf(address account) view returns (uint256)',
  'function transfer(address to, uint256 amount)',
  'function burn(address receiverSy, address receiverPt, uint256 lp) returns (uint256, uint256)',
  'function redeemRewards(address user) returns (uint256[])',
  'function observe(uint32[] secondsAgos) view returns (uint216[])',
  'function _storage() view returns (int128, int128, uint96 lastLnImpliedRate, uint16, uint16, uint16)',
  'function redeemDueInterestAndRewards(address user, bool interest, bool rewards) returns (uint256, uint256[])',
  'function pyIndexCurrent() returns (uint256)',
  'function conjure(address to, uint256 shares)',
  'function setClaim(uint256 claimed)',
  'function setRate(uint256 rate)',
  'function exchangeRate() view returns (uint256)',
])
type Market = Awaited<ReturnType<typeof at.open>>

const rows = protocolRows.filter(({ key, chain }) => key === 'pendle' && chain === 'ethereum')
const [deployment] = rows.map(bindProtocol)
const bench = await protocolBench(rows)
const { pendle: at, erc20 } = bench.chain.actions
await at.deploy()

/** A market, its PT, YT or SY. */
const part = (address: Address) => contractOf(bench.chain, address, abi)

/** A market with another provider's liquidity, and a wallet with PTs, YTs, LP and SY of it. */
async function openMarket(random: Random, days = 90): Promise<Market> {
  // The SY's asset is on another chain: this address has no code.
  const sy = await at.wrap(tokens.weth, tokens.uni, random.address())
  const market = await at.open(sy, tokens.weth, days)
  const maker = random.address()
  await erc20.mint(tokens.weth, maker, parseEther('200'))
  await at.deposit(maker, market, parseEther('200'))
  await at.mint(maker, market, parseEther('100'))
  await at.add(maker, market, parseEther('90'), parseEther('90'))
  return market
}

async function newHolder(random: Random, market: Market): Promise<Address> {
  const wallet = random.address()
  const amount = random.amount(parseEther('1'), parseEther('20'))
  await erc20.mint(tokens.weth, wallet, amount)
  await at.deposit(wallet, market, amount)
  await at.mint(wallet, market, amount / 2n)
  const pts = await erc20.balanceOf(market.pt, wallet)
  await at.add(wallet, market, amount / 5n, pts / 3n)
  await at.sell(wallet, market, random.amount(10n ** 12n, pts / 10n))
  return wallet
}

/** Rewards, a growing rate, and time. */
async function live(random: Random, { sy }: Market) {
  await erc20.mint(tokens.uni, sy, random.amount(1n, parseEther('50')))
  const before = await part(sy).read('exchangeRate')
  await at.setRate(sy, before + random.amount(0n, parseEther('0.05')))
  await bench.chain.travel(1 + random.index(5 * DAY_SECONDS))
}

const recognise = ({ market, pt, yt, sy }: Market) => bench.recognise([market, pt, yt, sy].map(evmAddress))

const balanceAt = (token: Address, owner: Address, blockNumber: bigint) =>
  part(token).at(blockNumber).read('balanceOf', owner)

/** Payouts of everything at the block, by Pendle's own functions in a reverted call. */
async function payouts(wallet: Address, { market, pt, yt, sy }: Market, blockNumber: bigint) {
  const lp = await balanceAt(market, wallet, blockNumber)
  const burn = [part(market).call('transfer', market, lp), part(market).call('burn', wallet, wallet, lp)]
  const burnt = await bench.incomeBy(wallet, burn, [sy, pt], blockNumber)
  const simulate = <T>(of: Address, functionName: string, ...args: unknown[]) =>
    part(of)
      .at(blockNumber)
      .simulate<T>(wallet, functionName, ...args)
  const [ofSy = 0n, ofGauge = 0n] = await simulate<bigint[]>(market, 'redeemRewards', wallet)
  const claim = ['redeemDueInterestAndRewards', wallet, true, true] as const
  const [interest, [ytReward = 0n]] = await simulate<[bigint, bigint[]]>(yt, ...claim)
  const held = await balanceAt(pt, wallet, blockNumber)
  return { sy: burnt[evmAddress(sy)] ?? 0n, pts: burnt[evmAddress(pt)] ?? 0n, ofSy, ofGauge, interest, ytReward, held }
}

const found = (positions: readonly Position[], pool: Address) => {
  const position = positions.find((one) => one.pool === evmAddress(pool))
  return position && { supplied: amountsOf(position.supplied), rewards: amountsOf(position.rewards) }
}

async function check(wallet: Address, market: Market) {
  const { positions, block, batches } = await bench.read(wallet)
  expect(batches).toBe(2)
  const { sy, pts, held, ...due } = await payouts(wallet, market, block)
  expect(found(positions, market.market)).toEqual({
    supplied: expectedAmounts([tokens.weth, sy], [market.pt, pts]),
    rewards: expectedAmounts([tokens.uni, due.ofSy], [pendle.token, due.ofGauge]),
  })
  const yts = await balanceAt(market.yt, wallet, block)
  const rewards = expectedAmounts([tokens.weth, due.interest], [tokens.uni, due.ytReward])
  expect(found(positions, market.yt)).toEqual({ supplied: expectedAmounts([market.yt, yts]), rewards })
  expect(found(positions, market.pt)).toEqual({ supplied: expectedAmounts([market.pt, held]), rewards: {} })
  const shares = await balanceAt(market.sy, wallet, block)
  expect(found(positions, market.sy)?.supplied).toEqual(expectedAmounts([tokens.weth, shares]))
  expect(positions.find(({ pool }) => pool === evmAddress(market.pt))?.unlockAt).toBe(market.expiry)
  return due
}

it('pays what Pendle pays, to the unit, whatever happened', async () => {
  const random = seededRandom('pendle')
  for (let round = 0; round < 3; round += 1) {
    const market = await openMarket(random)
    const wallet = await newHolder(random, market)
    await recognise(market)
    await live(random, market)
    const first = await check(wallet, market)
    expect(first.ofGauge).toBeGreaterThan(0n)
    await at.claim(wallet, market)
    await live(random, market)
    await newHolder(random, market)
    await live(random, market)
    const second = await check(wallet, market)
    for (const amount of [second.interest, second.ofSy, second.ytReward]) expect(amount).toBeGreaterThan(0n)
  }
})

it('shows an expired PT as its redemption value, and an expired YT as its remaining claim', async () => {
  const random = seededRandom('pendle expired')
  const market = await openMarket(random, 10)
  const wallet = await newHolder(random, market)
  await recognise(market)
  await live(random, market)
  await bench.chain.travel(11 * DAY_SECONDS)
  await part(market.sy).write(pendle.token, 'setRate', parseEther('1.2'))
  const { positions, block } = await bench.read(wallet)
  const { held, interest, ytReward } = await payouts(wallet, market, block)
  const index = await part(market.yt).at(block).simulate(wallet, 'pyIndexCurrent')
  expect(index).toBe(parseEther('1.2'))
  const redeemed = (held * ONE) / index
  expect(found(positions, market.pt)).toEqual({ supplied: expectedAmounts([tokens.weth, redeemed]), rewards: {} })
  expect(found(positions, market.yt)).toEqual({
    supplied: {},
    rewards: expectedAmounts([tokens.weth, interest], [tokens.uni, ytReward]),
  })
  expect(positions.every(({ unlockAt }) => unlockAt === undefined)).toBe(true)
  const before = await bench.client.getBlockNumber()
  await at.redeem(wallet, market, held)
  const got = (await balanceAt(market.sy, wallet, before + 2n)) - (await balanceAt(market.sy, wallet, before))
  expect(got).toBe(redeemed)
})

const among = (protocolContracts: readonly ProtocolContract[], address: Address): ProtocolContract => {
  const protocolContract = protocolContracts.find((one) => one.address === evmAddress(address))
  if (!protocolContract) throw new Error(`${address} was not recognised`)
  return protocolContract
}

const worth = async (protocolContract: ProtocolContract, amountRaw: bigint) =>
  deployment?.decompose(bench.openReader(), { protocolContract, amountRaw })

/** Asset for one PT, 18 decimals: e^(-yearly rate × years), by its series until a term is zero. */
function rateOf(lnRate: bigint, seconds: number): bigint {
  const x = (lnRate * BigInt(seconds)) / YEAR_SECONDS
  let [sum, term] = [0n, ONE]
  for (let n = 1n; term !== 0n; n += 1n) {
    sum += term
    term = (-term * x) / (ONE * n)
  }
  return sum
}

it('prices a PT by the average rate of its market and a YT by the rest, and by the last rate while the market is young', async () => {
  const random = seededRandom('pendle rates')
  const market = await openMarket(random)
  await newHolder(random, market)
  const known = await recognise(market)
  const [pt, yt] = [among(known, market.pt), among(known, market.yt)]
  const { read } = part(market.market)
  const check = async (lnRate: bigint) => {
    const { timestamp } = await bench.client.getBlock()
    const rate = rateOf(lnRate, market.expiry - Number(timestamp))
    const [ofPt, ofYt] = [await worth(pt, ONE), await worth(yt, ONE)]
    expect(ofPt?.map(({ token }) => token)).toEqual([evmAddress(tokens.weth)])
    const paid = ofPt?.[0]?.amountRaw ?? 0n
    expect(paid > rate ? paid - rate : rate - paid).toBeLessThan(ROUNDING)
    expect((ofPt?.[0]?.amountRaw ?? 0n) + (ofYt?.[0]?.amountRaw ?? 0n)).toBe(ONE)
  }
  // The market stores one trade: 900 seconds ago is before its time.
  await expect(read('observe', [900, 0])).rejects.toThrow()
  const [, , last = 0n] = await read<bigint[]>('_storage')
  await check(last)
  await at.remember(market, 20)
  await newHolder(random, market)
  await bench.chain.travel(1_000)
  await newHolder(random, market)
  const [then = 0n, now = 0n] = await read<bigint[]>('observe', [900, 0])
  await check((now - then) / 900n)
})

it('prices no PT whose market is unknown, and says so', async () => {
  const random = seededRandom('pendle alone')
  const market = await openMarket(random)
  const known = await bench.recognise([evmAddress(market.pt)])
  expect(await worth(among(known, market.pt), ONE)).toBeUndefined()
  const [maker, wallet] = [await newHolder(random, market), random.address()]
  await erc20.transfer(market.pt, maker, wallet, 1_000n)
  const { positions, missing } = await bench.readPartly(wallet)
  expect(found(positions, market.pt)).toEqual({ supplied: expectedAmounts([market.pt, 1_000n]), rewards: {} })
  expect(missing).toEqual([`Error: no market of ${evmAddress(market.pt)} is known, so that it has no price`])
})

it('learns the market of a PT from the router that a wallet traded it with, for all holders from then on', async () => {
  const random = seededRandom('pendle traded')
  await at.route.deploy()
  const market = await openMarket(random)
  await bench.discover()
  await bench.recognise([evmAddress(market.pt)])
  const wallet = random.address()
  await erc20.mint(tokens.weth, wallet, parseEther('3'))
  await at.deposit(wallet, market, parseEther('3'))
  await at.route.buy(wallet, market, parseEther('3'))
  const held = await erc20.balanceOf(market.pt, wallet)
  const { positions } = await bench.read(wallet)
  expect(found(positions, market.pt)).toEqual({ supplied: expectedAmounts([market.pt, held]), rewards: {} })
  // Found again without its market, by another wallet.
  const again = await bench.recognise([evmAddress(market.pt)])
  expect(among(again, market.pt).data).toMatchObject({ market: evmAddress(market.market) })
  expect(await worth(among(again, market.pt), ONE)).toBeDefined()
})

it('recognises what factories made, with what belongs to it, and nothing else', async () => {
  const random = seededRandom('pendle fake')
  const market = await openMarket(random)
  const fake = await at.wrap(tokens.weth, tokens.uni)
  const known = await bench.recognise([evmAddress(fake), evmAddress(tokens.usdc), evmAddress(market.market)])
  expect(known.map(({ role, address }) => [role, address])).toEqual([
    ['sy', evmAddress(market.sy)],
    ['pt', evmAddress(market.pt)],
    ['yt', evmAddress(market.yt)],
    ['market', evmAddress(market.market)],
  ])
})

it.each(['setClaim', 'conjure'] as const)('counts nothing of an SY that claims more than it holds: %s', async (lie) => {
  const random = seededRandom(`pendle wild ${lie}`)
  const market = await openMarket(random)
  const wallet = await newHolder(random, market)
  const known = await recognise(market)
  const to = lie === 'conjure' ? [random.address()] : []
  await part(market.sy).write(wallet, lie, ...to, parseEther('1000000'))
  const { positions } = await bench.read(wallet)
  const named = positions.flatMap(({ supplied, rewards }) => [...supplied, ...rewards]).map(({ token }) => token)
  expect(named).not.toContain(evmAddress(tokens.weth))
  expect(found(positions, market.sy)?.supplied).toEqual({
    [evmAddress(market.sy)]: await erc20.balanceOf(market.sy, wallet),
  })
  for (const token of [market.pt, market.yt]) expect(await worth(among(known, token), ONE)).toBeUndefined()
  expect(await worth(among(known, market.sy), ONE)).toBeUndefined()
})

it('keeps positions where the oracle is dead, and prices no PT by it', async () => {
  const random = seededRandom('pendle oracle')
  const market = await openMarket(random)
  const wallet = await newHolder(random, market)
  const known = await recognise(market)
  const code = await bench.client.getCode({ address: pendle.oracle })
  await bench.client.setCode({ address: pendle.oracle, bytecode: '0x' })
  await check(wallet, market)
  expect(await worth(among(known, market.pt), ONE)).toBeUndefined()
  await bench.client.setCode({ address: pendle.oracle, bytecode: code ?? '0x' })
  expect(await worth(among(known, market.pt), ONE)).toBeDefined()
})

it('never prices a PT above its redemption value, regardless of the trades of a dead market', async () => {
  const random = seededRandom('pendle bent')
  const market = await openMarket(random)
  await newHolder(random, market)
  const known = await recognise(market)
  await part(market.sy).write(pendle.token, 'setRate', parseEther('1.25'))
  const code = await bench.client.getCode({ address: pendle.oracle })
  // Answers every call with 2 × 10^18.
  await bench.client.setCode({ address: pendle.oracle, bytecode: '0x671bc16d674ec8000060005260206000f3' })
  const [pt, yt] = [await worth(among(known, market.pt), ONE), await worth(among(known, market.yt), ONE)]
  await bench.client.setCode({ address: pendle.oracle, bytecode: code ?? '0x' })
  // One unit of the asset is 0.8 of an SY at a rate of 1.25.
  expect(amountsOf(pt)).toEqual(expectedAmounts([tokens.weth, parseEther('0.8')]))
  expect(yt?.map(({ amountRaw }) => amountRaw)).toEqual([0n])
})

it('shows locked and staked PENDLE, with the times at which they end', async () => {
  const random = seededRandom('pendle locks')
  await bench.discover()
  const wallet = random.address()
  await erc20.mint(pendle.token, wallet, parseEther('100'))
  const { timestamp } = await bench.client.getBlock()
  const week = BigInt(7 * DAY_SECONDS)
  const expiry = (timestamp / week + 20n) * week
  await at.lock(wallet, parseEther('30'), expiry)
  await at.stake(wallet, parseEther('50'))
  await at.cool(wallet, parseEther('20'))
  const cooled = (await bench.client.getBlock()).timestamp
  const shown = async () =>
    (await bench.read(wallet)).positions.map(({ kind, label, supplied, unlockAt }) => ({
      ...{ kind, label, unlockAt, amount: supplied[0]?.amountRaw },
    }))
  const locked = { kind: 'locked', label: 'vePENDLE', unlockAt: Number(expiry), amount: parseEther('30') }
  const staked = { kind: 'staked', label: 'sPENDLE', unlockAt: undefined, amount: parseEther('30') }
  const unlockAt = Number(cooled) + 14 * DAY_SECONDS
  const cooling = { kind: 'locked', label: 'sPENDLE cooldown', unlockAt, amount: parseEther('20') }
  expect(await shown()).toEqual([locked, staked, cooling])
  // The votes have expired; the PENDLE remains.
  await bench.chain.travel(150 * DAY_SECONDS)
  expect(await balanceAt(pendle.lock, wallet, await bench.client.getBlockNumber())).toBe(0n)
  expect(await shown()).toEqual([locked, staked, cooling])
  await at.unlock(wallet)
  await at.unstake(wallet)
  expect(await shown()).toEqual([staked])
})

it('asks a wallet that has nothing there in the first batch alone', async () => {
  await bench.discover()
  await bench.expectNothing()
})
