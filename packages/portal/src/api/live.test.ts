import { expect, test } from 'vitest'
import { isAbout } from './live.ts'

const CAROL = '0x00000000000000000000000000000000000CA401'
const BOB = '0x0000000000000000000000000000000000000b0b'
const paths = ['/v1/portfolio', '/v1/transactions']

test('a query is about an address that it names, or about all when it names none', () => {
  const about = (...key: unknown[]) => isAbout(key, { account: '1', paths, address: CAROL })
  expect(about('accounts', '1', '/v1/portfolio', undefined, { addresses: [CAROL.toLowerCase(), BOB] })).toBe(true)
  expect(about('accounts', '1', '/v1/portfolio', undefined, { addresses: [BOB] })).toBe(false)
  expect(about('accounts', '1', '/v1/transactions', [BOB], {})).toBe(false)
  expect(about('accounts', '1', '/v1/transactions', undefined, undefined)).toBe(true)
  expect(about('accounts', '2', '/v1/portfolio', undefined, { addresses: [CAROL] })).toBe(false)
  expect(about('accounts', '1', '/keys', undefined)).toBe(false)
  expect(about('session')).toBe(false)
})

test('what changed of all addresses is about every query of its paths', () => {
  const about = (...key: unknown[]) => isAbout(key, { account: '1', paths, address: undefined })
  expect(about('accounts', '1', '/v1/portfolio', undefined, { addresses: [BOB] })).toBe(true)
  expect(about('accounts', '1', '/keys', undefined)).toBe(false)
})
