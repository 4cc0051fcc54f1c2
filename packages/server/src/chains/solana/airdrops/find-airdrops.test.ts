import {
  type AirdropFixture,
  airdropFixture,
  type DistributorFork,
  type FieldValues,
  madeAddress,
  mintAccount,
} from '@coffer/solana-fixtures/airdrops'
import { describe, expect, it, vi } from 'vitest'
import { readerOf, refusingSearches } from '../../../../test/solana/protocol-bench.ts'
import { tokenOf } from '../../../../test/wallet-reads.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import type { AllocationSource, HttpProofSource } from '../../airdrops.ts'
import type { SolanaAccount } from '../codec/account-data.ts'
import { distributorPrograms } from '../distributors/distributor-programs.ts'
import type { SolanaReader } from '../reader/solana-reader.ts'
import { type ListedAirdrop, readAllocationList } from './allocation-list.ts'
import { findAirdrops } from './find-airdrops.ts'
import type { AskProofs } from './http-proofs.ts'

const WALLET = madeAddress(1)
const OTHER = madeAddress(2)
const MINT = madeAddress(3)
const TREE = madeAddress(4)
const NOW = 1_500
const clock = { slot: 500n, epoch: 1n, time: NOW }
const grant = { claimant: WALLET, unlockedRaw: 100n, lockedRaw: 900n }
const grants = [
  grant,
  { claimant: OTHER, unlockedRaw: 7n, lockedRaw: 0n },
  { claimant: madeAddress(5), unlockedRaw: 8n, lockedRaw: 9n },
]
const NOTHING = { airdrops: [], gaps: [] }
const terms = { start_ts: 1_000n, end_ts: 2_000n }

const place = (options: Partial<Parameters<typeof airdropFixture>[0]> = {}) =>
  airdropFixture({
    fork: 'streamflow',
    distributor: TREE,
    mint: MINT,
    grants,
    terms: { ...terms, unlock_period: 1n },
    vaultRaw: 10_000n,
    ...options,
  })

type Scene = {
  accounts: readonly SolanaAccount[]
  http?: HttpProofSource[]
  ask?: AskProofs
  lists?: ListedAirdrop[]
  reader?: (reader: SolanaReader) => SolanaReader
}

async function find({ accounts, http = [], ask, lists = [], reader: around = (reader) => reader }: Scene) {
  const inMemory = readerOf([...accounts, mintAccount(MINT, 6)], clock)
  const learnt = new Set<string>()
  const sources = {
    http,
    lists,
    ask: ask ?? (async () => []),
    known: {
      isSpam: () => false,
      load: async () => undefined,
      keep: async () => undefined,
      check: async () => undefined,
      learn: async (reader: SolanaReader, mints: Iterable<string>) => {
        for (const account of await reader.accounts([...mints])) if (account) learnt.add(account.address)
      },
      find: (address: string) =>
        learnt.has(address) ? tokenOf(address, 'T', { chain: 'solana', decimals: 6, listed: false }) : undefined,
    },
    log: { warn: () => undefined },
  }
  const found = await findAirdrops(sources, around(inMemory), WALLET)
  const airdrops = found.airdrops.map(({ distributor, parts }) => [distributor, ...parts.map(partOf)])
  return { airdrops, gaps: found.gaps, first: found.airdrops[0], reader: inMemory }
}

const partOf = ({ amountRaw, isClaimable, unlockAt }: { amountRaw: bigint; isClaimable: boolean; unlockAt?: number }) =>
  [Number(amountRaw), isClaimable, unlockAt ?? 0] as const

function sourceOf(placed: AirdropFixture, rest: Partial<HttpProofSource> = {}): HttpProofSource {
  return {
    ...{ kind: 'http-proof', key: 'api', protocol: { key: 'mine', name: 'Mine' }, title: 'Mine', mint: MINT },
    ...{ program: placed.program, link: 'https://claim.example/{distributor}', url: 'https://api.example/{owner}' },
    fields: { unlocked: ['amount'], proof: ['proof'], distributor: ['tree'] },
    ...rest,
  }
}

const says =
  (placed: AirdropFixture, allocation = { unlockedRaw: 100n, lockedRaw: 900n }): AskProofs =>
  async () => [{ distributor: placed.distributor, allocation, proof: placed.list.proofOf(WALLET) }]

describe('claims that were begun, found on chain alone', () => {
  const begun = (fork: DistributorFork, claim: FieldValues, more: FieldValues = {}) =>
    place({
      fork,
      terms: { ...terms, ...(fork === 'streamflow' && { unlock_period: 1n }), ...more },
      claims: { [WALLET]: claim },
    })
  const half = { locked_amount: 900n, locked_amount_withdrawn: 200n }
  const admin = { admin: OTHER }

  it.each([
    ['jito', {}, {}],
    ['jupiterFirst', admin, admin],
    ['jupiterBase', admin, admin],
    ['jupiterZeroCopy', { distributor: TREE }, {}],
    ['drift', { distributor: TREE }, {}],
    ['streamflow', { distributor: TREE }, {}],
  ] as const)('%s: 900 × 500 ÷ 1000 less 200 now, the rest at the end', async (fork, claim, more) => {
    const { airdrops, gaps, reader } = await find(begun(fork, { ...half, ...claim }, more))
    expect(airdrops).toEqual([[TREE, [250, true, 0], [450, false, 2_000]]])
    expect(gaps).toEqual([])
    expect(reader.trips.length).toBeLessThanOrEqual(3)
  })

  it.each([
    ['claimed', { locked_amount: 900n, locked_amount_withdrawn: 900n }, {}],
    ['without a locked part', { unlocked_amount: 100n }, {}],
    ['closed', { ...half, closed: true }, {}],
    ['clawed back', half, { clawed_back: true }],
    ['at its last claim', { ...half, claims_count: 1n }, { claims_limit: 1n }],
  ])('%s: nothing', async (_, claim, more) => {
    expect(await find(begun('streamflow', { distributor: TREE, ...claim }, more))).toMatchObject(NOTHING)
  })

  it('another wallet’s are not taken for its own', async () => {
    expect(await find(place({ claims: { [OTHER]: { ...half, distributor: TREE } } }))).toMatchObject(NOTHING)
  })

  it('a claim of no distributor that there is, and one cut short, name their program', async () => {
    const { accounts, program } = begun('streamflow', { ...half, distributor: TREE })
    const lost = accounts.filter(({ address }) => address !== TREE)
    const gap = { protocol: 'streamflow', source: program, reason: 'unreadable' }
    expect(await find({ accounts: lost })).toMatchObject({ airdrops: [], gaps: [gap] })
    const short = accounts.map((account) => ({ ...account, data: account.data.slice(0, 100) }))
    expect(await find({ accounts: short })).toMatchObject({ airdrops: [], gaps: [gap] })
  })

  it('an endpoint that searches no accounts names every program, and keeps nothing else', async () => {
    const placed = place()
    const given = { reader: refusingSearches, http: [sourceOf(placed)], ask: says(placed) }
    const { airdrops, gaps } = await find({ ...placed, ...given })
    expect(airdrops).toHaveLength(1)
    const missing = distributorPrograms.map(({ protocol, program }) => ({ protocol: protocol.key, source: program }))
    expect(gaps).toEqual(missing.map((gap) => ({ ...gap, reason: 'not-allowed' })))
  })
})

describe('what a claim API says', () => {
  const ask = (placed: AirdropFixture, more: Partial<Scene> = {}, row: Partial<HttpProofSource> = {}) =>
    find({ accounts: placed.accounts, http: [sourceOf(placed, row)], ask: says(placed), ...more })
  const gap = { protocol: 'mine', source: 'api', reason: 'unreadable' }

  it('is believed with its proof: open, and vesting', async () => {
    const { airdrops, first, gaps } = await ask(place())
    expect(airdrops).toEqual([[TREE, [550, true, 0], [450, false, 2_000]]])
    expect(first).toMatchObject({ title: 'Mine', mint: MINT, link: `https://claim.example/${TREE}` })
    expect(gaps).toEqual([])
  })

  it('is reported by the chain once it was begun, one airdrop, by the source’s name', async () => {
    const claim = { distributor: TREE, locked_amount: 900n, locked_amount_withdrawn: 450n }
    const { airdrops, first } = await ask(place({ claims: { [WALLET]: claim } }))
    expect(airdrops).toEqual([[TREE, [450, false, 2_000]]])
    expect(first?.title).toBe('Mine')
  })

  it.each([
    ['claimed, shrunk to a mark', { claims: { [WALLET]: 0n } }, {}],
    ['closed, shrunk to a mark', { claims: { [WALLET]: 1n } }, {}],
    ['clawed back', { terms: { ...terms, unlock_period: 1n, clawed_back: true } }, {}],
    ['expired', {}, { window: { until: NOW } }],
  ])('is nothing once %s', async (_, placed, row) => {
    expect(await ask(place(placed), {}, row)).toMatchObject(NOTHING)
  })

  it('is not asked for once it is over', async () => {
    const count = vi.fn<AskProofs>(async () => [])
    await ask(place(), { ask: count }, { window: { until: NOW } })
    expect(count).not.toHaveBeenCalled()
    await ask(place(), { ask: count }, { window: { until: NOW + 1 } })
    expect(count).toHaveBeenCalledOnce()
  })

  it('is shown ahead of its time', async () => {
    const { airdrops } = await ask(place(), {}, { window: { from: 1_600 } })
    expect(airdrops).toEqual([[TREE, [100, false, 1_600], [900, false, 2_000]]])
  })

  it('cannot be claimed while the vault does not hold it', async () => {
    expect((await ask(place({ vaultRaw: 549n }))).airdrops).toEqual([[TREE, [550, false, 0], [450, false, 2_000]]])
    expect((await ask(place({ vaultRaw: 550n }))).airdrops).toEqual([[TREE, [550, true, 0], [450, false, 2_000]]])
  })

  it('is not believed with another amount, another token, another program or no distributor', async () => {
    const placed = place()
    const program = distributorPrograms[0]?.program ?? ''
    for (const asked of [
      ask(placed, { ask: says(placed, { unlockedRaw: 101n, lockedRaw: 900n }) }),
      ask(placed, {}, { mint: OTHER }),
      ask(placed, {}, { program }),
      ask(placed, { accounts: [] }),
    ])
      expect(await asked).toMatchObject({ airdrops: [], gaps: [gap] })
  })

  it('of one distributor stands, whatever it says of another', async () => {
    const placed = place()
    const claims = async () => [
      ...(await says(placed)(sourceOf(placed), WALLET)),
      { distributor: OTHER, allocation: { unlockedRaw: 1n, lockedRaw: 0n }, proof: [] },
    ]
    const { airdrops, gaps } = await ask(placed, { ask: claims })
    expect(airdrops).toHaveLength(1)
    expect(gaps).toEqual([gap])
  })

  it.each([
    ['timeout', 'time-limit'],
    ['unavailable', 'unreadable'],
    ['not-allowed', 'not-allowed'],
  ] as const)('that fails with %s is named, and keeps nothing else', async (reason, reported) => {
    const placed = place({ claims: { [WALLET]: { distributor: TREE, locked_amount: 900n } } })
    const dead: AskProofs = async () => Promise.reject(new UpstreamError(reason, 'dead'))
    const { airdrops, gaps } = await ask(placed, { ask: dead })
    expect(airdrops).toEqual([[TREE, [450, true, 0], [450, false, 2_000]]])
    expect(gaps).toEqual([{ ...gap, reason: reported }])
  })

  it('of a token that is none is named', async () => {
    const placed = place({ mint: OTHER })
    expect(await ask(placed, {}, { mint: OTHER })).toMatchObject({ airdrops: [], gaps: [{ ...gap, source: TREE }] })
  })
})

describe('an operator’s list', () => {
  const text = grants
    .map(({ claimant, unlockedRaw, lockedRaw }) => `${claimant},${unlockedRaw},${lockedRaw}`)
    .join('\n')
  const listed = (placed: AirdropFixture, lines = text): ListedAirdrop => {
    const { url: _, fields: __, ...row } = sourceOf(placed)
    const source: AllocationSource = { ...row, kind: 'allocation', file: 'list.csv', distributor: TREE }
    return { source, list: readAllocationList(lines) }
  }

  it('is believed where its root is the distributor’s', async () => {
    const placed = place()
    const { airdrops, gaps } = await find({ accounts: placed.accounts, lists: [listed(placed)] })
    expect(airdrops).toEqual([[TREE, [550, true, 0], [450, false, 2_000]]])
    expect(gaps).toEqual([])
  })

  it('is not believed in another order or with another amount, and needs no read of a wallet that is not in it', async () => {
    const placed = place()
    for (const lines of [text.split('\n').reverse().join('\n'), text.replace('900', '901')]) {
      const gaps = [{ protocol: 'mine', source: 'api', reason: 'unreadable' }]
      expect(await find({ ...placed, lists: [listed(placed, lines)] })).toMatchObject({ airdrops: [], gaps })
    }
    const without = listed(placed, `${OTHER},7,0`)
    expect(await find({ accounts: [], lists: [without] })).toMatchObject(NOTHING)
  })
})

it('cannot be reported without the chain’s clock', async () => {
  const reader = (inMemory: SolanaReader): SolanaReader => ({
    ...inMemory,
    clock: async () => Promise.reject(new UpstreamError('unavailable', 'away')),
  })
  await expect(find({ accounts: [], reader })).rejects.toMatchObject({ reason: 'unavailable' })
})
