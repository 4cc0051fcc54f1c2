import { describe, expect, it } from 'vitest'
import { type ClaimStatus, type Distributor, outstandingOfAllocation, outstandingOfClaim } from './outstanding.ts'

const U64_MAX = 2n ** 64n - 1n
const address = 'HS8EQ8QkQSBJggY8r255AKdWbtYRtyNMoRt4LjNkkWm1'
const distributor = (terms: Partial<Distributor> = {}): Distributor => ({
  ...{ address, root: new Uint8Array(32), mint: address, vault: address },
  ...{ opening: { by: 'time', point: 0n }, opensAtStart: false, startTs: 1_000n, endTs: 2_000n, unlockPeriod: 1n },
  ...{ clawedBack: false, isRescheduled: false, claimsLimit: 0 },
  bonus: { totalRaw: 0n, duration: 0n, maxTotalClaimRaw: 1n },
  ...terms,
})
const at = (time: number, slot = 0n) => ({ time, slot })
const claim = (status: Partial<ClaimStatus> = {}): ClaimStatus => ({
  ...{ address, lockedRaw: 900n, withdrawnRaw: 0n, isOver: false },
  ...status,
})
const nothing = { claimableRaw: 0n, later: [] }
const grant = { unlockedRaw: 100n, lockedRaw: 900n }

describe('an allocation that was not claimed', () => {
  it.each([
    ['before the vesting begins: what is not locked', {}, at(999), 100n, [[900n, 2_000]]],
    ['at its begin', {}, at(1_000), 100n, [[900n, 2_000]]],
    ['on the way: 900 × 333 ÷ 1000, rounded down', {}, at(1_333), 399n, [[601n, 2_000]]],
    ['a second before its end: 900 × 999 ÷ 1000', {}, at(1_999), 999n, [[1n, 2_000]]],
    ['at its end', {}, at(2_000), 1_000n, []],
    ['in steps of 400 s: one step', { unlockPeriod: 400n }, at(1_799), 460n, [[540n, 2_000]]],
    ['in steps of 400 s: two steps', { unlockPeriod: 400n }, at(1_800), 820n, [[180n, 2_000]]],
  ])('%s', (_, terms, moment, claimableRaw, later) => {
    expect(outstandingOfAllocation(distributor(terms), grant, moment)).toEqual({
      claimableRaw,
      later: later.map(([amountRaw, unlockAt]) => ({
        amountRaw: BigInt(amountRaw as bigint),
        unlockAt: Number(unlockAt),
      })),
    })
  })

  it.each([
    ['a moment', { opening: { by: 'time', point: 1_500n } }, 1_500],
    ['the begin of vesting', { opensAtStart: true }, 1_000],
    ['a slot, 1,001 slots of 400 ms ahead', { opening: { by: 'slot', point: 1_501n } }, 1_301],
    ['the later of the two', { opensAtStart: true, opening: { by: 'slot', point: 501n } }, 1_000],
  ] as const)('opens at %s', (_, terms, unlockAt) => {
    expect(outstandingOfAllocation(distributor(terms), grant, at(900, 500n))).toEqual({
      claimableRaw: 0n,
      later: [
        { amountRaw: 100n, unlockAt },
        { amountRaw: 900n, unlockAt: 2_000 },
      ],
    })
  })

  it('opens with its slot, whatever the time', () => {
    const opening = { by: 'slot', point: 501n } as const
    expect(outstandingOfAllocation(distributor({ opening }), grant, at(900, 501n)).claimableRaw).toBe(100n)
  })

  it('is held to the window of its airdrop', () => {
    const window = { from: 1_200, until: 1_600 }
    const ofWindow = (time: number) =>
      outstandingOfAllocation(distributor(), { unlockedRaw: 7n, lockedRaw: 0n }, at(time), window)
    expect(ofWindow(1_199)).toEqual({ claimableRaw: 0n, later: [{ amountRaw: 7n, unlockAt: 1_200 }] })
    expect(ofWindow(1_200)).toEqual({ claimableRaw: 7n, later: [] })
    expect(ofWindow(1_599)).toEqual({ claimableRaw: 7n, later: [] })
    expect(ofWindow(1_600)).toEqual(nothing)
  })

  it('of the largest amount loses nothing: (2⁶⁴ − 1) × 999 ÷ 1000', () => {
    const whole = { unlockedRaw: U64_MAX, lockedRaw: U64_MAX }
    expect(outstandingOfAllocation(distributor(), whole, at(1_999))).toEqual({
      claimableRaw: U64_MAX + 18_428_297_329_635_842_063n,
      later: [{ amountRaw: 18_446_744_073_709_552n, unlockAt: 2_000 }],
    })
  })

  it('is nothing once it was clawed back', () => {
    expect(outstandingOfAllocation(distributor({ clawedBack: true }), grant, at(1_500))).toEqual(nothing)
  })

  it('never opens where its moment is beyond any calendar', () => {
    const opening = { by: 'time', point: U64_MAX } as const
    expect(
      outstandingOfAllocation(distributor({ opening }), { unlockedRaw: 1n, lockedRaw: 0n }, at(1_500)).later,
    ).toEqual([{ amountRaw: 1n, unlockAt: Number.MAX_SAFE_INTEGER }])
  })

  it('earns a bonus that grows until its end: at most 1000 × 40 ÷ (240 − 40)', () => {
    const terms = {
      opening: { by: 'time', point: 1_000n },
      bonus: { totalRaw: 40n, duration: 100n, maxTotalClaimRaw: 240n },
    } as const
    const paid = (time: number) =>
      outstandingOfAllocation(distributor(terms), { unlockedRaw: 1_000n, lockedRaw: 0n }, at(time)).claimableRaw
    expect([paid(1_000), paid(1_033), paid(1_100), paid(5_000)]).toEqual([1_000n, 1_066n, 1_200n, 1_200n])
    const bySlot = { ...terms, opening: { by: 'slot', point: 500n } } as const
    const allocation = { unlockedRaw: 1_000n, lockedRaw: 0n }
    expect(outstandingOfAllocation(distributor(bySlot), allocation, at(9, 550n)).claimableRaw).toBe(1_100n)
  })

  it('pays half at the start and the rest by the end, where early claimers forgo it', () => {
    const terms = { opensAtStart: true, ramp: { fromMillionths: 500_000n } }
    const of = (time: number) =>
      outstandingOfAllocation(distributor(terms), { unlockedRaw: 101n, lockedRaw: 0n }, at(time))
    expect(of(999)).toEqual({ claimableRaw: 0n, later: [{ amountRaw: 101n, unlockAt: 1_000 }] })
    expect(of(1_000)).toEqual({ claimableRaw: 50n, later: [{ amountRaw: 51n, unlockAt: 2_000 }] })
    // 50 + 51 × 500 ÷ 1000
    expect(of(1_500)).toEqual({ claimableRaw: 75n, later: [{ amountRaw: 26n, unlockAt: 2_000 }] })
    expect(of(2_000)).toEqual({ claimableRaw: 101n, later: [] })
    const unknown = distributor({ ...terms, ramp: { fromMillionths: null } })
    expect(() => outstandingOfAllocation(unknown, grant, at(1_500))).toThrow('a rule that is not known')
    expect(outstandingOfAllocation(unknown, grant, at(2_000)).claimableRaw).toBe(1_000n)
  })

  it('cannot be reported where the vesting time was changed on the way', () => {
    const changed = distributor({ isRescheduled: true })
    expect(() => outstandingOfAllocation(changed, grant, at(1_500))).toThrow('a rule that is not known')
    expect(outstandingOfAllocation(changed, grant, at(2_000)).claimableRaw).toBe(1_000n)
    const stepless = distributor({ unlockPeriod: 0n })
    expect(() => outstandingOfAllocation(stepless, grant, at(1_500))).toThrow('a rule that is not known')
  })
})

describe('a claim that was begun', () => {
  it.each([
    ['before the vesting begins', {}, 999, 0n, 900n],
    ['on the way, nothing withdrawn', {}, 1_333, 299n, 601n],
    ['on the way, a part withdrawn', { withdrawnRaw: 200n }, 1_333, 99n, 601n],
    ['on the way, all withdrawn that had vested', { withdrawnRaw: 299n }, 1_333, 0n, 601n],
    ['on the way, more withdrawn than has vested', { withdrawnRaw: 400n }, 1_333, 0n, 500n],
    ['at the end, a part withdrawn', { withdrawnRaw: 400n }, 2_000, 500n, 0n],
    ['at the end, all withdrawn', { withdrawnRaw: 900n }, 2_000, 0n, 0n],
    ['closed', { isOver: true }, 1_333, 0n, 0n],
  ])('%s', (_, status, time, claimableRaw, laterRaw) => {
    expect(outstandingOfClaim(distributor(), claim(status), at(time))).toEqual({
      claimableRaw,
      later: laterRaw === 0n ? [] : [{ amountRaw: laterRaw, unlockAt: 2_000 }],
    })
  })

  it('ends with a clawback, and with the last claim of a limited number', () => {
    expect(outstandingOfClaim(distributor({ clawedBack: true }), claim(), at(1_500))).toEqual(nothing)
    const limited = distributor({ claimsLimit: 2 })
    expect(outstandingOfClaim(limited, claim({ claimsCount: 2 }), at(1_500))).toEqual(nothing)
    expect(outstandingOfClaim(limited, claim({ claimsCount: 1 }), at(1_500)).claimableRaw).toBe(450n)
  })
})
