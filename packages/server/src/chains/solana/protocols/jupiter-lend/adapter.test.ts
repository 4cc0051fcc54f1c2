import {
  jupiterLend as fixture,
  type JupiterLendFigures,
  jupiterLendFigures,
  mintAccount,
} from '@coffer/solana-fixtures'
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
  solanaReaderOf,
} from '../../../../../test/solana-reader-of.ts'
import { UpstreamError } from '../../../../lib/upstream-error.ts'
import type { SolanaAccount } from '../../codec/account-data.ts'
import { createJupiterLend } from './adapter.ts'

const WALLET = '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU'
const LENDING = 'jup3YeL8QhtSx1e253b2FDvsMNC87fDrgQZivbrndc9'
const VAULTS = 'jupr81YtYssSyPt8jbnGuiWon5f6x9TcDEFxYe3Bdzi'
const SOL_RESERVE = '4Y66HtUEqbbbpZdENGtFdVhUMS3tnagffn3M4do59Nfy'
const USDC_RESERVE = '94vK29npVbyRHXH63rRcTiSr26SFhrQTzbpNJuhQEDu'
const OF_TOKENS = ['TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', 'metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s']
const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const ROUNDS = inject('deep') ? 2_000 : 100
const clock = { slot: 900n * 432_000n, epoch: 900n, time: 1_790_000_000 }
const NOW = BigInt(clock.time)
const ONE = 10n ** 12n
const figures = jupiterLendFigures(clock)

async function read(change: Partial<JupiterLendFigures> = {}, adapter = createJupiterLend()) {
  const { accounts, held, expected } = await fixture(WALLET, { ...figures, ...change })
  return { ...(await positionsOf(adapter, { accounts, wallet: WALLET, clock, held })), accounts, held, expected }
}

const amounts = (positions: readonly { amountRaw: bigint }[] = []) => positions.map(({ amountRaw }) => amountRaw)
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
    const { positions, held, expected, leftOut } = await read()
    expect(figuresOf(positions)).toEqual(expected)
    expect(positions[0]).toMatchObject({ kind: 'lending', label: 'Lending', receipts: [held[0]?.mint] })
    // 25,036.837446 at a rate slightly above 1.0396.
    expect(amounts(positions[0]?.supplied)[0]).toBeGreaterThan(26_028_000_000n)
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

  it('are the same tokens to the prices, at no further trip', async () => {
    const { accounts, held } = await fixture(WALLET, figures)
    const adapter = createJupiterLend()
    const reader = solanaReaderOf(accounts, clock)
    const used = new Set<string>()
    const [positions, receipts] = await Promise.all([
      adapter.positions({ reader, wallet: WALLET, clock, held, used }),
      adapter.receipts?.({ reader, clock, held, used }),
    ])
    const [share] = held
    expect(receipts?.get(share?.mint ?? '')?.decompose(share?.amountRaw ?? 0n)).toEqual(positions[0]?.supplied)
    expect(reader.searched).toEqual([LENDING, VAULTS])
  })

  it('are no tokens that have the same authority and no lending', async () => {
    const { accounts, held } = await fixture(WALLET, figures)
    const real = accounts.find(({ address }) => address === held[0]?.mint)
    const other = 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB'
    const forged = { ...mintAccount(other, 6, 5n), data: real?.data ?? new Uint8Array() }
    const found = await positionsOf(createJupiterLend(), {
      ...{ accounts: [...accounts, forged], wallet: WALLET, clock },
      held: [{ mint: other, amountRaw: 5n, decimals: 6 }],
    })
    expect([found.positions, found.leftOut]).toEqual([[], []])
  })
})

describe('positions in vaults of Jupiter Lend', () => {
  it('are supply and debt of the NFT, at the prices of the vault', async () => {
    const { positions, held, expected } = await read()
    expect(figuresOf(positions.slice(1))).toEqual(expected.slice(1))
    expect(positions[1]).toMatchObject({ label: 'Vault 2', pool: held[1]?.mint, receipts: [held[1]?.mint] })
  })

  it('are worked out by hand, without the dust that fills the tick', async () => {
    // At tick 0 debt equals supply: (10^9 + 1) + 1 − 2 − 500,000,000; USDC in 6 decimals, rounded up.
    const position = { supply: 10n ** 9n, dust: 500_000_001n, tick: { tick: 0, ratio: 1n << 48n, id: 4 } }
    const { positions } = await read({ ...plain, position })
    expect(amounts(positions[1]?.supplied)).toEqual([10n ** 9n])
    expect(amounts(positions[1]?.borrowed)).toEqual([500_001n])
    // A year of magnifiers: 1 % less on supply, 2 % more on debt.
    const vault = { ...plain.vault, magnifiers: [-100, 200], updatedAt: NOW - 31_536_000n } as const
    const magnified = await read({ ...plain, vault, position: { ...position, dust: 2n } })
    expect(amounts(magnified.positions[1]?.supplied)).toEqual([990_000_000n])
    expect(amounts(magnified.positions[1]?.borrowed)).toEqual([1_020_000n])
  })

  it('owe nothing where there is only supply, and are none where there is nothing', async () => {
    const supplied = await read({ position: { supply: 7_654_321n, dust: 0n, tick: null } })
    expect(figuresOf(supplied.positions)).toEqual(supplied.expected)
    const empty = await read({ position: { supply: 0n, dust: 0n, tick: null } })
    expect(empty.positions[1]).toMatchObject({ supplied: [], borrowed: [] })
  })
})

describe('accounts of Jupiter Lend are found', () => {
  it.each([
    ['lending', 0, LENDING, [3, 1]],
    ['position', 1, VAULTS, [4, 2]],
  ] as const)('for a %s once by its mint, and then known', async (_, place, program, [first, then]) => {
    const { accounts, held: all, expected } = await fixture(WALLET, figures)
    const held = all.slice(place, place + 1)
    const adapter = createJupiterLend()
    for (const asked of [
      [first, [program]],
      [then, []],
    ]) {
      const { positions, reader } = await positionsOf(adapter, { accounts, wallet: WALLET, clock, held })
      expect(figuresOf(positions)).toEqual(expected.slice(place, place + 1))
      expect([reader.trips(), reader.searched]).toEqual(asked)
    }
  })

  it('again once a lending can be read, which hides no other', async () => {
    const { accounts, held } = await fixture(WALLET, figures)
    const adapter = createJupiterLend()
    const [lending = '', position = ''] = [LENDING, VAULTS].map((program) => addressAt(accounts, program))
    // Shorter than the compared fields of a search.
    const short = (account: SolanaAccount) => ({ ...account, data: account.data.slice(0, 60) })
    const broken = [lending, position].reduce((all, address) => changed(all, address, short), [...accounts])
    const first = await positionsOf(adapter, { accounts: broken, wallet: WALLET, clock, held })
    expect([first.positions, first.leftOut.length]).toEqual([[], 2])
    const then = await positionsOf(adapter, { accounts, wallet: WALLET, clock, held })
    expect([then.positions.length, then.leftOut]).toEqual([2, []])
  })

  it('whatever looked like an NFT before', async () => {
    const { accounts, held } = await fixture(WALLET, figures)
    const adapter = createJupiterLend()
    const [share] = held
    const unit = [{ mint: share?.mint ?? '', amountRaw: 1n, decimals: undefined }]
    expect((await positionsOf(adapter, { accounts, wallet: WALLET, clock, held: unit })).positions).toEqual([])
    expect((await positionsOf(adapter, { accounts, wallet: WALLET, clock, held })).positions).toHaveLength(2)
  })

  it('with the rewards that a lending has by now', async () => {
    const adapter = createJupiterLend()
    await read({ lending: { ...figures.lending, rewards: null } }, adapter)
    const { positions, expected, leftOut } = await read({}, adapter)
    expect([figuresOf(positions), leftOut]).toEqual([expected, []])
  })

  it('by a node that searches, and are a gap for another', async () => {
    const { accounts, held } = await fixture(WALLET, figures)
    const reader = solanaReaderOf(accounts, clock)
    const refused = async () => {
      throw new UpstreamError('not-allowed', 'no searches')
    }
    const leftOut: UpstreamError[] = []
    const scope = {
      reader: { ...reader, programAccounts: refused },
      wallet: WALLET,
      clock,
      held,
      used: new Set<string>(),
    }
    const adapter = createJupiterLend()
    expect(await adapter.positions({ ...scope, leftOut: (why) => leftOut.push(why) })).toEqual([])
    expect(leftOut.map(({ reason }) => reason)).toEqual(['not-allowed', 'not-allowed'])
    // The same adapter finds them as soon as a node does.
    expect(await adapter.positions({ ...scope, reader })).toHaveLength(2)
  })
})

// ticks.test.ts checks factors and remainders with the protocol's library.
const BEGUN = { isFullyLiquidated: false, branch: 7, factor: 1125899906826240n }
const NEVER = { isFullyLiquidated: false, branch: 0, factor: 0n }
const branch = { tick: 2_300, partials: 123_456_789, factor: 1029437080715263n, connected: 0 }
const merged = { ...branch, status: 2, tick: -(2 ** 31), partials: 0 }
const liquidated = { ids: 4, isLiquidated: true, ...BEGUN }
/** Covers every account type. */
const BEGAN_AGAIN = {
  tick: { ids: 6, isLiquidated: false, ...NEVER },
  past: BEGUN,
  branches: [{ ...branch, id: 7, status: 1 }],
}

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
      const { positions, expected, leftOut } = await read({ ...change, branches, left })
      expect(leftOut).toEqual([])
      expect(figuresOf(positions.slice(0, expected.length))).toEqual(expected)
      expect(positions[1]).toMatchObject(left.debt === 0n ? { supplied: [], borrowed: [] } : {})
    }
  })

  it('have nothing where the tick went whole, or no more than dust is owed', async () => {
    const gone = await read({ tick: { ...liquidated, isFullyLiquidated: true } })
    const position = { ...figures.position, dust: 226_381_203_339n }
    const dusty = await read({ tick: liquidated, branches: [{ ...branch, id: 7, status: 1 }], position })
    for (const { positions } of [gone, dusty]) expect(positions[1]).toMatchObject({ supplied: [], borrowed: [] })
  })

  it.each([
    ['a branch that is not there', []],
    ['a branch that was never liquidated', [{ ...branch, id: 7, status: 0 }]],
    ['branches in a circle', [{ ...merged, id: 7, factor: 562_949_953_437_697n, connected: 7 }]],
    ['factors that the program refuses', [{ ...branch, id: 7, status: 1, factor: (1n << 49n) | 20_000n }]],
  ])('are a gap, and not a figure, with %s', async (_, branches) => {
    const { positions, leftOut } = await read({ tick: liquidated, branches })
    expect(positions.map(({ label }) => label)).toEqual(['Lending'])
    expect(leftOut).toEqual([expect.objectContaining({ name: 'UpstreamError', reason: 'invalid' })])
  })
})

describe('accounts of Jupiter Lend', () => {
  it('agree with the arithmetic of the program over any figures', async () => {
    const random = seededRandom('Jupiter Lend')
    for (let round = 0; round < ROUNDS; round += 1) {
      const { positions, expected, leftOut } = await read(randomFigures(random))
      expect(leftOut, `seed ${random.seed}, round ${round}`).toEqual([])
      const shown = figuresOf(positions).filter(({ supplied, borrowed }) => supplied.length + borrowed.length > 0)
      expect(shown, `seed ${random.seed}, round ${round}`).toEqual(expected)
    }
  })

  it('hide nothing else, and are reported, where one is not what it should be', async () => {
    const { accounts, held } = await fixture(WALLET, { ...figures, ...BEGAN_AGAIN })
    const adapter = createJupiterLend()
    await positionsOf(adapter, { accounts, wallet: WALLET, clock, held })
    const changes = [cutShort, ofAnotherChainType, ofAnotherProgram, () => undefined]
    const parts = accounts.filter(({ owner }) => !OF_TOKENS.includes(owner))
    for (const [account, change] of parts.flatMap((part) => changes.map((one) => [part, one] as const))) {
      const given = { accounts: changed(accounts, account.address, change), wallet: WALLET, clock, held }
      const { positions, leftOut } = await positionsOf(adapter, given)
      const left = positions.map(({ label }) => label)
      expect(left, account.address).toEqual(leftWithout(account))
      expect(new Set(leftOut.map(({ reason }) => reason))).toEqual(new Set(['invalid']))
    }
  })

  it('are a gap in vaults of shares of pools', async () => {
    const { positions, leftOut } = await read({ vault: { ...figures.vault, type: 1 } })
    expect(positions.map(({ label }) => label)).toEqual(['Lending'])
    expect(leftOut).toHaveLength(1)
  })
})

/** Address of the program's first account. */
const addressAt = (accounts: readonly { address: string; owner: string }[], program: string) =>
  accounts.find(({ owner }) => owner === program)?.address

function leftWithout({ address, owner }: { address: string; owner: string }): string[] {
  if (address === USDC_RESERVE) return []
  return owner === VAULTS || address === SOL_RESERVE ? ['Lending'] : ['Vault 2']
}

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
