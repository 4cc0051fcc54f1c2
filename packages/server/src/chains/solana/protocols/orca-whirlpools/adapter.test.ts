import { orcaSqrtPrice, type WhirlpoolFigures, whirlpool, whirlpoolFigures } from '@coffer/solana-fixtures'
import { base58 } from '@scure/base'
import { describe, expect, inject, it } from 'vitest'
import { seededRandom } from '../../../../../test/random.ts'
import type { Random } from '../../../../../test/random-of.ts'
import {
  changed,
  cutShort,
  figuresOf,
  ofAnotherChainType,
  ofAnotherProgram,
  positionsOf,
} from '../../../../../test/solana-reader-of.ts'
import type { HeldMint } from '../adapter.ts'
import { orcaWhirlpools, sqrtPriceAtTick } from './adapter.ts'

const WALLET = '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU'
const ROUNDS = inject('deep') ? 20_000 : 120
const clock = { slot: 900n * 432_000n, epoch: 900n, time: 1_790_000_000 }
const invalid = expect.objectContaining({ name: 'UpstreamError', reason: 'invalid' })
const wrap = (growth: bigint) => BigInt.asUintN(128, growth)

async function read(figures: WhirlpoolFigures, more: HeldMint[] = []) {
  const { accounts, held, expected } = await whirlpool(WALLET, clock, figures)
  const found = await positionsOf(orcaWhirlpools, { accounts, wallet: WALLET, clock, held: [...held, ...more] })
  return { ...found, accounts, held, expected }
}

/** Price below, inside and above the range, in turn. Some counters are about to wrap around. */
function randomFigures(random: Random, place: 'below' | 'inside' | 'above'): WhirlpoolFigures {
  const tickSpacing = random.pick([1, 2, 4, 8, 16, 64, 96, 128, 256])
  const last = Math.floor(250_000 / tickSpacing)
  const tickLower = (random.index(2 * last - 1) - last) * tickSpacing
  const tickUpper = tickLower + (1 + random.index(Math.floor((250_000 - tickLower) / tickSpacing))) * tickSpacing
  const [lower, upper] = [sqrtPriceAtTick(tickLower), sqrtPriceAtTick(tickUpper)]
  const between = { below: [lower / 2n, lower - 1n], inside: [lower, upper - 1n], above: [upper, upper * 2n] } as const
  const [lowest, highest] = between[place]
  const floor = sqrtPriceAtTick(-443_636)
  const sqrtPrice = random.amount(lowest < floor ? floor : lowest, highest)
  const any = () => random.amount(0n, 2n ** 128n - 1n)
  const emission = random.amount(0n, 2n ** 80n)
  const poolLiquidity = random.amount(2n ** 20n, 2n ** 60n)
  const secondsAgo = random.index(100_000)
  const growth = [any(), any(), any()] as const
  const now = [growth[0], growth[1], growth[2] + (emission * BigInt(secondsAgo)) / poolLiquidity]
  const [outsideLower, outsideUpper] = [
    [any(), any(), any(), any(), any()] as const,
    [any(), any(), any(), any(), any()] as const,
  ]
  const insideOf = (index: number) => {
    const [everywhere, below, above] = [now[index] ?? 0n, outsideLower[index] ?? 0n, outsideUpper[index] ?? 0n]
    if (place === 'inside') return everywhere - below - above
    return place === 'below' ? below - above : above - below
  }
  const counter = (index: number) => ({
    checkpoint: wrap(insideOf(index) - random.amount(0n, 2n ** 66n)),
    owed: random.amount(0n, 2n ** 50n),
  })
  return {
    ...{ tickSpacing, sqrtPrice, poolLiquidity, tickLower, tickUpper, outsideLower, outsideUpper },
    feeGrowth: [growth[0], growth[1]],
    reward: { emission, growth: growth[2], secondsAgo },
    liquidity: random.amount(1n, 2n ** 44n),
    counters: [counter(0), counter(1), counter(2)],
    isDynamic: random.index(2) === 0,
  }
}

describe('the price at a tick', () => {
  it('is that of the library of Orca, at the ends and between', () => {
    const random = seededRandom('ticks of Whirlpools')
    const ends = [-443_636, -443_635, -1, 0, 1, 443_635, 443_636]
    const between = Array.from({ length: ROUNDS }, () => random.index(887_273) - 443_636)
    for (const tick of [...ends, ...between]) expect(sqrtPriceAtTick(tick), `tick ${tick}`).toBe(orcaSqrtPrice(tick))
    expect(() => sqrtPriceAtTick(443_637)).toThrow(RangeError)
  })
})

describe('a position of Orca', () => {
  it('is what it would pay, with its fees and rewards, in two trips', async () => {
    const { positions, reader, expected, held } = await read(whirlpoolFigures)
    expect(figuresOf(positions)).toEqual(expected)
    expect(positions[0]).toMatchObject({ label: '0.04%', receipts: [held[0]?.mint] })
    expect(reader.trips()).toBe(2)
  })

  it('agrees with the library of Orca in any range and at any price', async () => {
    const random = seededRandom('Whirlpools')
    for (let round = 0; round < ROUNDS; round += 1) {
      const place = (['below', 'inside', 'above'] as const)[round % 3] ?? 'inside'
      const { positions, expected } = await read(randomFigures(random, place))
      expect(figuresOf(positions), `seed ${random.seed}, round ${round}`).toEqual(expected)
      const [a, b] = positions[0]?.supplied ?? []
      if (place === 'below') expect(b?.amountRaw).toBe(0n)
      if (place === 'above') expect(a?.amountRaw).toBe(0n)
    }
  })

  it('with liquidity over the full range of a Splash pool', async () => {
    const figures = { ...whirlpoolFigures, tickSpacing: 32_896, tickLower: -427_648, tickUpper: 427_648 }
    const { positions, reader, expected } = await read(figures)
    expect(figuresOf(positions)).toEqual(expected)
    expect(reader.trips()).toBe(2)
  })

  it('is read with a trip more where its pool has a tick spacing that none had', async () => {
    const figures = { ...whirlpoolFigures, tickSpacing: 20, tickLower: -20_000, tickUpper: -18_020 }
    const { positions, reader, expected } = await read(figures)
    expect(figuresOf(positions)).toEqual(expected)
    expect(reader.trips()).toBe(3)
  })

  it('without liquidity is what it is still owed, and nothing once that is collected', async () => {
    const closed = { ...whirlpoolFigures, liquidity: 0n }
    const { accounts, held } = await whirlpool(WALLET, clock, closed)
    const withoutTicks = accounts.filter(({ data }) => data.length < 1_000)
    const { positions } = await positionsOf(orcaWhirlpools, { accounts: withoutTicks, wallet: WALLET, clock, held })
    expect(positions[0]?.supplied.map(({ amountRaw }) => amountRaw)).toEqual([0n, 0n])
    expect(positions[0]?.rewards.map(({ amountRaw }) => amountRaw)).toEqual([123_456_789n, 4_567_890n, 1_000_001n])
    const nothing = { checkpoint: 0n, owed: 0n }
    expect((await read({ ...closed, counters: [nothing, nothing, nothing] })).positions).toEqual([])
  })

  it('loses what the program itself can no longer pay: growth that does not fit', async () => {
    const { accounts, held, expected } = await whirlpool(WALLET, clock)
    // The top byte of the first fee's growth: liquidity × growth exceeds 128 bits.
    const grown = changed(accounts, accounts[1]?.address ?? '', (account) => ({
      ...account,
      data: account.data.map((byte, index) => (index === 180 ? 0x40 : byte)),
    }))
    const { positions } = await positionsOf(orcaWhirlpools, { accounts: grown, wallet: WALLET, clock, held })
    expect(positions[0]?.rewards[0]?.amountRaw).toBe(123_456_789n)
    expect(positions[0]?.rewards.slice(1)).toEqual(expected[0]?.rewards.slice(1))
  })

  it('is looked for among NFTs alone, which need not be positions', async () => {
    const others = [
      { mint: '2ZnAJPPMXMDtr6HBsdWdAc6KPjFZYZ6i8qwvvoaUaMuX', amountRaw: 1n, decimals: 0 },
      { mint: '9CQQRzZ6Cjh2PSAiDzbWLzvV4jUBKzM3UVrV7hH7z1mC', amountRaw: 2n, decimals: 0 },
      { mint: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', amountRaw: 1n, decimals: 6 },
    ]
    expect((await read(whirlpoolFigures, others)).positions).toHaveLength(1)
    const none = await positionsOf(orcaWhirlpools, { accounts: [], wallet: WALLET, clock, held: others.slice(1) })
    expect([none.positions, none.reader.trips()]).toEqual([[], 0])
    const { accounts, held } = await whirlpool(WALLET, clock)
    const sent = changed(accounts, accounts[0]?.address ?? '', (account) => ({
      ...account,
      owner: '11111111111111111111111111111111',
      data: new Uint8Array(),
    }))
    expect((await positionsOf(orcaWhirlpools, { accounts: sent, wallet: WALLET, clock, held })).positions).toEqual([])
  })

  it('is found among thousands of NFTs sent to the wallet, and the answer says that not all are read', async () => {
    const { accounts, held } = await whirlpool(WALLET, clock)
    const flood = Array.from({ length: 2_000 }, (_, index) => {
      const bytes = Uint8Array.from({ length: 32 }, (_byte, place) => (index >> (place * 8)) & 0xff).fill(7, 4)
      return { mint: base58.encode(bytes), amountRaw: 1n, decimals: 0 }
    })
    const found = await positionsOf(orcaWhirlpools, { accounts, wallet: WALLET, clock, held: [...held, ...flood] })
    expect(found.positions).toHaveLength(1)
    expect(found.leftOut).toEqual([invalid])
  })

  it('is not believed of accounts that are not what they should be', async () => {
    const { accounts, held } = await whirlpool(WALLET, clock)
    const [own, pool, lowerArray] = accounts.map(({ address }) => address)
    const withChange = (address: string | undefined, change: Parameters<typeof changed>[2]) =>
      positionsOf(orcaWhirlpools, { accounts: changed(accounts, address ?? '', change), wallet: WALLET, clock, held })
    for (const address of [own, pool, lowerArray]) {
      for (const change of [cutShort, ofAnotherChainType, ofAnotherProgram]) {
        await expect(withChange(address, change)).rejects.toEqual(invalid)
      }
    }
    const byteSet = (offset: number, byte: number) => (account: { data: Uint8Array }) => ({
      ...(account as (typeof accounts)[number]),
      data: account.data.map((each, index) => (index === offset ? byte : each)),
    })
    for (const address of [pool, lowerArray])
      await expect(withChange(address, () => undefined)).rejects.toEqual(invalid)
    // Another NFT, ticks out of range, an array of other ticks or of another pool, an unused tick.
    await expect(withChange(own, byteSet(40, 1))).rejects.toEqual(invalid)
    await expect(withChange(own, byteSet(95, 0x7f))).rejects.toEqual(invalid)
    await expect(withChange(lowerArray, byteSet(8, 1))).rejects.toEqual(invalid)
    await expect(withChange(lowerArray, byteSet(12, 1))).rejects.toEqual(invalid)
    await expect(withChange(lowerArray, byteSet(60, 2))).rejects.toEqual(invalid)
    await expect(withChange(lowerArray, byteSet(60, 0))).rejects.toEqual(invalid)
  })
})
