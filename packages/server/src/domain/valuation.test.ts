import { expect, test } from 'vitest'
import { heldOf, lendingOf, priceOf, readOf, tokenOf } from '../../test/wallet-reads.ts'
import { decimal, formatDecimal } from './decimal.ts'
import { gapsOf, valueRead } from './valuation.ts'
import type { WalletRead } from './wallet-read.ts'

const weth = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'
const usdc = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const odd = '0x00000000000000000000000000000000000000aa'
const base = readOf('0x00000000000000000000000000000000000000ff', {
  tokens: [tokenOf(weth, 'WETH'), tokenOf(usdc, 'USDC', { decimals: 6 }), tokenOf(odd, 'ODD', { decimals: 0 })],
  prices: [priceOf(weth, '3000.123456789012345678'), priceOf(usdc, '0.9999')],
})

test('value is the exact product of the balance and the price shown', () => {
  const read = { ...base, holdings: [heldOf(weth, 1n)] }
  const [asset] = valueRead(read).held
  expect(formatDecimal(asset?.value ?? decimal('0'))).toBe('0.000000000000003000123456789012345678')
})

test('10^30 units and one unit keep every digit', () => {
  const read = { ...base, holdings: [heldOf(usdc, 10n ** 30n + 1n)] }
  expect(formatDecimal(valueRead(read).value)).toBe('999900000000000000000000.0000009999')
})

test('a price of more than 18 decimals is rounded half to even before it is multiplied', () => {
  const read = { ...base, holdings: [heldOf(odd, 2n)], prices: [priceOf(odd, '0.0000000000000000125')] }
  const [asset] = valueRead(read).held
  expect(formatDecimal(asset?.price ?? decimal('1'))).toBe('0.000000000000000012')
  expect(formatDecimal(valueRead(read).value)).toBe('0.000000000000000024')
})

test('debt is subtracted once, and the receipts of a position are not counted in the wallet as well', () => {
  const [supplied, borrowed] = [
    { token: weth, amountRaw: 10n ** 18n },
    { token: usdc, amountRaw: 1_000_000_000n },
  ]
  const position = lendingOf({ supplied: [supplied], borrowed: [borrowed], receipts: [weth] })
  const read = { ...base, holdings: [heldOf(weth, 10n ** 18n, true)], positions: [position] }
  const valued = valueRead(read)
  expect(formatDecimal(valued.value)).toBe('2000.223456789012345678')
  expect(valued.held).toEqual([])
  expect(valued.direct).toHaveLength(1)
})

test('an unpriced asset is shown with price and value 0 and no source, and moves no total', () => {
  const read = { ...base, holdings: [heldOf(odd, 5n)], prices: [] }
  const valued = valueRead(read)
  expect(valued.held.map((asset) => [formatDecimal(asset.price), asset.priceSource])).toEqual([['0', null]])
  expect(formatDecimal(valued.value)).toBe('0')
})

test.each([
  ['a listed token without a price', { listed: true, suppliedRaw: 1n }, ['unpriced-debt']],
  ['any token, in a position that adds a dollar', { listed: false, suppliedRaw: 1_000_101n }, ['unpriced-debt']],
  ['an unlisted token, in one that adds less', { listed: false, suppliedRaw: 1_000_100n }, []],
  ['a token with a price', { listed: true, suppliedRaw: 1n, usd: '0.000001' }, []],
])('a total that lacks a debt of %s says so', (_, { listed, suppliedRaw, ...priced }, reasons) => {
  const read: WalletRead = {
    ...base,
    tokens: [tokenOf(usdc, 'USDC', { decimals: 6 }), tokenOf(odd, 'ODD', { decimals: 0, listed })],
    prices: [priceOf(usdc, '0.9999'), ...('usd' in priced ? [priceOf(odd, priced.usd)] : [])],
    positions: [
      lendingOf({
        supplied: [{ token: usdc, amountRaw: suppliedRaw }],
        borrowed: [{ token: odd, amountRaw: 3n }],
      }),
    ],
    gaps: [{ reason: 'stale' }],
  }
  expect(gapsOf(valueRead(read))).toEqual([
    { reason: 'stale' },
    ...reasons.map((reason) => ({ protocol: 'aave_v3', reason })),
  ])
})
