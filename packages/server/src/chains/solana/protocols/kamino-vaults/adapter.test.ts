import {
  derived,
  kaminoVault as fixture,
  type KaminoVaultFigures,
  kaminoVaultFigures,
  mintAccount,
} from '@coffer/solana-fixtures'
import { describe, expect, inject, it } from 'vitest'
import { seededRandom } from '../../../../../test/random.ts'
import { newFinds } from '../../../../../test/solana/accounts-reader.ts'
import { CLOCK, changed, INVALID, positionsOf, readFixture, WALLET } from '../../../../../test/solana/protocol-bench.ts'
import { kaminoVaults } from './adapter.ts'

const PROGRAM = 'KvauGMspG5k6rtzrqqn7WNn3oZdyKqLKwK2XWQ8FLjd'
const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const ROUNDS = inject('deep') ? 2_000 : 100
const figures = kaminoVaultFigures(CLOCK.slot)

const read = (change: Partial<KaminoVaultFigures> = {}, found = newFinds()) =>
  readFixture(kaminoVaults, fixture(WALLET, { ...figures, ...change }), { found })

describe("shares of Kamino's vaults", () => {
  it('are their part of what a vault has and has lent, less fees', async () => {
    const { positions, held } = await read()
    expect(positions[0]).toMatchObject({ label: 'Prime USDC', receipts: [held[0]?.mint] })
  })

  it('are worked out by hand where nothing is lent', async () => {
    const { positions } = await read({
      lent: [],
      available: 1_000n,
      pendingFeesSf: 100n << 60n,
      shares: 700n,
      held: 7n,
    })
    expect(positions[0]?.supplied).toEqual([{ token: USDC, amountRaw: 9n }])
    // An owed fraction of a unit does not belong to the holders.
    const owed = await read({ lent: [], available: 1_000n, pendingFeesSf: 1n, shares: 1_000n, held: 500n })
    expect(owed.positions[0]?.supplied[0]?.amountRaw).toBe(499n)
  })

  it('agree with the arithmetic of Kamino over any figures', async () => {
    const random = seededRandom('Kamino vaults')
    for (let round = 0; round < ROUNDS; round += 1) {
      const shares = random.amount(2n, 2n ** 60n)
      const change = {
        ...{ shares, held: random.amount(2n, shares), available: random.amount(2n ** 40n, 2n ** 50n) },
        pendingFeesSf: random.amount(0n, 2n ** 95n),
        lent: figures.lent.slice(random.index(3)).map(({ reserve }) => ({
          collateral: random.amount(0n, 2n ** 50n),
          reserve: { ...reserve, lastSlot: CLOCK.slot - BigInt(random.index(5_000)) },
        })),
      }
      const vault = await read(change)
      expect(vault.figures, `seed ${random.seed}, round ${round}`).toEqual(vault.expected)
    }
  })

  it('are searched once for mints that a program may mint', async () => {
    const found = newFinds()
    const first = await read({}, found)
    // Mints, heads of vaults, the vault, its reserves.
    expect([first.trips, first.searched]).toEqual([4, [PROGRAM]])
    const again = await read({}, found)
    expect(again.figures).toEqual(again.expected)
    expect([again.trips, again.searched]).toEqual([2, []])
    const ofProgram = await derived(PROGRAM, ['another'])
    for (const [mint, authority, searched] of [
      ['Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB', WALLET, []],
      [USDC, ofProgram, [PROGRAM]],
    ] as const) {
      const accounts = [...again.accounts, mintAccount(mint, 6, 5n, authority)]
      for (const asked of [searched, []]) {
        const held = [{ mint, amountRaw: 5n, decimals: 6 }]
        const none = await positionsOf(kaminoVaults, { accounts, held, found })
        expect([none.positions, none.searched]).toEqual([[], asked])
      }
    }
  })

  it('are no figure of a vault without shares, or that owes more than it has', async () => {
    const { accounts, held } = await fixture(WALLET, figures)
    const withoutShares = changed(accounts, accounts[0]?.address ?? '', ({ data, ...vault }) => ({
      ...vault,
      data: data.map((byte, index) => (index >= 232 && index < 240 ? 0 : byte)),
    }))
    await expect(positionsOf(kaminoVaults, { accounts: withoutShares, held })).rejects.toEqual(INVALID)
    await expect(read({ lent: [], pendingFeesSf: 2n ** 100n })).rejects.toEqual(INVALID)
  })
})
