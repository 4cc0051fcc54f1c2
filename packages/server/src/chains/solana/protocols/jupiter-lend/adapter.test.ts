import {
  jupiterLend as fixture,
  type JupiterLendFigures,
  jupiterLendFigures,
  mintAccount,
} from '@coffer/solana-fixtures'
import { describe, expect, inject, it } from 'vitest'
import { seededRandom } from '../../../../../test/random.ts'
import type { Random } from '../../../../../test/random-of.ts'
import { newFinds } from '../../../../../test/solana/accounts-reader.ts'
import {
  amountsOf,
  CLOCK,
  changed,
  cutShort,
  gone,
  INVALID,
  ofAnotherProgram,
  ofAnotherType,
  positionsOf,
  readFixture,
  refusingSearches,
  WALLET,
} from '../../../../../test/solana/protocol-bench.ts'
import type { SolanaAccount } from '../../codec/account-data.ts'
import { jupiterLend } from './adapter.ts'

const LENDING = 'jup3YeL8QhtSx1e253b2FDvsMNC87fDrgQZivbrndc9'
const VAULTS = 'jupr81YtYssSyPt8jbnGuiWon5f6x9TcDEFxYe3Bdzi'
const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const ROUNDS = inject('deep') ? 2_000 : 100
const NOW = BigInt(CLOCK.time)
const ONE = 10n ** 12n
const figures = jupiterLendFigures(CLOCK)

const read = (change: Partial<JupiterLendFigures> = {}, found = newFinds()) =>
  readFixture(jupiterLend, fixture(WALLET, { ...figures, ...change }), { found })

/** Constant prices. */
const still = { borrowRate: 0n, supplyPrice: ONE, borrowPrice: ONE, updatedAt: NOW }
const plain = {
  usdc: { ...figures.usdc, ...still },
  sol: { ...figures.sol, ...still },
  lending: { ...figures.lending, sharePrice: ONE, liquidityPrice: ONE, rewards: null },
  vault: { type: 0, magnifiers: [0, 0], prices: [ONE, ONE], liquidityPrices: [ONE, ONE], updatedAt: NOW },
} as const

describe('jlTokens', () => {
  it('stand for their underlying at the price with interest and rewards', async () => {
    const { positions, held, leftOut } = await read()
    expect(positions).toMatchObject([
      { kind: 'lending', label: 'Lending', receipts: [held[0]?.mint] },
      { label: 'Vault 2', pool: held[1]?.mint, receipts: [held[1]?.mint] },
    ])
    // 25,036.837446 at a rate slightly above 1.0396.
    expect(amountsOf(positions[0]?.supplied)[0]).toBeGreaterThan(26_028_000_000n)
    expect(leftOut).toEqual([])
  })

  it('are worked out by hand', async () => {
    // A year at 5 % on the whole supply; the fee takes a fifth: 4 % of 1,000 USDC are 40.
    const year = { ...still, updatedAt: NOW - 31_536_000n, borrowRate: 500n, fee: 2_000n, utilisation: 10_000n }
    const even = { supplied: [10n ** 15n, 0n], borrowed: [10n ** 15n, 0n] } as const
    const lending = { ...plain.lending, held: 1_000_000_000n, shares: 10n ** 15n, updatedAt: NOW - 31_536_000n }
    const { positions } = await read({ ...plain, usdc: { ...figures.usdc, ...year, ...even }, lending })
    expect(positions[0]?.supplied).toEqual([{ token: USDC, amountRaw: 1_040_000_000n }])
    // Rewards of 100 million a year on a thousand million are 10 %. They ran for half of the year.
    const rewards = { minAssets: 0n, duration: 15_768_000n, yearly: 10n ** 14n, nextDuration: 0n, nextAmount: 0n }
    const rewarded = { ...lending, rewards: { ...rewards, start: NOW - 31_536_000n } }
    const half = await read({ ...plain, lending: rewarded })
    expect(half.positions[0]?.supplied).toEqual([{ token: USDC, amountRaw: 1_050_000_000n }])
    // The next phase pays as much in a quarter of the time: 5 % in half a year, then 40 % a year for a quarter.
    const next = { ...rewarded.rewards, nextDuration: 7_884_000n, nextAmount: 10n ** 14n }
    const both = await read({ ...plain, lending: { ...rewarded, rewards: next } })
    expect(both.positions[0]?.supplied).toEqual([{ token: USDC, amountRaw: 1_150_000_000n }])
  })

  it('are no tokens that have the same authority and no lending', async () => {
    const { accounts, held } = await fixture(WALLET, figures)
    const real = accounts.find(({ address }) => address === held[0]?.mint)
    const other = 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB'
    const forged = { ...mintAccount(other, 6, 5n), data: real?.data ?? new Uint8Array() }
    const none = await positionsOf(jupiterLend, {
      accounts: [...accounts, forged],
      held: [{ mint: other, amountRaw: 5n, decimals: 6 }],
    })
    expect([none.positions, none.leftOut]).toEqual([[], []])
  })
})

describe('positions in vaults of Jupiter Lend', () => {
  it('are worked out by hand, without the dust that fills the tick', async () => {
    // At tick 0 debt equals supply: (10^9 + 1) + 1 − 2 − 500,000,000; USDC in 6 decimals, rounded up.
    const position = { supply: 10n ** 9n, dust: 500_000_001n, tick: { tick: 0, ratio: 1n << 48n, id: 4 } }
    const { positions } = await read({ ...plain, position })
    expect(amountsOf(positions[1]?.supplied)).toEqual([10n ** 9n])
    expect(amountsOf(positions[1]?.borrowed)).toEqual([500_001n])
    // A year of magnifiers: 1 % less on supply, 2 % more on debt.
    const vault = { ...plain.vault, magnifiers: [-100, 200], updatedAt: NOW - 31_536_000n } as const
    const magnified = await read({ ...plain, vault, position: { ...position, dust: 2n } })
    expect(amountsOf(magnified.positions[1]?.supplied)).toEqual([990_000_000n])
    expect(amountsOf(magnified.positions[1]?.borrowed)).toEqual([1_020_000n])
  })

  it('owe nothing where there is only supply, and are none where there is nothing', async () => {
    const supplied = await read({ position: { supply: 7_654_321n, dust: 0n, tick: null } })
    expect(supplied.figures).toEqual(supplied.expected)
    expect((await read({ position: { supply: 0n, dust: 0n, tick: null } })).positions).toHaveLength(1)
  })
})

describe('accounts of Jupiter Lend are found', () => {
  it.each([
    ['lending', 0, LENDING, [3, 1]],
    ['position', 1, VAULTS, [4, 2]],
  ] as const)('for a %s once by its mint, and then known', async (_, place, program, [first, then]) => {
    const { accounts, held: all, expected } = await fixture(WALLET, figures)
    const given = { accounts, held: all.slice(place, place + 1), found: newFinds() }
    for (const asked of [
      [first, [program]],
      [then, []],
    ]) {
      const read = await positionsOf(jupiterLend, given)
      expect(read.figures).toEqual(expected.slice(place, place + 1))
      expect([read.trips, read.searched]).toEqual(asked)
    }
  })

  it('again once a lending can be read, which hides no other', async () => {
    const { accounts, held } = await fixture(WALLET, figures)
    const found = newFinds()
    // Shorter than the compared fields of a search.
    const short = (account: SolanaAccount) => ({ ...account, data: account.data.slice(0, 60) })
    const addresses = [LENDING, VAULTS].map((program) => accounts.find(({ owner }) => owner === program)?.address ?? '')
    const broken = addresses.reduce((all, address) => changed(all, address, short), [...accounts])
    const first = await positionsOf(jupiterLend, { accounts: broken, held, found })
    expect([first.positions, first.leftOut.length]).toEqual([[], 2])
    const then = await positionsOf(jupiterLend, { accounts, held, found })
    expect([then.positions.length, then.leftOut]).toEqual([2, []])
  })

  it('whatever looked like an NFT before', async () => {
    const { accounts, held } = await fixture(WALLET, figures)
    const found = newFinds()
    const unit = [{ mint: held[0]?.mint ?? '', amountRaw: 1n, decimals: undefined }]
    expect((await positionsOf(jupiterLend, { accounts, held: unit, found })).positions).toEqual([])
    expect((await positionsOf(jupiterLend, { accounts, held, found })).positions).toHaveLength(2)
  })

  it('with the rewards that a lending has by now', async () => {
    const found = newFinds()
    await read({ lending: { ...figures.lending, rewards: null } }, found)
    const now = await read({}, found)
    expect([now.figures, now.leftOut]).toEqual([now.expected, []])
  })

  it('by a node that searches, and are a gap for another', async () => {
    const found = newFinds()
    const refused = await readFixture(jupiterLend, fixture(WALLET, figures), { found, through: refusingSearches })
    expect(refused.positions).toEqual([])
    expect(refused.leftOut.map(({ reason }) => reason)).toEqual(['not-allowed', 'not-allowed'])
    expect((await read({}, found)).positions).toHaveLength(2)
  })
})

// ticks.test.ts checks factors and remainders with the protocol's library.
const BEGUN = { isFullyLiquidated: false, branch: 7, factor: 1125899906826240n }
const NEVER = { isFullyLiquidated: false, branch: 0, factor: 0n }
const branch = { tick: 2_300, partials: 123_456_789, factor: 1029437080715263n, connected: 0 }
const merged = { ...branch, status: 2, tick: -(2 ** 31), partials: 0 }
const liquidated = { ids: 4, isLiquidated: true, ...BEGUN }

describe('liquidated positions in vaults of Jupiter Lend', () => {
  it.each([
    [
      'in the branch of the tick',
      [{ ...branch, id: 7, status: 1 }],
      { supply: 7_214_779_699n, debt: 226_381_203_339n },
    ],
    [
      'in a branch that was merged',
      [
        { ...merged, id: 7, factor: 900719925510109n, connected: 3 },
        { ...branch, id: 3, status: 1 },
      ],
      { supply: 9_018_474_623n, debt: 282_976_504_170n },
    ],
    [
      'in a branch that was merged twice',
      [
        { ...merged, id: 7, factor: 900719925510109n, connected: 3 },
        { ...merged, id: 3, factor: 703687441825758n, connected: 1 },
        { ...branch, id: 1, status: 1 },
      ],
      { supply: 7_214_779_698n, debt: 226_381_203_332n },
    ],
    ['in a branch that was closed', [{ ...branch, id: 7, status: 3 }], { supply: 0n, debt: 0n }],
  ])('have what is left %s, whether the tick began again or not', async (_, branches, left) => {
    for (const change of [
      { tick: liquidated, past: NEVER },
      { tick: { ids: 6, isLiquidated: false, ...NEVER }, past: BEGUN },
      { tick: { ...liquidated, ids: 5, branch: 99 }, past: BEGUN },
    ]) {
      const liquidation = await read({ ...change, branches, left })
      expect([liquidation.figures, liquidation.leftOut]).toEqual([liquidation.expected, []])
    }
  })

  it('have nothing where the tick went whole, or no more than dust is owed', async () => {
    const whole = await read({ tick: { ...liquidated, isFullyLiquidated: true } })
    const position = { ...figures.position, dust: 226_381_203_339n }
    const dusty = await read({ tick: liquidated, branches: [{ ...branch, id: 7, status: 1 }], position })
    for (const { positions } of [whole, dusty]) expect(positions.map(({ label }) => label)).toEqual(['Lending'])
  })

  it.each([
    ['a branch that is not there', []],
    ['a branch that was never liquidated', [{ ...branch, id: 7, status: 0 }]],
    ['branches in a circle', [{ ...merged, id: 7, factor: 562_949_953_437_697n, connected: 7 }]],
    ['factors that the program refuses', [{ ...branch, id: 7, status: 1, factor: (1n << 49n) | 20_000n }]],
  ])('are a gap, and not a figure, with %s', async (_, branches) => {
    const { positions, leftOut } = await read({ tick: liquidated, branches })
    expect(positions.map(({ label }) => label)).toEqual(['Lending'])
    expect(leftOut).toEqual([INVALID])
  })
})

describe('accounts of Jupiter Lend', () => {
  it('agree with the arithmetic of the program over any figures', async () => {
    const random = seededRandom('Jupiter Lend')
    for (let round = 0; round < ROUNDS; round += 1) {
      const { figures: found, expected, leftOut } = await read(randomFigures(random))
      expect([found, leftOut], `seed ${random.seed}, round ${round}`).toEqual([expected, []])
    }
  })

  it('hide nothing else, and are reported, where one of a liquidated position is not what it should be', async () => {
    const past = { tick: { ids: 6, isLiquidated: false, ...NEVER }, past: BEGUN }
    const { accounts, held } = await fixture(WALLET, {
      ...figures,
      ...past,
      branches: [{ ...branch, id: 7, status: 1 }],
    })
    const found = newFinds()
    await positionsOf(jupiterLend, { accounts, held, found })
    for (const account of accounts.filter(({ owner }) => owner === VAULTS)) {
      for (const change of [cutShort, ofAnotherType, ofAnotherProgram, gone]) {
        const spoilt = changed(accounts, account.address, change)
        const { positions, leftOut } = await positionsOf(jupiterLend, { accounts: spoilt, held, found })
        expect(
          positions.map(({ label }) => label),
          account.address,
        ).toEqual(['Lending'])
        expect(leftOut).toEqual([INVALID])
      }
    }
  })

  it('are a gap in vaults of shares of pools', async () => {
    const { positions, leftOut } = await read({ vault: { ...figures.vault, type: 1 } })
    expect(positions.map(({ label }) => label)).toEqual(['Lending'])
    expect(leftOut).toHaveLength(1)
  })
})

function randomFigures(random: Random): Partial<JupiterLendFigures> {
  const some = () => random.amount(0n, 1n) * random.amount(1n, 2n ** 50n)
  const price = () => random.amount(ONE, 2n * ONE)
  const reserve = (base: JupiterLendFigures['usdc']) => ({
    ...base,
    ...{
      borrowRate: random.amount(0n, 5_000n),
      fee: random.amount(0n, 5_000n),
      utilisation: random.amount(0n, 10_000n),
    },
    ...{ updatedAt: NOW - random.amount(0n, 5_000_000n), supplyPrice: price(), borrowPrice: price() },
    ...{ supplied: [some(), some()] as const, borrowed: [some(), some()] as const },
  })
  const [usdc, sol] = [reserve(figures.usdc), reserve(figures.sol)]
  const start = NOW - random.amount(0n, 8_000_000n)
  const rewards = {
    ...{ minAssets: random.amount(0n, 2n ** 50n), duration: random.amount(1n, 5_000_000n), start },
    ...{ yearly: some(), nextDuration: random.amount(1n, 5_000_000n), nextAmount: some() },
  }
  return {
    ...{ usdc, sol },
    lending: {
      ...{ sharePrice: price(), liquidityPrice: usdc.supplyPrice - random.amount(0n, 10n ** 10n) },
      ...{ updatedAt: NOW - random.amount(0n, 5_000_000n), shares: random.amount(2n, 2n ** 50n) },
      ...{ held: random.amount(2n, 2n ** 50n), rewards: random.pick([null, rewards, rewards]) },
    },
    vault: {
      ...{ type: 0, magnifiers: [random.index(1_001) - 500, random.index(1_001) - 500] as const },
      prices: [price(), price()],
      liquidityPrices: [
        sol.supplyPrice - random.amount(0n, 10n ** 10n),
        usdc.borrowPrice - random.amount(0n, 10n ** 10n),
      ],
      updatedAt: NOW - random.amount(0n, 5_000_000n),
    },
    position: {
      ...{ supply: random.amount(2n ** 20n, 2n ** 50n), dust: random.amount(0n, 2n ** 20n) },
      tick: random.pick([null, figures.position.tick]),
    },
  }
}
