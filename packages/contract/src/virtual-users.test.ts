import { describe, expect, test } from 'vitest'
import { virtualUserEndpoints } from './virtual-users.ts'

const { query, cost } = virtualUserEndpoints.getVirtualUserPortfolio
const read = (addresses: unknown) => {
  const result = query.safeParse({ addresses })
  return result.success ? result.data.addresses : result.error.issues[0]?.message
}
const ids = Array.from({ length: 11 }, (_, n) => `virtual:${n}`)

describe('addresses of virtual users', () => {
  test.each([
    ['a comma list', 'virtual:a,virtual:b', ['virtual:a', 'virtual:b']],
    ['a repeated key and white space', ['virtual:b', ' virtual:a ,,'], ['virtual:b', 'virtual:a']],
    ['duplicates once, as they are written', 'virtual:a,virtual:A,virtual:a', ['virtual:a', 'virtual:A']],
    ['ten, not counting duplicates', [...ids.slice(1), ...ids.slice(1)].join(','), ids.slice(1)],
  ])('takes %s', (_, value, expected) => {
    expect(read(value)).toEqual(expected)
  })

  test.each([
    ['nothing', undefined, 'is required: a comma-separated list of virtual user addresses'],
    ['an empty text', '', 'must name at least one address'],
    ['eleven', ids.join(','), 'must name at most 10 addresses'],
    ['an id alone', 'a', 'not a virtual user address, which is virtual:<id>: a'],
    ['no id', 'virtual:', 'not a virtual user address, which is virtual:<id>: virtual:'],
    ['a wallet', `0x${'1'.repeat(40)}`, 'not a virtual user address'],
    ['another spelling', 'Virtual:a', 'not a virtual user address'],
    ['what could not be an id', "virtual:a'b", 'not a virtual user address'],
    ['too long an id', `virtual:${'a'.repeat(65)}`, 'not a virtual user address'],
    ['a valid and an invalid one', 'virtual:a,zzz', 'not a virtual user address, which is virtual:<id>: zzz'],
  ])('refuses %s', (_, value, expected) => {
    expect(read(value)).toContain(expected)
  })
})

test('costs a credit for each of the addresses', () => {
  expect(cost({ query: query.parse({ addresses: 'virtual:a,virtual:b,virtual:a' }) })).toBe(2)
})
