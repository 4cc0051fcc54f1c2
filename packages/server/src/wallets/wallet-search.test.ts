import { describe, expect, it } from 'vitest'
import { afterSearch, NEVER_SEARCHED, searchGap } from './wallet-search.ts'

const NOW = Date.UTC(2026, 0, 1)
const HOUR = 3_600_000
const wholeAt = (at: number) => ({ wholeAt: at, refused: false })

describe('what a read says of its background search', () => {
  it.each([
    ['was never whole', NEVER_SEARCHED, 'searching'],
    ['is refused', { wholeAt: null, refused: true }, 'not-allowed'],
    ['has just been whole', wholeAt(NOW), undefined],
    ['was whole an hour before', wholeAt(NOW - HOUR), undefined],
    ['was whole longer before', wholeAt(NOW - HOUR - 1), 'searching'],
    ['was whole after the read', wholeAt(NOW + 5), undefined],
    ['was whole long before, and is refused now', { wholeAt: NOW - HOUR - 1, refused: true }, 'not-allowed'],
    ['was whole lately, and is refused now', { wholeAt: NOW - HOUR, refused: true }, undefined],
    ['has contracts left to ask', { ...wholeAt(NOW), unasked: true }, 'searching'],
  ])('that %s', (_, search, reason) => {
    expect(searchGap(search, NOW)).toBe(reason)
  })
})

describe('a search that ended', () => {
  it('is noted as whole with its time, and not again within a quarter of an hour', () => {
    const known = afterSearch(NEVER_SEARCHED, 'whole', NOW)
    expect(known).toEqual(wholeAt(NOW))
    expect(afterSearch(known, 'whole', NOW + HOUR / 4 - 1)).toBe(known)
    expect(afterSearch(known, 'whole', NOW + HOUR / 4)).toEqual(wholeAt(NOW + HOUR / 4))
  })

  it('is noted as refused once, and as allowed again', () => {
    const refused = afterSearch(NEVER_SEARCHED, 'refused', NOW)
    expect(refused).toEqual({ wholeAt: null, refused: true })
    expect(afterSearch(refused, 'refused', NOW + HOUR)).toBe(refused)
    expect(afterSearch(refused, 'unfinished', NOW)).toEqual(NEVER_SEARCHED)
    expect(afterSearch(refused, 'whole', NOW)).toEqual(wholeAt(NOW))
  })

  it('forgets that it was whole where it looks for more than before', () => {
    expect(afterSearch(wholeAt(NOW), 'unfinished', NOW, true)).toEqual(NEVER_SEARCHED)
    expect(afterSearch(wholeAt(NOW), 'whole', NOW + 1, true)).toEqual(wholeAt(NOW + 1))
    expect(afterSearch(NEVER_SEARCHED, 'unfinished', NOW, true)).toBe(NEVER_SEARCHED)
  })

  it('notes at once that contracts are left to ask, and that none are', () => {
    const left = afterSearch(wholeAt(NOW), 'unasked', NOW + 1)
    expect(left).toEqual({ ...wholeAt(NOW + 1), unasked: true })
    expect(afterSearch(left, 'unasked', NOW + 2)).toBe(left)
    expect(afterSearch(left, 'whole', NOW + 2)).toEqual(wholeAt(NOW + 2))
  })

  it('leaves a note alone where it was not whole', () => {
    expect(afterSearch(NEVER_SEARCHED, 'unfinished', NOW)).toBe(NEVER_SEARCHED)
    const known = wholeAt(NOW - HOUR)
    expect(afterSearch(known, 'unfinished', NOW)).toBe(known)
  })
})
