import { describe, expect, test } from 'vitest'
import { bearerToken } from './authorization-header.ts'

const token = 'coffer_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG123456'

test.each(['Bearer', 'bearer', 'BEARER', 'bEaReR'])('a token is read after the scheme %s', (scheme) => {
  expect(bearerToken(`${scheme} ${token}`)).toBe(token)
})

test.each([2, 3, 10])('a token is read after %i spaces', (count) => {
  expect(bearerToken(`Bearer${' '.repeat(count)}${token}`)).toBe(token)
})

describe('no token is read from', () => {
  test.each([
    ['no header', undefined],
    ['an empty header', ''],
    ['no scheme', token],
    ['another scheme', `Basic ${token}`],
    ['nothing after the scheme', 'Bearer'],
    ['a space only', 'Bearer '],
    ['a leading space', ` Bearer ${token}`],
    ['a tab', `Bearer\t${token}`],
    ['a trailing space', `Bearer ${token} `],
    ['a trailing line feed', `Bearer ${token}\n`],
    ['two tokens', `Bearer ${token} ${token}`],
    ['two headers, joined', `Bearer ${token}, Bearer ${token}`],
    ['a control character', `Bearer ${token}\u0000`],
    ['a character beyond ASCII', `Bearer ${token}é`],
    ['more than 512 bytes', `Bearer ${'a'.repeat(506)}`],
  ])('%s', (_, header) => expect(bearerToken(header)).toBeUndefined())

  test('while exactly 512 bytes are read', () => {
    expect(bearerToken(`Bearer ${'a'.repeat(505)}`)).toBe('a'.repeat(505))
  })
})
