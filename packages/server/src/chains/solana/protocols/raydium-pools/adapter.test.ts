import { derived, raydiumPools as fixture, type LpFigures, lpFigures, mintAccount } from '@coffer/solana-fixtures'
import { describe, expect, it } from 'vitest'
import { newFinds } from '../../../../../test/solana/accounts-reader.ts'
import {
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
import { raydiumPools } from './adapter.ts'

const CPMM = 'CPMMoo8L3F4NbTegBCKVNunggL7H1ZpdTHKxQB5qKP1C'
const AMM = '675kPX9MHTjS2zt1qfr1NYHuzeLXfQM9H24wFSUt1Mp8'
const SOL = 'So11111111111111111111111111111111111111112'

const wallet = (cpmm: Partial<LpFigures> = {}, amm: Partial<LpFigures> = {}) =>
  fixture(WALLET, { cpmm: { ...lpFigures.cpmm, ...cpmm }, amm: { ...lpFigures.amm, ...amm } })

describe("shares of Raydium's pools", () => {
  it('are their part of both vaults, less what is owed to others', async () => {
    const { positions, held, receipts } = await readFixture(raydiumPools, wallet())
    expect(positions.map(({ label }) => label)).toEqual(['CPMM', 'AMM v4'])
    expect(positions.map((position) => position.receipts)).toEqual(held.map(({ mint }) => [mint]))
    // Ten shares of 61237243569, of 5000000000000 lamports.
    expect(receipts?.get(held[0]?.mint ?? '')?.decompose(10n)[0]).toEqual({ token: SOL, amountRaw: 816n })
  })

  it('are found by their mint once: by its authority, and by a search in the program of that', async () => {
    const found = newFinds()
    const first = await readFixture(raydiumPools, wallet(), { found })
    // Mints, pools, vaults.
    expect([first.trips, first.searched]).toEqual([3, [CPMM, AMM]])
    const again = await readFixture(raydiumPools, wallet(), { found })
    expect([again.figures, again.trips, again.searched]).toEqual([again.expected, 1, []])
  })

  it('are searched sixteen at a time, and are missing until then', async () => {
    const { accounts, held, expected } = await wallet()
    const authority = await derived(CPMM, ['vault_and_lp_mint_auth_seed'])
    const junk = await Promise.all(Array.from({ length: 20 }, (_, i) => derived(CPMM, [`junk ${i}`])))
    const all = [...accounts, ...junk.map((mint) => mintAccount(mint, 9, 5n, authority))]
    const sent = [...junk.map((mint) => ({ mint, amountRaw: 5n, decimals: 9 })), ...held]
    const given = { accounts: all, held: sent, found: newFinds() }
    const first = await positionsOf(raydiumPools, given)
    expect([first.positions, first.searched.length, first.leftOut.length]).toEqual([[], 16, 1])
    const next = await positionsOf(raydiumPools, given)
    expect([next.figures, next.searched.length, next.leftOut]).toEqual([expected, 6, []])
  })

  it('are unreadable where a node does not search, and no loss to the others', async () => {
    const found = newFinds()
    const refused = readFixture(raydiumPools, wallet(), { found, through: refusingSearches })
    await expect(refused).rejects.toMatchObject({ reason: 'not-allowed' })
    const { figures, expected } = await readFixture(raydiumPools, wallet(), { found })
    expect(figures).toEqual(expected)
  })

  it('are not what other tokens are, nor a mint whose authority was given away', async () => {
    const { accounts, held } = await wallet()
    const [pool = '', , , mint = ''] = accounts.map(({ address }) => address)
    const imitation = { accounts: changed(accounts, pool, gone), held, found: newFinds() }
    for (const trips of [3, 1]) {
      const read = await positionsOf(raydiumPools, imitation)
      expect([read.positions.length, read.trips]).toEqual([1, trips])
    }
    // An NFT, and an address without a mint.
    const nft = { mint, amountRaw: 1n, decimals: 0 }
    expect((await positionsOf(raydiumPools, { accounts, held: [nft] })).positions).toEqual([])
    const without = await positionsOf(raydiumPools, { accounts: changed(accounts, mint, gone), held })
    expect(without.positions).toHaveLength(1)
  })

  it.each([
    ['has no shares', { shares: 0n }, {}],
    ['owes more than it has', { vaults: [3_099n, 10_000n] as const }, {}],
    ['of the AMM owes more than it has', {}, { vaults: [699_999n, 300_000n] as const }],
    ['is uninitialized', {}, { status: 0n }],
    ['is in an unknown state', {}, { status: 8n }],
  ])('are no figure of a pool that %s', async (_, cpmm, amm) => {
    await expect(readFixture(raydiumPools, wallet(cpmm, amm))).rejects.toEqual(INVALID)
  })

  it.each([
    ['cut short', cutShort],
    ['of another token', ofAnotherType],
    ['of another program', ofAnotherProgram],
    ['gone', gone],
  ])('are not believed with a vault that is %s', async (_, change) => {
    const { accounts, held } = await wallet()
    for (const [place, { address }] of accounts.entries()) {
      // A pool, its vaults, its mint and the wallet's account, for either program.
      if (![1, 2, 6, 7].includes(place)) continue
      const reading = positionsOf(raydiumPools, { accounts: changed(accounts, address, change), held })
      await expect(reading).rejects.toEqual(INVALID)
    }
  })
})
