import { Failure } from '@coffer/contract'
import { expect, test } from 'vitest'
import { heldOf, priceOf, readOf, tokenOf } from '../../../test/wallet-reads.ts'
import { decimal } from '../../domain/decimal.ts'
import { type ValuedRead, valueAsset, valuePosition, valueRead } from '../../domain/valuation.ts'
import { getNav } from './nav.ts'
import type { Portfolios } from './portfolios.ts'

const native = '0x0000000000000000000000000000000000000000'

/** `amountRaw`: of ETH at 3000.1. */
const ethRead = (amountRaw: bigint, block: bigint, blockTime: number): ValuedRead =>
  valueRead({
    ...readOf(native, { block, blockTime, readAt: blockTime * 1000, holdings: [heldOf(native, amountRaw)] }),
    ...{ tokens: [tokenOf(native, 'ETH')], prices: [priceOf(native, '3000.1')] },
  })
const reads: Record<string, ValuedRead> = {
  '0x01': ethRead(10n ** 18n, 12n, 1_700_000_012),
  '0x02': ethRead(1n, 11n, 1_700_000_000),
}
const portfolios = {
  getState: async (address: string) => ({
    state: { address, reads: [reads[address]], incomplete: [{ chain: 'base', reason: 'unreadable' }] },
    freshUntil: 0,
  }),
} as unknown as Portfolios
const addresses = ['0x01', '0x02'] as const

const ask = async (currency: 'USD' | 'EUR', usdPer?: string) => {
  const rates = { usdPerUnit: async () => (usdPer === undefined ? undefined : { usd: decimal(usdPer), source: 'peg' }) }
  const { body, headers } = await getNav(portfolios, rates, { addresses, waitForSync: false, currency })
  expect(headers).toEqual({ 'x-data-complete': 'false' })
  return body.toString()
}

test('numbers are written from exact decimals, further than a float could hold', async () => {
  const answer = await ask('USD')
  expect(answer).toContain('"nav":3000.100000000000003,')
  expect(JSON.parse(answer)).toMatchObject({
    currency: 'USD',
    conversionPrice: 1,
    asOf: { ethereum: { block: '11', timestamp: '2023-11-14T22:13:20Z' } },
    incomplete: [
      { chain: 'base', reason: 'unreadable' },
      { chain: 'base', reason: 'unreadable' },
    ],
  })
})

test('a debt without a price is in no sum, and named', async () => {
  const debt = valueAsset(tokenOf(native, 'USDC'), decimal('5'), undefined)
  const owing = valuePosition({ protocol: 'aave_v3', kind: 'lending', label: 'Main' }, [], [debt])
  const read = { ...ethRead(10n ** 18n, 12n, 1_700_000_012), positions: [owing] }
  const getState = async (address: string) => ({ state: { address, reads: [read], incomplete: [] }, freshUntil: 0 })
  const query = { addresses: ['0x01'], waitForSync: false, currency: 'USD' } as const
  const rates = { usdPerUnit: async () => undefined }
  const { body, headers } = await getNav({ getState } as unknown as Portfolios, rates, query)
  const incomplete = [{ chain: 'ethereum', protocol: 'aave_v3', reason: 'unpriced-debt' }]
  expect(JSON.parse(body.toString())).toMatchObject({ nav: 3000.1, incomplete })
  expect(headers).toEqual({ 'x-data-complete': 'false' })
})

test('another currency divides by what its unit costs, rounded half to even to 18 decimals', async () => {
  // (3000.1 + 3000.1e-18) / 1.5 = 2000.066666666666668666733…
  expect(await ask('EUR', '1.5')).toContain('"nav":2000.066666666666668667,"currency":"EUR","conversionPrice":1.5,')
})

test('a currency without a rate now is a bad gateway', async () => {
  await expect(ask('EUR')).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' })
  await expect(ask('EUR')).rejects.toBeInstanceOf(Failure)
})
