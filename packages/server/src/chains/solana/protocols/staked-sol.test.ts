import { infinity, jitoSol, marinade as marinadeFixture } from '@coffer/solana-fixtures'
import { base58 } from '@scure/base'
import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../../../test/random.ts'
import {
  changed,
  cutShort,
  figuresOf,
  ofAnotherChainType,
  ofAnotherProgram,
  positionsOf,
  solanaReaderOf,
} from '../../../../test/solana-reader-of.ts'
import { createKept } from '../../../lib/kept.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import type { SolanaAdapter } from './adapter.ts'
import { marinade } from './marinade/adapter.ts'
import { sanctum } from './sanctum/adapter.ts'
import { createStakePools } from './stake-pools/adapter.ts'

const WALLET = '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU'
const MSOL = 'mSoLzYCxHdYgdzU16g5QSh3i5K3z3KZK7ytfqcJm7So'
const STATE = '8szGkuLTAux9XMgZ2vtY39jVSowEcpBfFfD8hXSEqdGC'
const clock = { slot: 900n * 432_000n + 1_000n, epoch: 900n, time: 1_790_000_000 }
const DAY_MS = 24 * 60 * 60 * 1_000
const stakePools = createStakePools()
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
      const cases: [SolanaAdapter, Awaited<ReturnType<typeof jitoSol>>][] = [
        [stakePools, await jitoSol(WALLET, rate(random))],
        [sanctum, await infinity(WALLET, rate(random))],
      ]
      for (const [adapter, { accounts, held, expected }] of cases) {
        const { positions, reader } = await positionsOf(adapter, { accounts, wallet: WALLET, clock, held })
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

  it('returns the underlying amount of it, and nothing of other tokens', async () => {
    const { accounts, held } = await marinadeFixture(WALLET, clock)
    const reader = solanaReaderOf(accounts, clock)
    const receipts = await marinade.receipts?.({ reader, clock, held, used: new Set() })
    // (4123456789012345 + 12345678901 + 5432109 + 98765432109 - 3456789012) × 1e9 ÷ 3210987654321098
    expect(receipts?.get(MSOL)?.decompose(1_000_000_000n)).toEqual([
      { token: '11111111111111111111111111111111', amountRaw: 1_284_204_392n },
    ])
    for (const adapter of [stakePools, sanctum, marinade]) {
      const other = { mint: WALLET, amountRaw: 5n, decimals: 0 }
      expect(
        await adapter.receipts?.({ reader: solanaReaderOf([], clock), clock, held: [other], used: new Set() }),
      ).toEqual(new Map())
    }
  })

  it('of a wallet that has none is no position, and asks for nothing', async () => {
    for (const adapter of [stakePools, sanctum, marinade]) {
      const { positions, reader } = await positionsOf(adapter, { accounts: [], wallet: WALLET, clock, used: [] })
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
    for (const [adapter, { accounts, held }, address] of fixtures) {
      const withChange = (change: Parameters<typeof changed>[2]) =>
        positionsOf(adapter, { accounts: changed(accounts, address, change), wallet: WALLET, clock, held })
      for (const change of [cutShort, ofAnotherProgram, () => undefined]) {
        await expect(withChange(change)).rejects.toEqual(invalid)
      }
      if (adapter !== sanctum) await expect(withChange(ofAnotherChainType)).rejects.toEqual(invalid)
    }
    const { accounts, held } = await infinity(WALLET, undefined, 3)
    await expect(positionsOf(sanctum, { accounts, wallet: WALLET, clock, held })).rejects.toEqual(invalid)
  })

  it('of Sanctum is without what the pool withholds, and with what it has released since', async () => {
    // Half of the remainder is released per slot; a tenth of that is the protocol's.
    const half = { fee: 100_000_000n, released: 1n << 62n, withheld: 1_000n, protocol: 25n, since: clock.slot - 2n }
    const worth = async (kept: typeof half) => {
      const rate = { held: 100n, lamports: 10_000n, supply: 4_825n }
      const { accounts, held } = await infinity(WALLET, rate, 2, kept)
      const { positions } = await positionsOf(sanctum, { accounts, wallet: WALLET, clock, held })
      return positions[0]?.supplied[0]?.amountRaw
    }
    // 250 withheld, 25 and 75 of the protocol: 9,650 over 4,825.
    expect(await worth(half)).toBe(200n)
    // Nothing released yet: 10,000 - 1,000 - 25 = 8,975; a hundred of 4,825.
    expect(await worth({ ...half, since: clock.slot })).toBe(186n)
    // 126 of 1,001 withheld, rounded up; 875 released, 88 of it to the protocol: 9,761.
    expect(await worth({ ...half, withheld: 1_001n, since: clock.slot - 3n })).toBe(202n)
    await expect(worth({ ...half, withheld: 10_000n, since: clock.slot })).rejects.toEqual(invalid)
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
    const adapter = createStakePools(createKept({ clock: days, freshMs: DAY_MS }))
    const { mint, pool, ...fixture } = await unlistedPool()
    const read = () => positionsOf(adapter, { ...fixture, wallet: WALLET, clock })
    const first = await read()
    expect(figuresOf(first.positions)).toEqual(fixture.expected)
    expect(first.positions).toMatchObject([{ label: 'Staked SOL', pool, receipts: [mint] }])
    expect([first.reader.trips(), first.reader.searched.length]).toEqual([2, 3])
    days.time = DAY_MS - 1
    const second = await read()
    expect(figuresOf(second.positions)).toEqual(fixture.expected)
    expect([second.reader.trips(), second.reader.searched.length]).toEqual([1, 0])
    days.time = DAY_MS
    const third = await read()
    expect(figuresOf(third.positions)).toEqual(fixture.expected)
    expect(third.reader.searched).toHaveLength(3)
  })

  it('of the rows is read where a node lists no pools, and the rest is said to be missing', async () => {
    const [listed, unlisted] = [await jitoSol(WALLET), await unlistedPool()]
    const held = [...listed.held, ...unlisted.held]
    const refusal = new UpstreamError('not-allowed', 'the node lists no accounts of programs')
    const reader = {
      ...solanaReaderOf([...listed.accounts, ...unlisted.accounts], clock),
      programAccounts: () => Promise.reject(refusal),
    }
    const leftOut: unknown[] = []
    const scope = { reader, wallet: WALLET, clock, held, used: new Set<string>() }
    const adapter = createStakePools()
    const positions = await adapter.positions({ ...scope, leftOut: (why) => leftOut.push(why) })
    expect(figuresOf(positions)).toEqual(listed.expected)
    expect(leftOut).toEqual([refusal])
    expect([...((await adapter.receipts?.(scope)) ?? []).keys()]).toEqual(listed.held.map(({ mint }) => mint))
  })
})
