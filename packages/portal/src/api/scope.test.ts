import { i18n } from '@lingui/core'
import { beforeEach, expect, test } from 'vitest'
import { defaultOf, membersOf, type ScopeSources, scopeLabel } from './scope.ts'

beforeEach(() => i18n.loadAndActivate({ locale: 'en', messages: {} }))

const wallet = (n: number) => `0x${String(n).padStart(40, '0')}`
const saved = (count: number) =>
  Array.from({ length: count }, (_, n) => ({
    address: wallet(n),
    label: n === 0 ? 'Cold' : '',
    plan: 'FREE' as const,
    expiresAt: null,
    isPaid: false,
  }))
const tron = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'
const sources = (count: number): ScopeSources => ({
  saved: saved(count),
  bundles: [
    { id: '1', name: 'Treasury', addresses: [wallet(1), wallet(0)] },
    { id: '2', name: 'Mixed', addresses: [wallet(2), tron] },
  ],
  virtualUsers: [{ address: 'virtual:x', type: 'BALANCE', label: 'Safe' }],
})

test('without a choice the oldest ten saved addresses are looked at', () => {
  expect(defaultOf(sources(3))).toEqual([wallet(0), wallet(1), wallet(2)])
  expect(defaultOf(sources(12))).toHaveLength(10)
  expect(scopeLabel(defaultOf(sources(3)), sources(3))).toBe('All saved addresses')
  expect(scopeLabel(defaultOf(sources(12)), sources(12))).toBe('All saved addresses (10 of 12)')
})

test('a scope is called by its bundle, its one label, or its size', () => {
  expect(scopeLabel([wallet(0), wallet(1)], sources(5))).toBe('Treasury')
  expect(scopeLabel([wallet(0)], sources(5))).toBe('Cold')
  expect(scopeLabel(['virtual:x'], sources(5))).toBe('Safe')
  expect(scopeLabel([wallet(7)], sources(5))).toBe(wallet(7))
  expect(scopeLabel([wallet(0), wallet(7)], sources(5))).toBe('2 addresses')
  expect(scopeLabel([], sources(5))).toBe('Nothing selected')
})

test('a bundle leaves out what no chain of the service reads, and says so', () => {
  expect(membersOf(sources(5).bundles[1] as never)).toEqual([wallet(2)])
  expect(scopeLabel([wallet(2)], sources(5))).toBe('Mixed (1 of 2)')
})
