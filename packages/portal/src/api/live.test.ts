import { expect, test } from 'vitest'
import { isAbout } from './live.ts'

const CAROL = '0x00000000000000000000000000000000000CA401'
const paths = ['/v1/portfolio', '/v1/transactions']

test('a query is about an address that it names, or about all when it names none', () => {
  const about = (...key: unknown[]) => isAbout(key, '1', paths, CAROL)
  expect(about('accounts', '1', '/v1/portfolio', undefined, { addresses: [CAROL.toLowerCase(), '0xb0b'] })).toBe(true)
  expect(about('accounts', '1', '/v1/portfolio', undefined, { addresses: ['0xb0b'] })).toBe(false)
  expect(about('accounts', '1', '/v1/transactions', undefined, undefined)).toBe(true)
  expect(about('accounts', '2', '/v1/portfolio', undefined, { addresses: [CAROL] })).toBe(false)
  expect(about('accounts', '1', '/keys', undefined)).toBe(false)
  expect(about('session')).toBe(false)
})
