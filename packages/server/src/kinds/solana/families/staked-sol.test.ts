import { infinity, jitoSol, marinade as marinadeFixture } from '@coffer/solana-fixtures'
import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../../../test/random.ts'
import {
  changed,
  cutShort,
  figuresOf,
  ofAnotherKind,
  ofAnotherProgram,
  positionsOf,
  solanaReaderOf,
} from '../../../../test/solana-reader-of.ts'
import type { SolanaFamily } from './family.ts'
import { marinade } from './marinade/family.ts'
import { sanctum } from './sanctum/family.ts'
import { stakePools } from './stake-pools/family.ts'

const WALLET = '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU'
const MSOL = 'mSoLzYCxHdYgdzU16g5QSh3i5K3z3KZK7ytfqcJm7So'
const STATE = '8szGkuLTAux9XMgZ2vtY39jVSowEcpBfFfD8hXSEqdGC'
const clock = { slot: 900n * 432_000n + 1_000n, epoch: 900n, time: 1_790_000_000 }
const invalid = expect.objectContaining({ name: 'UpstreamError', reason: 'invalid' })

const rate = (random: ReturnType<typeof seededRandom>) => ({
  held: random.amount(1n, 2n ** 62n),
  lamports: random.amount(1n, 2n ** 64n - 1n),
  supply: random.amount(1n, 2n ** 64n - 1n),
})

describe('staked SOL', () => {
  it('is worth what the pool pays out for it, to the lamport', async () => {
    const random = seededRandom('staked SOL')
    for (let i = 0; i < 100; i++) {
      const cases: [SolanaFamily, Awaited<ReturnType<typeof jitoSol>>][] = [
        [stakePools, await jitoSol(WALLET, rate(random))],
        [sanctum, await infinity(WALLET, rate(random))],
      ]
      for (const [family, { accounts, held, expected }] of cases) {
        const { positions, reader } = await positionsOf(family, { accounts, wallet: WALLET, clock, held })
        expect(figuresOf(positions)).toEqual(expected)
        expect(positions[0]?.receipts).toEqual(held.map(({ mint }) => mint))
        expect(reader.trips()).toBe(1)
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
      const { accounts, held, expected } = await marinadeFixture(WALLET, clock, figures)
      const { positions, reader } = await positionsOf(marinade, { accounts, wallet: WALLET, clock, held })
      expect(figuresOf(positions)).toEqual(expected)
      expect(reader.trips()).toBe(1)
    }
  })

  it('tells what any amount of it stands for, and nothing of other tokens', async () => {
    const { accounts, held } = await marinadeFixture(WALLET, clock)
    const reader = solanaReaderOf(accounts, clock)
    const receipts = await marinade.receipts?.({ reader, clock, held, used: new Set() })
    // (4123456789012345 + 12345678901 + 5432109 + 98765432109 - 3456789012) × 1e9 ÷ 3210987654321098
    expect(receipts?.get(MSOL)?.decompose(1_000_000_000n)).toEqual([
      { token: '11111111111111111111111111111111', amountRaw: 1_284_204_392n },
    ])
    for (const family of [stakePools, sanctum, marinade]) {
      const other = { mint: WALLET, amountRaw: 5n, decimals: 0 }
      expect(
        await family.receipts?.({ reader: solanaReaderOf([], clock), clock, held: [other], used: new Set() }),
      ).toEqual(new Map())
    }
  })

  it('of a wallet that has none is no position, and asks for nothing', async () => {
    for (const family of [stakePools, sanctum, marinade]) {
      const { positions, reader } = await positionsOf(family, { accounts: [], wallet: WALLET, clock, used: [] })
      expect(positions).toEqual([])
      expect([reader.trips(), reader.searched]).toEqual([0, []])
    }
  })

  it('is not believed of accounts that are not what they should be', async () => {
    const fixtures = [
      [stakePools, await jitoSol(WALLET), 'Jito4APyf642JPZPx3hGc6WWJ8zPKtRbRs4P815Awbb'],
      [sanctum, await infinity(WALLET), 'AYhux5gJzCoeoc1PoJ1VxwPDe22RwcvpHviLDD1oCGvW'],
      [marinade, await marinadeFixture(WALLET, clock), STATE],
    ] as const
    for (const [family, { accounts, held }, address] of fixtures) {
      const withChange = (change: Parameters<typeof changed>[2]) =>
        positionsOf(family, { accounts: changed(accounts, address, change), wallet: WALLET, clock, held })
      for (const change of [cutShort, ofAnotherProgram, () => undefined]) {
        await expect(withChange(change)).rejects.toEqual(invalid)
      }
      if (family !== sanctum) await expect(withChange(ofAnotherKind)).rejects.toEqual(invalid)
    }
    const { accounts, held } = await infinity(WALLET, undefined, 2)
    await expect(positionsOf(sanctum, { accounts, wallet: WALLET, clock, held })).rejects.toEqual(invalid)
  })
})
