import { everyAdapter } from '@coffer/solana-fixtures'
import { describe, expect, it } from 'vitest'
import { newFinds } from '../../../../test/solana/accounts-reader.ts'
import {
  CLOCK,
  changed,
  cutShort,
  figuresOf,
  gone,
  ofAnotherProgram,
  ofAnotherType,
  positionsOf,
  readFixture,
  WALLET,
} from '../../../../test/solana/protocol-bench.ts'
import { UpstreamError, upstreamOnly } from '../../../lib/upstream-error.ts'
import { solanaAdapters } from './protocols.ts'

const fixtures = await everyAdapter(WALLET, CLOCK)
const placed = solanaAdapters.flatMap((adapter) => {
  const fixture = fixtures[adapter.key]
  return fixture ? [{ name: adapter.key, adapter, fixture }] : []
})

/** Token accounts of the wallet, mints and metadata only lead to positions. */
const OF_TOKENS = ['TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', 'metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s']
const CHANGES = { cutShort, ofAnotherType, ofAnotherProgram, gone }

/** Sanctum's pool has no type. Only lengths distinguish accounts of Save and of Raydium's AMM v4. */
const WITHOUT_TYPE = [
  'AYhux5gJzCoeoc1PoJ1VxwPDe22RwcvpHviLDD1oCGvW',
  ...(fixtures['save']?.accounts ?? []).map(({ address }) => address),
  ...(fixtures['raydium_pools']?.accounts ?? []).flatMap(({ address, data }) => (data.length === 752 ? [address] : [])),
]

/** Places of accounts without which the figures are the same, or have no date. */
const SPARE: Readonly<Record<string, number[]>> = { drift: [1], jupiter_lend: [9], jupiter_dao: [1] }

describe.each(placed)('accounts of $name', ({ name, adapter, fixture }) => {
  const { accounts, held, expected } = fixture

  const spoilt = accounts.flatMap(({ address, owner }, place) =>
    Object.entries(CHANGES)
      .filter(([what]) => !OF_TOKENS.includes(owner) && !(what === 'ofAnotherType' && WITHOUT_TYPE.includes(address)))
      .map(([what, change]) => ({ what: `${what} ${place}`, place, accounts: changed(accounts, address, change) })),
  )

  it('are not believed where one is not what it should be', async () => {
    const known = newFinds()
    await readFixture(adapter, fixture, { found: known })
    const readings = spoilt.flatMap((each) => [newFinds(), known].map((found) => ({ ...each, held, found })))
    for (const { what, place, ...given } of readings) {
      const read = await positionsOf(adapter, given).catch(upstreamOnly)
      if (read instanceof UpstreamError) expect(read.reason, what).toBe('invalid')
      else if (!SPARE[name]?.includes(place)) {
        expect(read.figures.length, what).toBeLessThan(expected.length)
        expect(expected).toEqual(expect.arrayContaining(read.figures))
        expect(read.leftOut.filter(({ reason }) => reason !== 'invalid')).toEqual([])
      }
    }
  })

  it('are read in few trips, and their shares have the same amounts for the prices', async () => {
    const found = newFinds()
    const [first, again] = [
      await readFixture(adapter, fixture, { found }),
      await readFixture(adapter, fixture, { found }),
    ]
    expect([figuresOf(first.positions), figuresOf(again.positions)]).toEqual([expected, expected])
    expect(again.trips).toBeLessThanOrEqual(2)
    for (const { mint, amountRaw } of first.receipts ? held : []) {
      const share = first.positions.find(({ receipts }) => receipts.includes(mint))
      // Jupiter's vaults are NFTs.
      if (amountRaw > 1n) expect(first.receipts?.get(mint)?.decompose(amountRaw)).toEqual(share?.supplied)
    }
  })
})
