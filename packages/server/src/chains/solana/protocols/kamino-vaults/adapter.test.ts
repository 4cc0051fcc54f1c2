import {
  derived,
  kaminoVault as fixture,
  type KaminoVaultFigures,
  kaminoVaultFigures,
  mintAccount,
} from '@coffer/solana-fixtures'
import { describe, expect, inject, it } from 'vitest'
import { seededRandom } from '../../../../../test/random.ts'
import {
  changed,
  cutShort,
  figuresOf,
  ofAnotherChainType,
  ofAnotherProgram,
  positionsOf,
  solanaReaderOf,
} from '../../../../../test/solana-reader-of.ts'
import { createKaminoVaults } from './adapter.ts'

const WALLET = '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU'
const PROGRAM = 'KvauGMspG5k6rtzrqqn7WNn3oZdyKqLKwK2XWQ8FLjd'
const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const ROUNDS = inject('deep') ? 2_000 : 100
const clock = { slot: 900n * 432_000n, epoch: 900n, time: 1_790_000_000 }
const invalid = expect.objectContaining({ name: 'UpstreamError', reason: 'invalid' })
const figures = kaminoVaultFigures(clock.slot)

async function read(change: Partial<KaminoVaultFigures> = {}, adapter = createKaminoVaults()) {
  const { accounts, held, expected } = await fixture(WALLET, { ...figures, ...change })
  return { ...(await positionsOf(adapter, { accounts, wallet: WALLET, clock, held })), accounts, held, expected }
}

describe("shares of Kamino's vaults", () => {
  it('are their part of what a vault has and has lent, less fees', async () => {
    const { positions, held, expected } = await read()
    expect(figuresOf(positions)).toEqual(expected)
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
          reserve: { ...reserve, lastSlot: clock.slot - BigInt(random.index(5_000)) },
        })),
      }
      const { positions, expected } = await read(change)
      expect(figuresOf(positions), `seed ${random.seed}, round ${round}`).toEqual(expected)
    }
  })

  it('are searched once for mints that a program may mint', async () => {
    const adapter = createKaminoVaults()
    const first = await read({}, adapter)
    // Mints, heads of vaults, the vault, its reserves.
    expect([first.reader.trips(), first.reader.searched]).toEqual([4, [PROGRAM]])
    const again = await read({}, adapter)
    expect(figuresOf(again.positions)).toEqual(again.expected)
    expect([again.reader.trips(), again.reader.searched]).toEqual([2, []])
    const ofProgram = await derived(PROGRAM, ['another'])
    for (const [mint, authority, searched] of [
      ['Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB', WALLET, []],
      [USDC, ofProgram, [PROGRAM]],
    ] as const) {
      const accounts = [...again.accounts, mintAccount(mint, 6, 5n, authority)]
      for (const asked of [searched, []]) {
        const held = [{ mint, amountRaw: 5n, decimals: 6 }]
        const found = await positionsOf(adapter, { accounts, wallet: WALLET, clock, held })
        expect([found.positions, found.reader.searched]).toEqual([[], asked])
      }
    }
  })

  it('are the same tokens to the prices, at no further trip', async () => {
    const { accounts, held } = await fixture(WALLET, figures)
    const adapter = createKaminoVaults()
    const reader = solanaReaderOf(accounts, clock)
    const used = new Set<string>()
    const [positions, receipts] = await Promise.all([
      adapter.positions({ reader, wallet: WALLET, clock, held, used }),
      adapter.receipts?.({ reader, clock, held, used }),
    ])
    expect([reader.trips(), reader.searched.length]).toEqual([4, 1])
    const [share] = held
    expect(receipts?.get(share?.mint ?? '')?.decompose(share?.amountRaw ?? 0n)).toEqual(positions[0]?.supplied)
  })

  it('are not believed of accounts that are not what they should be', async () => {
    const { accounts, held } = await fixture(WALLET, figures)
    const [vault = '', reserve = ''] = accounts.map(({ address }) => address)
    const withChange = (address: string, change: Parameters<typeof changed>[2], adapter = createKaminoVaults()) =>
      positionsOf(adapter, { accounts: changed(accounts, address, change), wallet: WALLET, clock, held })
    for (const change of [cutShort, ofAnotherChainType, ofAnotherProgram, () => undefined]) {
      await expect(withChange(reserve, change)).rejects.toEqual(invalid)
      const adapter = createKaminoVaults()
      await positionsOf(adapter, { accounts, wallet: WALLET, clock, held })
      await expect(withChange(vault, change, adapter)).rejects.toEqual(invalid)
    }
    const withoutShares = (account: (typeof accounts)[number]) => ({
      ...account,
      data: account.data.map((byte, index) => (index >= 232 && index < 240 ? 0 : byte)),
    })
    await expect(withChange(vault, withoutShares)).rejects.toEqual(invalid)
    await expect(read({ lent: [], pendingFeesSf: 2n ** 100n })).rejects.toEqual(invalid)
  })
})
