import { type BeaconDevnet, type EpochTruth, LIVES, type Lives, lives } from '@coffer/beacon-devnet'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  balanceChange,
  type Indexing,
  indexedChange,
  openIndexing,
  playLives,
} from '../../../../test/beacon/indexing.ts'
import { sized } from '../../../../test/sized.ts'
import type { Outcome } from '../registry/outcome-chunk.ts'

// Chains of Lodestar's own state transition: the index must equal balance changes and the plan.

const EPOCHS = 48
const VALIDATORS = 67

describe.each(sized<('deneb' | 'fulu')[]>({ small: ['fulu'], deep: ['deneb', 'fulu'] }))('a chain of %s', (fork) => {
  let played: Lives
  let devnet: BeaconDevnet
  let truth: EpochTruth[]
  let indexing: Indexing
  let toEpoch: number
  let of: Outcome[][]
  beforeAll(async () => {
    played = lives({ epochs: EPOCHS, preset: 'minimal', fork })
    ;({ devnet, truth } = await playLives(played))
    indexing = await openIndexing([devnet.beacon])
    await indexing.track(VALIDATORS)
    await indexing.run()
    ;({ toEpoch } = await indexing.counted())
    of = await Promise.all(Array.from({ length: VALIDATORS }, (_, index) => indexing.sums(index)))
  })
  afterAll(async () => {
    await devnet?.stop()
    await indexing?.drop()
  })

  const leak = { from: Math.round(EPOCHS * 0.42), to: Math.round(EPOCHS * 0.42) + 8 }
  const between = (validator: number, from: number, to: number) => of[validator]?.slice(from, to + 1) ?? []
  const total = (rows: readonly Outcome[], name: 'attestationsIncluded' | 'attestationsMissed' | 'syncMissed') =>
    rows.reduce((sum, row) => sum + row[name], 0)

  test('every epoch that counts is indexed', async () => {
    expect(indexing.warnings).toEqual([])
    expect(await indexing.missing()).toEqual([])
    expect(toEpoch).toBeGreaterThan(EPOCHS - 7)
  })

  test('what was earned and lost is what balances did, within 3 gwei an epoch', () => {
    const far: string[] = []
    for (const [validator, sums] of of.entries()) {
      for (let epoch = 1; epoch <= toEpoch; epoch += 1) {
        const [indexed, actual] = [indexedChange(sums, epoch), balanceChange(truth, validator, epoch)]
        const apart = indexed - actual
        if (apart > 3n || apart < -3n) far.push(`validator ${validator}, epoch ${epoch}: ${indexed}, not ${actual}`)
      }
    }
    expect(far).toEqual([])
  })

  test('a validator that never attests misses each epoch; one that attests is included, also without rewards', () => {
    for (const validator of LIVES.neverAttests) {
      const rows = between(validator, 0, toEpoch)
      expect([total(rows, 'attestationsIncluded'), total(rows, 'attestationsMissed')]).toEqual([0, toEpoch + 1])
    }
    const there = Array.from({ length: 12 }, (_, index) => index)
    for (const validator of there) {
      // The chain has no votes for its genesis, the first slot.
      const rows = [...between(validator, 1, leak.from - 1), ...between(validator, leak.to + 1, toEpoch)]
      expect([total(rows, 'attestationsIncluded'), total(rows, 'attestationsMissed')]).toEqual([rows.length, 0])
    }
    // Validators without a penalty voted in time. Later few blocks are made, and some votes are lost.
    const unpaid = there.flatMap((validator) =>
      between(validator, leak.from, leak.to).filter((row) => row.attestationGwei === 0n),
    )
    expect(unpaid.length).toBeGreaterThan(20)
    expect(unpaid.filter((row) => row.attestationsIncluded !== 1 || row.attestationIdealGwei !== 0n)).toEqual([])
    for (const validator of LIVES.away) {
      expect(total(between(validator, leak.from, leak.to), 'attestationsMissed')).toBe(leak.to - leak.from + 1)
    }
  })

  test('who votes for another head or target is included', () => {
    const [from, to] = [Math.round(EPOCHS * 0.2), Math.round(EPOCHS * 0.25) - 1]
    for (const validator of [30, 31, 32]) expect(total(between(validator, from, to), 'attestationsMissed')).toBe(0)
  })

  test('every slot has a proposal, made or missed, and each is somebody’s', async () => {
    const isMade = async (slot: number) => (await fetch(`${devnet.beacon}/eth/v1/beacon/headers/${slot}`)).ok
    for (let epoch = 1; epoch <= toEpoch; epoch += 1) {
      const slots = Array.from({ length: played.slotsPerEpoch }, (_, i) => epoch * played.slotsPerEpoch + i)
      const made = (await Promise.all(slots.map(isMade))).filter(Boolean).length
      const rows = of.flatMap((rowsOf) => rowsOf[epoch] ?? [])
      const count = (name: 'proposedBlocks' | 'missedBlocks') => rows.reduce((sum, row) => sum + row[name], 0)
      expect([count('proposedBlocks'), count('missedBlocks')], `epoch ${epoch}`).toEqual([made, slots.length - made])
      // Other validators' blocks give the worth of a missed one, if there are any.
      const missed = rows.filter((row) => row.missedBlocks > 0 && row.proposedBlocks === 0)
      expect(missed.filter((row) => row.proposalGwei !== 0n || row.proposalPotentialGwei > 0n !== made > 0)).toEqual([])
    }
  })

  test('who seldom signs loses seats of the sync committee, who is there loses none', () => {
    const [from, to] = [Math.round(EPOCHS * 0.1), Math.round(EPOCHS * 0.3) - 1]
    for (const validator of LIVES.seldomSigns) {
      const rows = between(validator, from, to)
      expect(rows.reduce((sum, row) => sum + row.syncParticipations, 0)).toBe(0)
      for (const row of rows) expect(row.syncGwei).toBe(-row.syncPotentialGwei)
    }
    expect(Array.from({ length: 12 }, (_, index) => total(between(index, 0, toEpoch), 'syncMissed'))).toEqual(
      Array.from({ length: 12 }, () => 0),
    )
    const seats = of.flat().reduce((sum, row) => sum + row.syncParticipations + row.syncMissed, 0)
    const blocks = of.flat().reduce((sum, row) => sum + row.proposedBlocks, 0)
    expect(seats).toBe(blocks * 32)
  })

  test('being slashed costs twice: at once, and half a vector later', () => {
    const initial = {
      // 32 ETH over 32.
      deneb: { [LIVES.slashedForVotes]: 1_000_000_000n, [LIVES.slashedForBlocks]: 1_000_000_000n },
      // 32 and 40 ETH over 4,096.
      fulu: { [LIVES.slashedForVotes]: 7_812_500n, [LIVES.slashedForBlocks]: 9_765_625n },
    }
    for (const validator of [LIVES.slashedForVotes, LIVES.slashedForBlocks]) {
      const paid = between(validator, 0, toEpoch).map((row) => row.slashingGwei)
      const epochs = [...paid.keys()].filter((epoch) => paid[epoch] !== 0n)
      expect(epochs).toHaveLength(2)
      expect((epochs[1] ?? 0) - (epochs[0] ?? 0)).toBe(32)
      expect(paid[epochs[0] ?? 0]).toBe(initial[fork][validator])
    }
  })

  test('who is not active has nothing: before the activation, and once all is over', () => {
    const [deposited] = LIVES.deposited
    const rows = between(deposited, 0, toEpoch)
    const first = rows.findIndex((row) => row.effectiveBalanceGwei > 0n)
    expect(first).toBeGreaterThan(5)
    expect(rows.slice(0, first).every((row) => total([row], 'attestationsIncluded') === 0)).toBe(true)
    const active = rows.slice(first)
    expect(total(active, 'attestationsIncluded') + total(active, 'attestationsMissed')).toBe(active.length)
    expect(between(LIVES.waits, 0, toEpoch).every((row) => row.effectiveBalanceGwei === 0n)).toBe(true)
    expect(between(LIVES.exits, toEpoch, toEpoch)[0]).toMatchObject({ effectiveBalanceGwei: 0n, attestationsMissed: 0 })
  })
})
