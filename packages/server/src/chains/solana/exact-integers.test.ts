import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseExactIntegers } from './rpc-values.ts'

test.each([
  ['{"a":18446744073709551615}', { a: '18446744073709551615' }],
  ['{"a": 9007199254740993 , "b":1}', { a: '9007199254740993', b: 1 }],
  ['[9007199254740993,5]', ['9007199254740993', 5]],
  [
    '{"a":"x:9007199254740993,","b":{"c":9007199254740993}}',
    { a: 'x:9007199254740993,', b: { c: '9007199254740993' } },
  ],
  ['{"log":"{\\"a\\":9007199254740993}"}', { log: '{"a":9007199254740993}' }],
  ['{"log":"[9007199254740993]","a":9007199254740993}', { log: '[9007199254740993]', a: '9007199254740993' }],
  ['{"a":1234567890.1234567890123456}', { a: 1234567890.1234567 }],
])('%s', (text, value) => {
  expect(parseExactIntegers(text)).toEqual(value)
})

test('what is no JSON is refused', () => {
  expect(() => parseExactIntegers('<html>')).toThrow(SyntaxError)
})

test('of any JSON the texts stay as they are, and integers keep their digits', () => {
  const leaf = fc.oneof(fc.string(), fc.boolean(), fc.constant(null), fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }))
  const name = fc.string().filter((text) => !text.endsWith('\\'))
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(leaf, fc.array(tie('value'), { maxLength: 4 }), fc.dictionary(name, tie('value'))),
  }))
  fc.assert(
    fc.property(fc.record({ result: value }), (sent) => {
      expect(digits(parseExactIntegers(write(sent)))).toEqual(digits(sent))
    }),
  )
})

/** JSON with integers of any size. */
function write(value: unknown): string {
  if (typeof value === 'bigint') return value.toString()
  if (Array.isArray(value)) return `[${value.map(write).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  return `{${Object.entries(value)
    .map(([key, item]) => `${JSON.stringify(key)}:${write(item)}`)
    .join(',')}}`
}

/** Turns integers into texts at any depth. */
function digits(value: unknown): unknown {
  if (typeof value === 'bigint' || typeof value === 'number') return value.toString()
  if (Array.isArray(value)) return value.map(digits)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, digits(item)]))
}
