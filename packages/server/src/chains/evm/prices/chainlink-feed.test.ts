import { describe, expect, it } from 'vitest'
import { whyRejected } from './chainlink-feed.ts'

const leg = { aggregator: '0x5f4eC3Df9cbd43714FE2740f5E3616155c5b8419', heartbeatSeconds: 3600 }
const now = 1_700_000_000

describe('a round of an aggregator', () => {
  it.each<[string, [bigint, bigint, bigint, bigint, bigint], string | undefined]>([
    ['fresh', [5n, 1n, 0n, BigInt(now), 5n], undefined],
    ['answered in a later round', [5n, 1n, 0n, BigInt(now), 6n], undefined],
    ['of the future, as a block may say', [5n, 1n, 0n, BigInt(now + 30), 5n], undefined],
    ['at the end of its tolerance', [5n, 1n, 0n, BigInt(now - 4500), 5n], undefined],
    ['a second past its tolerance', [5n, 1n, 0n, BigInt(now - 4501), 5n], 'its answer is stale'],
    ['zero', [5n, 0n, 0n, BigInt(now), 5n], 'its answer is not positive'],
    ['negative', [5n, -1n, 0n, BigInt(now), 5n], 'its answer is not positive'],
    ['never finished', [5n, 1n, 0n, 0n, 5n], 'its round is not complete'],
    ['carried over from an earlier round', [5n, 1n, 0n, BigInt(now), 4n], 'its round is not complete'],
  ])('%s', (_, round, expected) => {
    expect(whyRejected(round, leg, now)).toBe(expected)
  })
})
