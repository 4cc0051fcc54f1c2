import { describe, expect, it } from 'vitest'
import { at, numberFrom, parseExactJson, usdFrom } from './exact-json.ts'

const usd = (text: string) => usdFrom(at(parseExactJson(`{"price":${text}}`), 'price'))?.toFixed()

describe('prices in JSON', () => {
  it.each([
    ['3000.1', '3000.1'],
    ['0.1', '0.1'],
    // As floats, these would become 0.12345678901234568 and 9007199254740994.
    ['0.123456789012345678901234567', '0.123456789012345678901234567'],
    ['9007199254740993.5e-6', '9007199254.7409935'],
    ['1.2345e-8', '0.000000012345'],
    ['1E2', '100'],
  ])('%s is kept digit by digit', (text, expected) => {
    expect(usd(text)).toBe(expected)
  })

  it.each([
    ...'0 -0 -1 -0.5 1e13 1e300 1e999999999999 1e-31 "3000" "NaN" "Infinity" null true'.split(' '),
    ...['[]', '{}', '{"usd":1}', `1${'0'.repeat(200)}`, `0.${'0'.repeat(200)}1`],
  ])('%s is no price', (text) => {
    expect(usd(text)).toBeUndefined()
  })

  it.each(['', '<html>', '{"price":1', '{"price":NaN}', '{"price":01}', '\u0000'])('%j is no JSON', (text) => {
    expect(() => parseExactJson(text)).toThrow('the answer is not JSON')
  })

  it('finds nothing along names that objects have by themselves', () => {
    const parsed = parseExactJson('{"coins":{"a":1}}')
    for (const path of [['__proto__'], ['coins', 'constructor', 'name'], ['coins', 'a', 'b'], ['toString']]) {
      expect(at(parsed, ...path)).toBeUndefined()
    }
    expect(numberFrom(at(parsed, 'coins', 'a'))).toBe(1)
  })
})
