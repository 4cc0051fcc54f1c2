import { type JupiterPerpsFigures, jupiterPerpsFigures, jupiterPerps as perpsFixture } from '@coffer/solana-fixtures'
import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../../../../test/random.ts'
import {
  changed,
  cutShort,
  figuresOf,
  ofAnotherChainType,
  ofAnotherProgram,
  positionsOf,
} from '../../../../../test/solana-reader-of.ts'
import { jupiterPerps } from './adapter.ts'

const WALLET = '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU'
const clock = { slot: 388_800_000n, epoch: 900n, time: 1_790_000_000 }
const invalid = expect.objectContaining({ name: 'UpstreamError', reason: 'invalid' })

const read = async (figures: Partial<JupiterPerpsFigures>) => {
  const fixture = await perpsFixture(WALLET, { ...jupiterPerpsFigures, ...figures })
  const { positions, reader } = await positionsOf(jupiterPerps, { accounts: fixture.accounts, wallet: WALLET, clock })
  return { fixture, positions, reader }
}

describe('perpetuals of Jupiter', () => {
  it('are the tokens that they amount to', async () => {
    const random = seededRandom('Jupiter perpetuals')
    for (let i = 0; i < 100; i++) {
      const { fixture, positions, reader } = await read({
        side: random.pick([1, 2]),
        price: random.amount(1n, 2n ** 50n),
        size: random.amount(0n, 1n) * random.amount(1n, 2n ** 60n),
        collateral: random.amount(1n, 2n ** 60n),
        snapshot: random.amount(0n, 2n ** 40n),
        cumulative: random.amount(0n, 2n ** 41n),
      })
      expect(figuresOf(positions)).toEqual(fixture.expected)
      expect(reader.trips()).toBeLessThanOrEqual(2)
    }
  })

  it('are worth their collateral and what they won, at any price', async () => {
    // 1000 USD of SOL at 100, 200 of collateral, one hundredth of the size in interest.
    const figures = {
      price: 100_000_000n,
      size: 1_000_000_000n,
      collateral: 200_000_000n,
      snapshot: 0n,
      cumulative: 10_000_000n,
    }
    const long = await read({ ...figures, side: 1 })
    expect(long.positions[0]?.supplied.map(({ amountRaw }) => amountRaw)).toEqual([10_000_000_000n])
    expect(long.positions[0]?.borrowed.map(({ amountRaw }) => amountRaw)).toEqual([810_000_000n])
    expect(long.positions[0]?.perpetual).toEqual({
      side: 'long',
      sizeRaw: 10n * 10n ** 18n,
      entryPriceRaw: 100n * 10n ** 18n,
      marginUsedRaw: 200n * 10n ** 18n,
      leverageRaw: 5n * 10n ** 18n,
      // It must keep 1000 ÷ 500 + 1000 × 7 ÷ 10000 (6, and 1 of price impact, rounded up) + 10 of interest = 12.7 of
      // its 200.
      liquidationPriceRaw: 81_270n * 10n ** 15n,
    })
    const short = await read({ ...figures, side: 2 })
    expect(short.positions[0]?.perpetual).toMatchObject({ side: 'short', liquidationPriceRaw: 118_730n * 10n ** 15n })
    expect(short.positions[0]?.supplied.map(({ amountRaw }) => amountRaw)).toEqual([1_190_000_000n])
    expect(short.positions[0]?.borrowed.map(({ amountRaw }) => amountRaw)).toEqual([10_000_000_000n])
  })

  it('are liquidated at no price where the collateral outweighs the size', async () => {
    const { positions } = await read({ side: 1, price: 100_000_000n, size: 1_000_000n, collateral: 2_000_000n })
    expect(positions[0]?.perpetual?.liquidationPriceRaw).toBeUndefined()
  })

  it('are searched only where the program was used', async () => {
    const { accounts } = await perpsFixture(WALLET)
    const { positions, reader } = await positionsOf(jupiterPerps, { accounts, wallet: WALLET, clock, used: [] })
    expect([positions, reader.trips()]).toEqual([[], 0])
  })

  it('are not believed where accounts are not what they should be', async () => {
    const { accounts } = await perpsFixture(WALLET)
    const refuses = async (address: string | undefined, change: typeof cutShort | (() => undefined)) => {
      const given = { accounts: changed(accounts, address ?? '', change), wallet: WALLET, clock }
      await expect(positionsOf(jupiterPerps, given)).rejects.toEqual(invalid)
    }
    for (const change of [cutShort, ofAnotherChainType, ofAnotherProgram, () => undefined])
      await refuses(accounts[1]?.address, change)
    await refuses(accounts[0]?.address, (account) => ({ ...account, data: account.data.slice(0, 200) }))
    for (const side of [0, 3]) {
      const data = accounts.map((account, index) => {
        const bytes = new Uint8Array(account.data)
        if (index === 0) bytes[152] = side
        return { ...account, data: bytes }
      })
      await expect(positionsOf(jupiterPerps, { accounts: data, wallet: WALLET, clock })).rejects.toEqual(invalid)
    }
  })
})
