import { describe, expect, it } from 'vitest'
import { type ClusterStake, type Delegation, stakeAt } from './math.ts'

const ALWAYS = 2n ** 64n - 1n
const delegation = (change: Partial<Delegation> = {}): Delegation => ({
  stake: 1_000n,
  activationEpoch: 10n,
  deactivationEpoch: ALWAYS,
  ...change,
})
const history = (epochs: Record<number, Partial<ClusterStake>>) =>
  new Map(
    Object.entries(epochs).map(([epoch, stake]) => [
      BigInt(epoch),
      { effective: 0n, activating: 0n, deactivating: 0n, ...stake },
    ]),
  )
const shown = ({ effective, activating, deactivating }: ReturnType<typeof stakeAt>) =>
  `${effective} ${activating} ${deactivating}`

describe('stakeAt', () => {
  it('waits for the epoch after its own', () => {
    expect(shown(stakeAt(delegation(), 9n, history({})))).toBe('0 0 0')
    expect(shown(stakeAt(delegation(), 10n, history({})))).toBe('0 1000 0')
  })

  it('warms up by its share of 9 % of the effective stake, epoch after epoch', () => {
    // Epoch 10: 1000 of 5000 wait, 9 % of 10000 is 900, the share 180. Epoch 11: 820 of 4100, 9 % of 10900 is 981, the share 196.2.
    const epochs = history({
      10: { effective: 10_000n, activating: 5_000n },
      11: { effective: 10_900n, activating: 4_100n },
    })
    expect(shown(stakeAt(delegation(), 11n, epochs))).toBe('180 820 0')
    expect(shown(stakeAt(delegation(), 12n, epochs))).toBe('376 624 0')
    // History ends: the last known values hold.
    expect(shown(stakeAt(delegation(), 20n, epochs))).toBe('376 624 0')
  })

  it('is through at once where all who wait fit in', () => {
    const epochs = history({ 10: { effective: 1_000_000n, activating: 5_000n } })
    expect(shown(stakeAt(delegation(), 11n, epochs))).toBe('1000 0 0')
  })

  it('is taken as through once history no longer has its epoch', () => {
    expect(shown(stakeAt(delegation(), 900n, history({ 800: { effective: 5n, activating: 5n } })))).toBe('1000 0 0')
    expect(shown(stakeAt(delegation({ deactivationEpoch: 20n }), 900n, history({})))).toBe('0 0 0')
  })

  it('moves by one lamport at least', () => {
    const epochs = history({ 10: { effective: 1n, activating: 9_000_000n } })
    expect(shown(stakeAt(delegation(), 11n, epochs))).toBe('1 999 0')
  })

  it('cools down likewise, from what had warmed up', () => {
    const epochs = history({
      10: { effective: 10_000n, activating: 5_000n },
      11: { effective: 10_900n, activating: 4_100n, deactivating: 720n },
      12: { effective: 2_000n, deactivating: 360n },
    })
    const stopped = delegation({ deactivationEpoch: 11n })
    expect(shown(stakeAt(stopped, 11n, epochs))).toBe('180 0 180')
    // 180 of 720 leave, 9 % of 10900 is 981, the share 245: all of it.
    expect(shown(stakeAt(stopped, 12n, epochs))).toBe('0 0 0')
    const later = delegation({ deactivationEpoch: 12n })
    expect(shown(stakeAt(later, 12n, epochs))).toBe('376 0 376')
    // 376 of 360 leave, 9 % of 2000 is 180, the share 188.
    expect(shown(stakeAt(later, 13n, epochs))).toBe('188 0 188')
  })

  it('of an epoch that it began and ended in there is none, and genesis stake has always been there', () => {
    expect(shown(stakeAt(delegation({ deactivationEpoch: 10n }), 11n, history({})))).toBe('0 0 0')
    expect(shown(stakeAt(delegation({ activationEpoch: ALWAYS }), 0n, history({})))).toBe('1000 0 0')
  })
})
