import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { decimalString } from './decimal-string.ts'
import { booleanQuery, integerQuery, pageQuery } from './query.ts'
import { text } from './text.ts'

describe('booleanQuery', () => {
  const schema = z.object({ flag: booleanQuery(false) })
  test.each([
    [{}, false],
    [{ flag: 'true' }, true],
    [{ flag: 'false' }, false],
    [{ flag: 'True' }, true],
    [{ flag: 'FALSE' }, false],
    [{ flag: 'TRUE' }, true],
    [{ flag: 'False' }, false],
  ])('%j', (query, flag) => {
    expect(schema.parse(query)).toEqual({ flag })
  })
  test.each(['', 'Truee', '1', '0', 'yes', ' true', ['true', 'true'], null])('refuses %j', (flag) => {
    expect(schema.safeParse({ flag }).success).toBe(false)
  })
})

describe('integerQuery', () => {
  const schema = z.object({ n: integerQuery({ min: 0, max: Number.MAX_SAFE_INTEGER }) })
  test.each([
    ['0', 0],
    ['1', 1],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
  ])('%s', (n, expected) => {
    expect(schema.parse({ n })).toEqual({ n: expected })
  })
  test.each([
    ...['', '-1', '-0', '1.5', '1e2', '0x10', ' 5 ', '5 ', '+5', '٣', 'NaN', '01', '00', '9007199254740992'],
    ...['1'.repeat(40), ['1', '2'], '1,000', 'Infinity'],
  ])('refuses %j', (n) => {
    expect(schema.safeParse({ n }).success).toBe(false)
  })
  test('takes exactly the spellings that a number in range has itself', () => {
    const small = z.object({ n: integerQuery({ min: 1, max: 100 }) })
    fc.assert(
      fc.property(fc.oneof(fc.integer({ min: -10, max: 200 }).map(String), fc.string()), (n) => {
        const isPlain = String(Number(n)) === n && Number.isInteger(Number(n)) && Number(n) >= 1 && Number(n) <= 100
        expect(small.safeParse({ n }).success).toBe(isPlain)
      }),
    )
  })
})

test('pageQuery has the defaults of its list', () => {
  const schema = z.object(pageQuery({ defaultLimit: 20, maxLimit: 100 }))
  expect(schema.parse({})).toEqual({ page: 1, limit: 20 })
  expect(schema.parse({ page: '3', limit: '100' })).toEqual({ page: 3, limit: 100 })
  for (const query of [{ page: '0' }, { limit: '0' }, { limit: '101' }, { page: 'abc' }]) {
    expect(schema.safeParse(query).success).toBe(false)
  }
})

describe('text', () => {
  const label = text({ max: 3 })
  test.each(['', 'abc', '👛👛👛', ' a '])('takes %j', (value) => {
    expect(label.parse(value)).toBe(value)
  })
  test.each(['abcd', '👛👛👛👛', 'a\u0000', '\ud800', 'a\udc00b', 'x'.repeat(1000), 5, null, undefined])(
    'refuses %j',
    (value) => {
      expect(label.safeParse(value).success).toBe(false)
    },
  )
  test('a trimmed text is measured after trimming', () => {
    const name = text({ min: 1, max: 3, trim: true })
    expect(name.parse('  abc\n')).toBe('abc')
    expect(name.safeParse('   ').success).toBe(false)
  })
})

describe('decimalString', () => {
  test.each(['0', '1', '-1', '0.5', '-0.5', '10', '123456789012345678901234567890.000000000000000001'])(
    'takes %s',
    (value) => {
      expect(decimalString.parse(value)).toBe(value)
    },
  )
  test.each(['', '-0', '1.0', '01', '.5', '1.', '1e5', '+1', 'NaN', '-0.0', '1,5'])('refuses %s', (value) => {
    expect(decimalString.safeParse(value).success).toBe(false)
  })
})
