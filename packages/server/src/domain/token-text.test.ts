import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cleanText } from './token-text.ts'

describe('text of a contract', () => {
  it.each([
    ['USDC', 'USDC'],
    ['  Wrapped \n\t Ether ', 'Wrapped Ether'],
    ['US\u200bDC\u0000', 'USDC'],
    ['\u202eCDSU', 'CDSU'],
    ['\ud800x', 'x'],
    ['币安人生', '币安人生'],
    ['\u2066evil\u2069', 'evil'],
    ['', ''],
    ['\u200b', ''],
  ])('%j is shown as %j', (raw, shown) => {
    expect(cleanText(raw, 64)).toBe(shown)
  })

  it('is cut by code points, never inside one', () => {
    expect(cleanText('💰'.repeat(10_000), 32)).toBe('💰'.repeat(32))
  })

  it('is one visible line within its length, whatever the contract says', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 1, max: 64 }), (raw, length) => {
        const shown = cleanText(raw, length)
        expect([...shown].length).toBeLessThanOrEqual(length)
        expect(shown.isWellFormed()).toBe(true)
        expect(shown).not.toMatch(/[\p{Cc}\p{Cf}\u2028\u2029]/u)
        expect(shown).toBe(shown.trim())
      }),
    )
  })
})
