import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cutTo, visibleJson, visibleLines, visibleText, widthOf } from './visible-text.ts'

/** Characters that a terminal may obey or hide, and every line break. */
const STEERING = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}]/u
const ISOLATED = /^\u2068|\u2069$/g
/** Texts with many control and format characters. */
const strange = fc
  .array(
    fc.oneof(
      fc.integer({ min: 0, max: 0x10_ff_ff }).map((point) => String.fromCodePoint(point)),
      fc.constantFrom(
        '\u001b[2J',
        '\u009b',
        '\u202e',
        '\u2066',
        '\u200b',
        '\r\n',
        '\ud800',
        '\ufe0f',
        '\u{e0041}',
        'א',
        '漢',
        '🙂',
        'e\u0301',
      ),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''))

test('what steers a terminal is spelled out, and the rest is as it was', () => {
  expect(visibleText('a\u001b[2J\u202eb\u0007\nc\u{e0041}')).toBe('a\\u{1b}[2J\\u{202e}b\\u{7}\\u{a}c\\u{e0041}')
  expect(visibleText('Tether USD₮ 漢字 é 🙂')).toBe('Tether USD₮ 漢字 é 🙂')
  fc.assert(
    fc.property(strange, (text) => {
      expect(visibleText(text).replace(ISOLATED, '')).not.toMatch(STEERING)
      expect(visibleLines(text).replace(/[\t\r\n]/g, '')).not.toMatch(STEERING)
    }),
  )
})

test('marks do not pile up, and right-to-left text is isolated from its neighbours', () => {
  expect(visibleText(`z${'\u0301'.repeat(50)}a`)).toBe('z\u0301\u0301a')
  expect(visibleText('אב')).toBe('\u2068אב\u2069')
})

test('JSON stays the same JSON', () => {
  fc.assert(
    fc.property(strange, fc.double({ noNaN: true, noDefaultInfinity: true }), (text, number) => {
      const json = JSON.stringify({ [text]: [text, number] }, null, 1)
      const visible = visibleJson(json)
      expect(JSON.parse(visible)).toEqual(JSON.parse(json))
      expect(visible.replace(/[\n ]/g, '')).not.toMatch(STEERING)
    }),
  )
})

test('widths are those of a terminal, and a text is cut to fit', () => {
  expect([widthOf('abc'), widthOf('漢字'), widthOf('🙂'), widthOf('e\u0301'), widthOf('')]).toEqual([3, 4, 2, 1, 0])
  expect(cutTo('漢字漢字', 5)).toBe('漢字…')
  expect(cutTo('abc', 3)).toBe('abc')
  fc.assert(
    fc.property(strange, fc.integer({ min: 1, max: 30 }), (text, width) => {
      const cut = cutTo(visibleText(text), width)
      expect(widthOf(cut)).toBeLessThanOrEqual(width)
      expect(cut.includes('\u2068')).toBe(cut.includes('\u2069'))
    }),
  )
})
