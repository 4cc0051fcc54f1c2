import { infinity, jitoSol, marinade as marinadeFixture } from '@coffer/solana-fixtures'
import { base58 } from '@scure/base'
import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../../../test/random.ts'
import { newFinds } from '../../../../test/solana/accounts-reader.ts'
import {
  CLOCK,
  INVALID,
  positionsOf,
  readFixture,
  refusingSearches,
  WALLET,
} from '../../../../test/solana/protocol-bench.ts'
import { createKept } from '../../../lib/kept.ts'
import { marinade } from './marinade/adapter.ts'
import { sanctum } from './sanctum/adapter.ts'
import { stakePools } from './stake-pools/adapter.ts'

const MSOL = 'mSoLzYCxHdYgdzU16g5QSh3i5K3z3KZK7ytfqcJm7So'
const clock = { ...CLOCK, slot: CLOCK.slot + 1_000n }
const DAY_MS = 24 * 60 * 60 * 1_000

const rate = (random: ReturnType<typeof seededRandom>) => ({
  held: random.amount(1n, 2n ** 62n),
  lamports: random.amount(1n, 2n ** 64n - 1n),
  supply: random.amount(1n, 2n ** 64n - 1n),
})

describe('staked SOL', () => {
  it('is worth what the pool pays out for it, to the lamport', async () => {
    const random = seededRandom('staked SOL')
    for (let i = 0; i < 100; i++) {
      for (const [adapter, fixture] of [
        [stakePools, jitoSol(WALLET, rate(random))],
        [sanctum, infinity(WALLET, rate(random))],
      ] as const) {
        const { positions, figures, trips, held, expected } = await readFixture(adapter, fixture)
        expect([figures, trips]).toEqual([expected, 1])
        expect(positions.map(({ receipts }) => receipts)).toEqual(expected.map(() => held.map(({ mint }) => mint)))
      }
    }
  })

  it('is worth all that Marinade controls, less what it owes', async () => {
    const random = seededRandom('Marinade')
    for (let i = 0; i < 100; i++) {
      const some = () => random.amount(1n, 2n ** 60n)
      const figures = {
        ...{ held: some(), supply: some(), active: some(), coolingDown: some(), emergency: some(), reserve: some() },
        tickets: 0n,
        ticket: { lamports: some(), epoch: random.amount(899n, 901n) },
      }
      figures.tickets = random.amount(0n, figures.active)
      const read = await readFixture(marinade, marinadeFixture(WALLET, clock, figures), { clock })
      expect([read.figures, read.trips]).toEqual([read.expected, 1])
    }
  })

  it('returns the underlying amount of it', async () => {
    const { receipts } = await readFixture(marinade, marinadeFixture(WALLET, clock), { clock })
    // (4123456789012345 + 12345678901 + 5432109 + 98765432109 - 3456789012) × 1e9 ÷ 3210987654321098
    expect(receipts?.get(MSOL)?.decompose(1_000_000_000n)).toEqual([
      { token: '11111111111111111111111111111111', amountRaw: 1_284_204_392n },
    ])
  })

  it.each([stakePools, sanctum, marinade])(
    'of a wallet that has none is no position and no receipt, and asks for nothing',
    async (adapter) => {
      const held = [{ mint: WALLET, amountRaw: 5n, decimals: 0 }]
      expect(await positionsOf(adapter, { accounts: [], held, used: [] })).toMatchObject({
        ...{ positions: [], receipts: new Map(), trips: 0, searched: [] },
      })
    },
  )

  it('of Sanctum is not believed in a version that is not known', async () => {
    await expect(readFixture(sanctum, infinity(WALLET, undefined, 3))).rejects.toEqual(INVALID)
  })

  it('of Sanctum is without what the pool withholds, and with what it has released since', async () => {
    // Half of the remainder is released per slot; a tenth of that is the protocol's.
    const half = { fee: 100_000_000n, released: 1n << 62n, withheld: 1_000n, protocol: 25n, since: clock.slot - 2n }
    const worth = async (kept: typeof half) => {
      const rate = { held: 100n, lamports: 10_000n, supply: 4_825n }
      const { positions } = await readFixture(sanctum, infinity(WALLET, rate, 2, kept), { clock })
      return positions[0]?.supplied[0]?.amountRaw
    }
    // 250 withheld, 25 and 75 of the protocol: 9,650 over 4,825.
    expect(await worth(half)).toBe(200n)
    // Nothing released yet: 10,000 - 1,000 - 25 = 8,975; a hundred of 4,825.
    expect(await worth({ ...half, since: clock.slot })).toBe(186n)
    // 126 of 1,001 withheld, rounded up; 875 released, 88 of it to the protocol: 9,761.
    expect(await worth({ ...half, withheld: 1_001n, since: clock.slot - 3n })).toBe(202n)
    await expect(worth({ ...half, withheld: 10_000n, since: clock.slot })).rejects.toEqual(INVALID)
  })

  /** JitoSOL's pool under the address and mint of an unlisted pool. */
  const unlistedPool = async (figures = rate(seededRandom('unlisted pool'))) => {
    const [mint, pool] = [
      'BULKoNSGzxtCqzwTvg5hFJg8fx6dqZRScyXe5LYMfxrn',
      'BULKstPL5rTE9ZVkpkBNyBeYPhjSv4bkcMpRYLCPNLG1',
    ]
    const fixture = await jitoSol(WALLET, figures)
    const accounts = fixture.accounts
      .filter(({ data }) => data.length === 611)
      .map((account) => ({ ...account, address: pool, data: Uint8Array.from(account.data) }))
    for (const { data } of accounts) data.set(base58.decode(mint), 162)
    const held = fixture.held.map((token) => ({ ...token, mint }))
    return { mint, pool, held, accounts, expected: fixture.expected }
  }

  it('of a pool that no row names is found in its program, which is listed once while the list is kept', async () => {
    const days = { time: 0, now: () => days.time }
    const found = { ...newFinds(), pools: createKept<ReadonlyMap<string, string>>({ clock: days, freshMs: DAY_MS }) }
    const { mint, pool, ...fixture } = await unlistedPool()
    const readAt = async (time: number) => {
      days.time = time
      const { positions, figures, trips, searched, expected } = await readFixture(stakePools, fixture, { found })
      expect(figures).toEqual(expected)
      expect(positions).toMatchObject([{ label: 'Staked SOL', pool, receipts: [mint] }])
      return [trips, searched.length]
    }
    expect(await readAt(0)).toEqual([2, 3])
    expect(await readAt(DAY_MS - 1)).toEqual([1, 0])
    expect(await readAt(DAY_MS)).toEqual([2, 3])
  })

  it('of the rows is read where a node lists no pools, and the rest is said to be missing', async () => {
    const [listed, unlisted] = [await jitoSol(WALLET), await unlistedPool()]
    const { figures, receipts, leftOut } = await positionsOf(stakePools, {
      accounts: [...listed.accounts, ...unlisted.accounts],
      held: [...listed.held, ...unlisted.held],
      through: refusingSearches,
    })
    expect(figures).toEqual(listed.expected)
    expect(leftOut).toMatchObject([{ reason: 'not-allowed' }])
    expect([...(receipts?.keys() ?? [])]).toEqual(listed.held.map(({ mint }) => mint))
  })
})
