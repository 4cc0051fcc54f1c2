import { expect, test } from 'vitest'
import type { BeaconBlock, IncludedAttestation } from '../../../beacon/block-requests.ts'
import type { BeaconSpec } from '../../../beacon/network-requests.ts'
import type { BeaconValidator } from '../../../beacon/validator-requests.ts'
import { splitAt } from '../ranges.ts'
import { countInclusions } from './attestations.ts'
import { median, readProposals } from './proposals.ts'
import { busyEpochs } from './read-epoch.ts'
import { correlationPenalty, initialPenalty, isCorrelationEpoch } from './slashings.ts'
import { syncDuties } from './sync-committee.ts'
import { createSkips } from './validator-indexer.ts'

// All figures were computed by hand.

/** The lowest bit first. */
const bits = (text: string) => {
  const bytes = new Uint8Array(Math.ceil(text.length / 8))
  for (const [i, bit] of [...text].entries()) if (bit === '1') bytes[i >> 3] = (bytes[i >> 3] ?? 0) | (1 << (i & 7))
  return bytes
}

// Slot 40 has committees of 3, 2 and 4 members, slot 41 one of 2.
const committees = [
  { slot: 40, index: 0, validators: [10, 11, 12] },
  { slot: 40, index: 1, validators: [20, 21] },
  { slot: 40, index: 2, validators: [30, 31, 32, 33] },
  { slot: 41, index: 0, validators: [40, 41] },
]
const all = committees.flatMap(({ validators }) => validators)
const blockOf = (...attestations: IncludedAttestation[]): BeaconBlock => ({
  ...{ slot: 42, proposerIndex: 0, parentRoot: '', syncCommitteeBits: null, deposits: [] },
  ...{ executionPayload: null, hasBid: false, attestations },
})
const includedBy = (...attestations: IncludedAttestation[]) =>
  [...countInclusions(all, committees, [blockOf(...attestations)]).included].sort((a, b) => a - b)

test('before Electra an attestation is of the one committee that it names', () => {
  const one = { slot: 40, committeeIndex: 1, committeeBits: null }
  // The highest bit ends the list: validator 21 alone.
  expect(includedBy({ ...one, aggregationBits: bits('011') })).toEqual([21])
  expect(includedBy({ ...one, slot: 41, committeeIndex: 0, aggregationBits: bits('111') })).toEqual([40, 41])
})

test('since Electra the bits of several committees follow each other', () => {
  const several = { slot: 40, committeeIndex: 0 }
  // Committees 0 and 2: bits 0 to 2 belong to the first, 3 to 6 to the other.
  const committeeBits = bits('1010')
  expect(includedBy({ ...several, committeeBits, aggregationBits: bits('01010011') })).toEqual([11, 30, 33])
  // Committee 2 alone begins at bit 0.
  expect(includedBy({ ...several, committeeBits: bits('0010'), aggregationBits: bits('10011') })).toEqual([30, 33])
})

test('who is in several blocks is included once, who is in none is not, and all had one to make', () => {
  const attestation = { slot: 40, committeeIndex: 1, committeeBits: null, aggregationBits: bits('101') }
  const { included, due } = countInclusions([20, 21, 99], committees, [blockOf(attestation), blockOf(attestation)])
  expect([[...included], [...due].sort()]).toEqual([[20], [20, 21]])
})

// Sync committee seats 7, 8, 7, 9: validator 7 has two.
const seats = [7, 8, 7, 9]

test('each seat of the sync committee earns or loses the same', () => {
  const rewards = new Map([
    [7, 0n],
    [8, -100n],
    [9, 100n],
  ])
  expect(syncDuties([7, 8, 9], seats, bits('1001'), rewards)).toEqual([
    [7, { syncGwei: 0n, syncPotentialGwei: 200n, syncParticipations: 1, syncMissed: 1 }],
    [8, { syncGwei: -100n, syncPotentialGwei: 100n, syncParticipations: 0, syncMissed: 1 }],
    [9, { syncGwei: 100n, syncPotentialGwei: 100n, syncParticipations: 1, syncMissed: 0 }],
  ])
  expect(syncDuties([5], seats, bits('1001'), rewards)).toEqual([])
})

test.each([
  ['is not listed', undefined],
  ['is of one seat where there are two', 100n],
  ['is that of a participant without a signature', -200n],
])('a sync reward that %s is refused', (_what, reward) => {
  const rewards = new Map([[8, 100n], [9, 100n], ...(reward === undefined ? [] : [[7, reward] as const])])
  expect(() => syncDuties([7], seats, bits('1111'), rewards)).toThrow(/sync reward of validator 7/)
})

test('who has nothing left loses nothing', () => {
  const rewards = new Map([
    [7, 0n],
    [8, 100n],
    [9, 100n],
  ])
  expect(syncDuties([7], seats, bits('0101'), rewards)).toEqual([
    [7, { syncGwei: 0n, syncPotentialGwei: 200n, syncParticipations: 0, syncMissed: 2 }],
  ])
})

test('the median is the middle, or the mean of the two there, rounded down', () => {
  expect(median([])).toBe(0n)
  expect(median([7n])).toBe(7n)
  expect(median([9n, 1n, 5n])).toBe(5n)
  expect(median([9n, 1n, 4n, 5n])).toBe(4n)
})

const spec = {
  epochsPerSlashingsVector: 8_192,
  epochsPerSyncCommitteePeriod: 256,
  effectiveBalanceIncrementGwei: 1_000_000_000n,
  forkEpochs: { altair: 10, bellatrix: 20, capella: 25, electra: 30 },
  slashing: [
    { fromEpoch: 0, minPenaltyQuotient: 128n, proportionalMultiplier: 1n },
    { fromEpoch: 10, minPenaltyQuotient: 64n, proportionalMultiplier: 2n },
    { fromEpoch: 20, minPenaltyQuotient: 32n, proportionalMultiplier: 3n },
    { fromEpoch: 30, minPenaltyQuotient: 4_096n, proportionalMultiplier: 3n },
  ],
} as Partial<BeaconSpec> as BeaconSpec
const ETH = 1_000_000_000n

test.each([
  [9, 250_000_000n],
  [10, 500_000_000n],
  [20, 1_000_000_000n],
  [29, 1_000_000_000n],
  [30, 7_812_500n],
])('a slashing in epoch %i takes %i gwei of 32 ETH at once', (epoch, penalty) => {
  expect(initialPenalty(spec, epoch, 32n * ETH)).toBe(penalty)
})

test('what is correlated is taken half a vector before the withdrawal', () => {
  expect([4_095, 4_096, 4_097].map((epoch) => isCorrelationEpoch(spec, epoch, 8_192))).toEqual([false, true, false])
  expect(isCorrelationEpoch(spec, 4_096, null)).toBe(false)
})

test.each([
  // 3 × 64 of 1,000 ETH are 19.2 %: 6.144 of 32 ETH, before Electra in whole ETH.
  [25, 32n, 64n, 1_000n, 6n * ETH],
  // Altair multiplies by 2: 12.8 %, 4.096 ETH.
  [15, 32n, 64n, 1_000n, 4n * ETH],
  // A lone slashing among many validators costs nothing more.
  [25, 32n, 32n, 1_000_000n, 0n],
  // Since Electra: 192 ETH over 1,000 are 192,000,000 gwei for each of 32.
  [30, 32n, 64n, 1_000n, 6_144_000_000n],
  // 96 ETH over 1,000,000 are 96,000 gwei for each of 2,048 ETH.
  [30, 2_048n, 32n, 1_000_000n, 196_608_000n],
  // It takes all where a third was slashed, and no more.
  [25, 32n, 900n, 1_000n, 32n * ETH],
  [30, 32n, 900n, 1_000n, 32n * ETH],
])(
  'in epoch %i the correlation takes of %i ETH, with %i of %i slashed, %i gwei',
  (epoch, own, slashed, active, gwei) => {
    const vector = { slashedGwei: slashed * ETH, activeGwei: active * ETH }
    expect(correlationPenalty(spec, epoch, own * ETH, vector)).toBe(gwei)
  },
)

const validator = (change: Partial<BeaconValidator>): BeaconValidator => ({
  ...{ index: 1, pubkey: '', status: 'active_ongoing', balanceGwei: 0n, effectiveBalanceGwei: 0n, slashed: false },
  ...{ withdrawalCredentials: '', activationEpoch: 100, exitEpoch: null, withdrawableEpoch: null },
  ...change,
})

test('nothing is read before the activation, and nothing once nothing can happen any more', () => {
  expect(busyEpochs(undefined, 500, spec)).toBeUndefined()
  expect(busyEpochs(validator({ activationEpoch: null }), 500, spec)).toBeUndefined()
  expect(busyEpochs(validator({ activationEpoch: 501 }), 500, spec)).toBeUndefined()
  expect(busyEpochs(validator({}), 500, spec)).toEqual({ fromEpoch: 100, toEpoch: 500 })
  // Two periods after the exit at 200. A slashed validator until its withdrawal.
  const exited = { exitEpoch: 200, withdrawableEpoch: 456 }
  expect(busyEpochs(validator(exited), 500, spec)).toEqual({ fromEpoch: 100, toEpoch: 500 })
  expect(busyEpochs(validator(exited), 900, spec)).toEqual({ fromEpoch: 100, toEpoch: 711 })
  const slashed = { exitEpoch: 200, withdrawableEpoch: 8_300, slashed: true }
  expect(busyEpochs(validator(slashed), 9_000, spec)).toEqual({ fromEpoch: 100, toEpoch: 8_299 })
})

test('a block that has a bid is not taken for one that paid nothing', async () => {
  const read = (hasBid: boolean) =>
    readProposals(
      {
        proposers: async () => [{ slot: 42, validatorIndex: 0 }],
        block: async () => ({ ...blockOf(), hasBid }),
        blockReward: async () => ({ proposerIndex: 0, totalGwei: 7n }),
      },
      1,
      [0],
      async () => ({ tipsWei: 1n, mevWei: 0n, byBuilder: false }),
    )
  expect(await read(false)).toMatchObject([[0, { proposalGwei: 7n, tipsWei: 0n }]])
  await expect(read(true)).rejects.toThrow('what the block of slot 42 paid is not read: it is of Gloas')
})

test('what lies outside', () => {
  const range = { fromEpoch: 10, toEpoch: 20 }
  const outside = (...covered: (typeof range)[]) => splitAt(range, covered).outside
  expect(outside()).toEqual([range])
  expect(outside({ fromEpoch: 5, toEpoch: 30 })).toEqual([])
  expect(outside({ fromEpoch: 12, toEpoch: 15 })).toEqual([
    { fromEpoch: 10, toEpoch: 11 },
    { fromEpoch: 16, toEpoch: 20 },
  ])
  expect(outside({ fromEpoch: 1, toEpoch: 5 })).toEqual([range])
})

test('twice as many epochs are passed over after each failure, until one is read', () => {
  const skips = createSkips()
  const left = () => skips.without([{ fromEpoch: 0, toEpoch: 100, validators: [1] }])[0]?.toEpoch
  expect(left()).toBe(100)
  skips.note(100)
  expect(left()).toBe(99)
  skips.note(99)
  expect(left()).toBe(97)
  skips.note(97)
  expect(left()).toBe(93)
  skips.noteRead()
  skips.note(80)
  expect(left()).toBe(79)
  expect(skips.without([{ fromEpoch: 80, toEpoch: 100, validators: [1] }])).toEqual([])
})
