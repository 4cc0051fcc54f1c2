import { describe, expect, it } from 'vitest'
import type { Chain } from '../../chains/chain.ts'
import { chains } from '../../chains/chain-types.ts'
import type { SearchEnd } from '../../chains/shared/search-end.ts'
import type { WalletRead } from '../../domain/wallet-read.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import { dayStatesOf, hasBegun, readDay } from './day-states.ts'

const WALLET = 'So11111111111111111111111111111111111111112'
/** 2027-03-02T00:00:00Z */
const MIDNIGHT = 1_803_945_600
const HOUR = 3_600

const solana = chains.find(({ key }) => key === 'solana') as Chain

/** An empty wallet, read at a slot of this time. */
function readAt(blockTime: number, gaps: WalletRead['gaps'] = []): WalletRead {
  const nothing = { holdings: [], positions: [], tokens: [], prices: [], gaps }
  return { chain: 'solana', wallet: WALLET, block: 1n, blockTime, readAt: 0, ...nothing }
}

/** One chain at a time. A lagging node or a long read gives another time. Records the actions in order. */
function statesOf({ time, read = readAt(time), end = 'whole' }: { time: number; read?: WalletRead; end?: SearchEnd }) {
  const done: string[] = []
  let now = 0
  const shared = {
    chains: new Map([['solana', solana]]),
    refresh: () => Promise.reject(new Error('not of a day')),
    search: async () => {
      done.push('searched')
      return { found: false, end }
    },
  }
  const timeOf = async () => {
    done.push('asked')
    if (time === 0) throw new UpstreamError('unavailable', 'no node answers')
    return time
  }
  const collectFinal = async () => {
    done.push('read')
    return read
  }
  const days = dayStatesOf(shared, { kept: false, timeOf, collectFinal }, { now: () => now })
  const context = { db: undefined as never, daysOf: () => days }
  const later = (ms: number) => {
    now += ms
  }
  return {
    done,
    later,
    at: () => readDay(context, WALLET, MIDNIGHT),
    hasBegun: (timestamp: number) => hasBegun(context, WALLET, timestamp),
  }
}

const notYet = { problem: { chain: 'solana', reason: 'not-final', lasting: false } }
const gone = { problem: { chain: 'solana', reason: 'no-state', lasting: true } }

describe('a day on a chain without a past', () => {
  it.each([
    ['at midnight', MIDNIGHT],
    ['within the hour', MIDNIGHT + 1_234],
    ['at the end of the hour', MIDNIGHT + HOUR],
  ])('is what is read %s', async (_, time) => {
    const { at, done } = statesOf({ time })
    expect(await at()).toEqual({ reads: [readAt(time)] })
    expect(done).toEqual(['asked', 'searched', 'read'])
  })

  it('is not read before it begins, nor once the hour is over', async () => {
    const [early, late] = [statesOf({ time: MIDNIGHT - 1 }), statesOf({ time: MIDNIGHT + HOUR + 1 })]
    expect(await early.at()).toEqual(notYet)
    expect(await late.at()).toEqual(gone)
    expect([...early.done, ...late.done]).toEqual(['asked', 'asked'])
  })

  it('is judged by the slot that was read, whatever another node said', async () => {
    expect(await statesOf({ time: MIDNIGHT, read: readAt(MIDNIGHT - 1) }).at()).toEqual(notYet)
    expect(await statesOf({ time: MIDNIGHT + HOUR, read: readAt(MIDNIGHT + HOUR + 1) }).at()).toEqual(gone)
  })

  it('is not given up for a gap while the hour lasts', async () => {
    const { at } = statesOf({ time: MIDNIGHT, read: readAt(MIDNIGHT, [{ protocol: 'kamino', reason: 'unreadable' }]) })
    expect(await at()).toMatchObject({ problem: { chain: 'solana', reason: 'unreadable', lasting: false } })
  })

  it('says what was not searched', async () => {
    const reads = await Promise.all(
      (['refused', 'unfinished'] as const).map((end) => statesOf({ time: MIDNIGHT, end }).at()),
    )
    expect(reads).toEqual([
      { reads: [readAt(MIDNIGHT, [{ reason: 'not-allowed' }])] },
      { reads: [readAt(MIDNIGHT, [{ reason: 'searching' }])] },
    ])
  })

  it('has begun by the time of the chain alone, which is asked for now and then', async () => {
    const { hasBegun, done, later } = statesOf({ time: MIDNIGHT })
    expect(await hasBegun(MIDNIGHT)).toBe(true)
    expect(await hasBegun(MIDNIGHT + 1)).toBe(false)
    expect(done).toHaveLength(1)
    later(60_000)
    await hasBegun(MIDNIGHT)
    expect(done).toHaveLength(2)
  })

  it('is neither present nor gone while no node reports the time', async () => {
    const { hasBegun, at } = statesOf({ time: 0 })
    expect(await at()).toMatchObject({ problem: { chain: 'solana', reason: 'unreadable', lasting: false } })
    expect(await hasBegun(MIDNIGHT)).toBe(false)
  })
})
