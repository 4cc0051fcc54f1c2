import { expect, test } from 'vitest'
import { cleanText } from './clean-text.ts'

test.each([
  ['USDC', 'USDC'],
  ['a\u0000b\u001b[31mc\u007f\u009b', 'ab[31mc'],
  ['one\r\n\ttwo\u2028three\u2029four', 'one two three four'],
  ['\u202eCDSU\u202c \u2066x\u2069', 'CDSU x'],
  ['a\u200b\u200d\ufeffb\u00ad', 'ab'],
  ['plain\u{E0049}\u{E0067}\u{E006E}', 'plain'],
  ['v\ufe0f\u{E0101}', 'v'],
  ['\ud800x', 'x'],
  ['😀 é 漢', '😀 é 漢'],
])('%j is shown as %j', (text, shown) => {
  expect(cleanText(text)).toBe(shown)
})

test('what is longer than 256 characters is cut, and says so', () => {
  expect(cleanText('😀'.repeat(256))).toBe('😀'.repeat(256))
  expect(cleanText('😀'.repeat(257))).toBe(`${'😀'.repeat(256)}…`)
})
