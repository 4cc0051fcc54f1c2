import { expect, test } from 'vitest'
import { checkUserName, normalUserName } from './user-names.ts'

const check = (name: string, { others = ['Olga'], isOperator = false } = {}) =>
  checkUserName(name, others, { isOperator })

test.each([
  ...['Ada', 'Olga K', "Seán O'Brien", 'olga.k+1@example.com', 'Ольга', 'Όλγα', 'أولغا', 'אולגה', 'オルガ'],
  ...['小林 さくら', '올가', 'ओल्गा', 'โอลก้า', 'Đặng', '42', 'Olga 2'],
])('%s is a name', (name) => {
  expect(() => check(name)).not.toThrow()
})

test.each([
  ['a direction mark', 'Olga\u202e'],
  ['a space of no width', '\u200bOlga'],
  ['spaces alone', ' '],
  ['a letter that shows nothing', '\u3164'],
  ['a blank pattern', 'Olga\u2800'],
  ['a bell', 'Olga\u0007'],
  ['a line feed', 'Ol\nga'],
  ['a soft hyphen', 'Ol\u00adga'],
  ['a joiner of graphemes', 'Olga\u034f'],
  ['a tag', 'Olga\u{e0041}'],
  ['a hyphen of another kind', 'coffer\u2010admin'],
  ['a mark without a letter', '\u0301Ada'],
  ['punctuation alone', '---'],
  ['symbols of another block', 'Ada\u2713'],
  ['Cherokee letters', '\u13aa\u13de'],
  ['Cyrillic and Latin', 'О\u006cga'],
  ['Greek and Latin', 'Αda'],
  ['Cyrillic and Greek', 'Ольγα'],
  ['Hangul and kana', '올ガ'],
])('refuses %s', (_what, name) => {
  expect(() => check(name, { others: [] })).toThrow(/^name: must /)
})

test.each([
  ['the same', 'Olga'],
  ['another case', 'OLGA'],
  ['a space after it', 'Olga '],
  ['full width', 'Ｏｌｇａ'],
  ['a letter of mathematics', '\u{1d40e}lga'],
  ['a zero', '0lga'],
  ['a one', 'O1ga'],
  ['a capital i', 'OIga'],
  ['an accent', 'Olgá'],
  ['a dot that joins the i', 'Oi\u0307ga'],
  ['a full stop', 'Olga.'],
  ['a script g', 'Ol\u0261a'],
])('refuses %s beside Olga', (_what, name) => {
  expect(() => check(name)).toThrow('is taken, or looks like a taken name')
})

test.each([
  ['асе', 'ace'],
  ['ТОМ', 'tom'],
  ['ΜΑΧ', 'MAX'],
  ['Bernd', 'Bemd'],
  ['Vivvian', 'viwian'],
])('refuses %s beside %s, in either order', (one, other) => {
  expect(() => check(one, { others: [other] })).toThrow('looks like')
  expect(() => check(other, { others: [one] })).toThrow('looks like')
})

test.each(['coffer', 'Coffer-Admin', 'coffer admin', 'C0FFER'])('%s is reserved', (name) => {
  expect(() => check(name, { isOperator: true })).toThrow('is reserved')
})

test.each(['admin', 'Adm1n', 'ROOT', 'support', 'System', 'operator'])('only an operator is called %s', (name) => {
  expect(() => check(name)).toThrow('is reserved')
  expect(() => check(name, { isOperator: true })).not.toThrow()
})

test('names are stored in one form', () => {
  expect(normalUserName(' Ｏｌｇａ   K ')).toBe('Olga K')
  expect(normalUserName('e\u0301')).toBe('\u00e9')
})
