import { describe, expect, test } from 'vitest'
import { tokenOf } from '../../test/wallet-reads.ts'
import { decimal } from '../domain/decimal.ts'
import { type Confidence, confidenceOf } from './price-confidence.ts'
import type { PriceFacts, PriceStep, PriceWay, WayRefusal } from './price-way.ts'

const NOW = 1_790_000_000
const token = tokenOf('0x01', 'T')

const way = (source: string, usd: string, first: Partial<PriceStep>, more: Partial<PriceWay> = {}): PriceWay => ({
  ...{ token: token.address, source, usd: decimal(usd), confidence: 1 },
  path: [{ kind: 'listing', rate: decimal(usd), ...first }],
  ...more,
})
const refused = (refusal: WayRefusal) => ({ refusal, confidence: 0 })
const feed = (usd: string, ageSeconds: number, more?: Partial<PriceWay>) =>
  way('chainlink', usd, { kind: 'feed', updatedAt: NOW - ageSeconds, heartbeatSeconds: 3600 }, more)
const oracle = (usd: string) => way('aave', usd, { kind: 'oracle' })
const pool = (usd: string, depth: string, more?: Partial<PriceWay>) =>
  way('uniswap_v2', usd, { kind: 'pool', depthUsd: decimal(depth) }, more)
const service = (usd: string, confidence: number, source = 'defillama') => way(source, usd, {}, { confidence })
const markets = (usd: string) => way('jupiter', usd, { kind: 'markets' }, { confidence: 0.9 })
const set = (usd: string) => way('override', usd, { kind: 'set' })

/** The first one is in use. */
function facts(ways: PriceWay[], more: Partial<PriceFacts> = {}): PriceFacts {
  const [used] = ways
  const isUsed = used && used.refusal === undefined
  return {
    ...{ token, ways, sources: [], parts: [], isCut: false, isSpam: false, block: { number: 1n, time: NOW } },
    price: isUsed
      ? { ...{ chain: 'ethereum', token: token.address, usd: used.usd, source: used.source }, confidence: 1 }
      : undefined,
    ...more,
  }
}

const shown = ({ level, reason }: Confidence) => `${level} ${reason}`

describe('confidence', () => {
  test.each<[string, PriceWay[], string]>([
    ['a feed within its heartbeat', [feed('10', 3600)], 'high fresh-feed'],
    ['a feed half a minute late', [feed('10', 3630)], 'high fresh-feed'],
    ['a feed later than that', [feed('10', 3631)], 'low old-feed'],
    ['a late feed that others agree with', [feed('10', 3631), service('10', 0.9)], 'low old-feed'],
    ['an oracle alone', [oracle('10')], 'medium oracle-without-time'],
    ['an oracle with a fresh feed beside', [oracle('10'), feed('10.1', 60)], 'high fresh-feed'],
    ['an oracle with a feed 1.1 % off', [oracle('10'), feed('10.11', 60)], 'medium oracle-without-time'],
    ['an oracle with a late feed beside', [oracle('10'), feed('10', 5000)], 'medium oracle-without-time'],
    ['an oracle that a deep pool confirms', [oracle('10'), pool('10', '250000')], 'high sources-agree'],
    ['a deep pool', [pool('10', '250000')], 'medium deep-pool'],
    ['a pool of a dollar less', [pool('10', '249999')], 'low thin-pool'],
    ['a thin pool and a service that agree', [pool('10', '20000'), service('10.1', 0.9)], 'high sources-agree'],
    ['two pools are one market', [pool('10', '250000'), pool('10', '300000')], 'medium deep-pool'],
    ['a service that follows markets is one too', [pool('10', '250000'), markets('10')], 'medium deep-pool'],
    ['a service alone', [service('10', 0.8)], 'medium one-service'],
    ['two services are one basis', [service('10', 0.9), service('10', 0.9, 'coingecko')], 'medium one-service'],
    ['a service that doubts itself', [service('10', 0.79)], 'low unsure-service'],
    ['a feed with a deep pool 5.1 % off', [feed('10', 60), pool('10.51', '250000')], 'low sources-disagree'],
    ['a feed with a deep pool 5 % off', [feed('10', 60), pool('10.5', '250000')], 'high fresh-feed'],
    ['a feed with a shallow pool at any price', [feed('10', 60), pool('1000', '249999')], 'high fresh-feed'],
    [
      'a feed with a refused pool at any price',
      [feed('10', 60), pool('99', '9999', refused('thin'))],
      'high fresh-feed',
    ],
    [
      'a pool with an old feed elsewhere',
      [pool('10', '250000'), feed('20', 9999, refused('stale'))],
      'medium deep-pool',
    ],
    ['two oracles that disagree', [oracle('10'), feed('11', 60)], 'low sources-disagree'],
    ['a price of the operator, whatever others say', [set('0'), feed('20', 60)], 'high set-by-operator'],
    ['the word of the operator does not count against others', [feed('10', 60), set('0')], 'high fresh-feed'],
  ])('%s', (_, ways, expected) => {
    expect(shown(confidenceOf(facts(ways)))).toBe(expected)
  })

  test('a pool is as old as the feed of its quote token, and as deep as the least deep pool of its path', () => {
    const [first] = pool('10', '900000').path
    const last = feed('3000', 9999).path[0] as PriceStep
    const late = pool('10', '900000', { path: [first as PriceStep, last] })
    expect(shown(confidenceOf(facts([late])))).toBe('low old-feed')
    const over = pool('10', '900000', { path: [first as PriceStep, pool('1', '1000').path[0] as PriceStep] })
    expect(shown(confidenceOf(facts([over])))).toBe('low thin-pool')
  })

  test('without the time of the chain no feed is fresh', () => {
    expect(shown(confidenceOf(facts([feed('10', 60)], { block: undefined })))).toBe('low old-feed')
  })

  test.each<[string, Partial<PriceFacts>, string]>([
    ['an imitation', { isSpam: true }, 'spam'],
    ['nobody knows it', { sources: [{ source: 'uniswap', outcome: 'unknown' }] }, 'unknown'],
    ['a source failed', { sources: [{ source: 'uniswap', outcome: 'timeout' }] }, 'source-failed'],
    ['a feed is stale', { ways: [feed('10', 9999, refused('stale'))] }, 'stale-feed'],
    ['a feed answered nonsense', { ways: [feed('0', 1, refused('invalid'))] }, 'source-failed'],
    ['pools are thin', { ways: [pool('10', '9999', refused('thin'))] }, 'no-market'],
    ['nobody takes it', { ways: [pool('10', '99999999', refused('unsellable'))] }, 'no-market'],
    [
      'a pool has strayed',
      { ways: [pool('1', '9', refused('thin')), pool('9', '99999', refused('strayed'))] },
      'strayed-pool',
    ],
    [
      'a source is not sure enough',
      { ways: [service('10', 0.1)], sources: [{ source: 'x', outcome: 'answered' }] },
      'unsure',
    ],
  ])('none, since %s', (_, more, expected) => {
    expect(shown(confidenceOf(facts([], more)))).toBe(`none ${expected}`)
  })

  test('a token that stands for others is as sure as the least sure of them', () => {
    const stood = (...parts: PriceWay[][]) =>
      shown(
        confidenceOf({
          ...facts([set('1')]),
          parts: parts.map((ways) => ({ amount: decimal('1'), facts: facts(ways) })),
        }),
      )
    expect(stood([feed('10', 60)])).toBe('high as-its-parts')
    expect(stood([feed('10', 60)], [pool('1', '250000')])).toBe('medium as-its-parts')
    expect(stood([feed('10', 60)], [pool('1', '20000')])).toBe('low as-its-parts')
    // Its price is 1; a deep market has a lower one.
    const parts = [{ amount: decimal('1'), facts: facts([feed('1', 60)]) }]
    expect(shown(confidenceOf({ ...facts([set('1'), pool('0.9', '250000')]), parts }))).toBe('low sources-disagree')
    expect(shown(confidenceOf({ ...facts([set('1'), pool('0.96', '250000')]), parts }))).toBe('high as-its-parts')
  })
})
