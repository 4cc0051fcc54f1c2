import { derived, raydiumPools as fixture, type LpFigures, lpFigures, mintAccount } from '@coffer/solana-fixtures'
import { describe, expect, it } from 'vitest'
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
import { createRaydiumPools } from './adapter.ts'

const WALLET = '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU'
const CPMM = 'CPMMoo8L3F4NbTegBCKVNunggL7H1ZpdTHKxQB5qKP1C'
const AMM = '675kPX9MHTjS2zt1qfr1NYHuzeLXfQM9H24wFSUt1Mp8'
const SOL = 'So11111111111111111111111111111111111111112'
const clock = { slot: 900n * 432_000n, epoch: 900n, time: 1_790_000_000 }
const invalid = expect.objectContaining({ name: 'UpstreamError', reason: 'invalid' })

const wallet = (cpmm: Partial<LpFigures> = {}, amm: Partial<LpFigures> = {}) =>
  fixture(WALLET, { cpmm: { ...lpFigures.cpmm, ...cpmm }, amm: { ...lpFigures.amm, ...amm } })

async function read(adapter = createRaydiumPools(), cpmm: Partial<LpFigures> = {}) {
  const { accounts, held, expected } = await wallet(cpmm)
  return { ...(await positionsOf(adapter, { accounts, wallet: WALLET, clock, held })), held, expected }
}

/** Pools, their vaults and share mints, in the order CPMM, AMM v4. */
async function parts() {
  const { accounts, held } = await wallet()
  const half = accounts.length / 2
  const addresses = accounts.map(({ address }) => address)
  return [0, half].map((at) => {
    const [pool = '', vault0 = '', vault1 = '', mint = ''] = addresses.slice(at)
    return { pool, vault0, vault1, mint, accounts, held }
  })
}

describe("shares of Raydium's pools", () => {
  it('are their part of both vaults, less what is owed to others', async () => {
    const { positions, held, expected } = await read()
    expect(figuresOf(positions)).toEqual(expected)
    expect(positions.map(({ label }) => label)).toEqual(['CPMM', 'AMM v4'])
    expect(positions.map(({ receipts }) => receipts)).toEqual(held.map(({ mint }) => [mint]))
  })

  it('are found by their mint once: by its authority, and by a search in the program of that', async () => {
    const adapter = createRaydiumPools()
    const first = await read(adapter)
    // Mints, pools, vaults.
    expect([first.reader.trips(), first.reader.searched]).toEqual([3, [CPMM, AMM]])
    const again = await read(adapter)
    expect(figuresOf(again.positions)).toEqual(again.expected)
    expect([again.reader.trips(), again.reader.searched]).toEqual([1, []])
  })

  it('are the same tokens to the prices, at no further trip', async () => {
    const { accounts, held } = await wallet()
    const adapter = createRaydiumPools()
    const reader = solanaReaderOf(accounts, clock)
    const used = new Set<string>()
    const [positions, receipts] = await Promise.all([
      adapter.positions({ reader, wallet: WALLET, clock, held, used }),
      adapter.receipts?.({ reader, clock, held, used }),
    ])
    expect([reader.trips(), reader.searched.length]).toEqual([3, 2])
    expect([...(receipts?.keys() ?? [])]).toEqual(held.map(({ mint }) => mint))
    for (const [index, { mint, amountRaw }] of held.entries()) {
      expect(receipts?.get(mint)?.decompose(amountRaw)).toEqual(positions[index]?.supplied)
    }
    // Ten shares of 61237243569, of 5000000000000 lamports.
    expect(receipts?.get(held[0]?.mint ?? '')?.decompose(10n)[0]).toEqual({ token: SOL, amountRaw: 816n })
  })

  it('are searched sixteen at a time, and are missing until then', async () => {
    const { accounts, held, expected } = await wallet()
    const authority = await derived(CPMM, ['vault_and_lp_mint_auth_seed'])
    const junk = await Promise.all(Array.from({ length: 20 }, (_, i) => derived(CPMM, [`junk ${i}`])))
    const all = [...accounts, ...junk.map((mint) => mintAccount(mint, 9, 5n, authority))]
    const sent = [...junk.map((mint) => ({ mint, amountRaw: 5n, decimals: 9 })), ...held]
    const adapter = createRaydiumPools()
    const first = await positionsOf(adapter, { accounts: all, wallet: WALLET, clock, held: sent })
    expect([first.positions, first.reader.searched.length, first.leftOut.length]).toEqual([[], 16, 1])
    const next = await positionsOf(adapter, { accounts: all, wallet: WALLET, clock, held: sent })
    expect([figuresOf(next.positions), next.reader.searched.length, next.leftOut]).toEqual([expected, 6, []])
  })

  it('are unreadable where a node does not search, and no loss to the others', async () => {
    const { accounts, held, expected } = await wallet()
    const reader = solanaReaderOf(accounts, clock)
    const refusing = {
      ...reader,
      programAccounts: () => Promise.reject(new UpstreamError('not-allowed', 'getProgramAccounts is not offered')),
    }
    const scope = { wallet: WALLET, clock, held, used: new Set<string>() }
    const adapter = createRaydiumPools()
    await expect(adapter.positions({ ...scope, reader: refusing })).rejects.toMatchObject({ reason: 'not-allowed' })
    expect(figuresOf(await adapter.positions({ ...scope, reader }))).toEqual(expected)
  })

  it('are not what other tokens are, nor a mint whose authority was given away', async () => {
    const [cpmm] = await parts()
    const { accounts = [], held = [], pool = '', mint = '' } = cpmm ?? {}
    const adapter = createRaydiumPools()
    const imitation = changed(accounts, pool, () => undefined)
    for (const trips of [3, 1]) {
      const found = await positionsOf(adapter, { accounts: imitation, wallet: WALLET, clock, held })
      expect([found.positions.length, found.reader.trips()]).toEqual([1, trips])
    }
    // An NFT, a token without an owner, an address without a mint.
    const nft = { mint, amountRaw: 1n, decimals: 0 }
    expect((await positionsOf(adapter, { accounts, wallet: WALLET, clock, held: [nft] })).positions).toEqual([])
    const gone = changed(accounts, mint, () => undefined)
    const fresh = createRaydiumPools()
    expect((await positionsOf(fresh, { accounts: gone, wallet: WALLET, clock, held })).positions).toHaveLength(1)
  })

  it('are not believed of accounts that are not what they should be', async () => {
    for (const { pool, vault0, vault1, accounts, held } of await parts()) {
      const withChange = (address: string, change: Parameters<typeof changed>[2], adapter = createRaydiumPools()) =>
        positionsOf(adapter, { accounts: changed(accounts, address, change), wallet: WALLET, clock, held })
      for (const vault of [vault0, vault1]) {
        for (const change of [cutShort, ofAnotherChainType, ofAnotherProgram, () => undefined]) {
          await expect(withChange(vault, change)).rejects.toEqual(invalid)
        }
      }
      // A known pool is read by its address.
      const adapter = createRaydiumPools()
      await positionsOf(adapter, { accounts, wallet: WALLET, clock, held })
      for (const change of [cutShort, ofAnotherProgram, () => undefined]) {
        await expect(withChange(pool, change, adapter)).rejects.toEqual(invalid)
      }
    }
  })

  it('are no figure if a pool has no shares, owes more than it has, or is in an unknown state', async () => {
    for (const [cpmm, amm] of [
      [{ shares: 0n }, {}],
      [{ vaults: [3_099n, 10_000n] as const }, {}],
      [{}, { vaults: [699_999n, 300_000n] as const }],
      [{}, { status: 0n }],
      [{}, { status: 8n }],
    ] as const) {
      const { accounts, held } = await wallet(cpmm, amm)
      const reading = positionsOf(createRaydiumPools(), { accounts, wallet: WALLET, clock, held })
      await expect(reading).rejects.toEqual(invalid)
    }
  })
})
