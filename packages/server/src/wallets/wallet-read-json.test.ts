import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decimal } from '../domain/decimal.ts'
import type { Position } from '../domain/position.ts'
import { decodeBody, encodeBody, type ReadBody } from './wallet-read-json.ts'

const address = fc.constantFrom(
  '0x00000000000000000000000000000000000000aa',
  '0x00000000000000000000000000000000000000bb',
) as fc.Arbitrary<`0x${string}`>
const amountRaw = fc.bigInt({ min: 1n, max: 2n ** 256n - 1n })
const amounts = fc.array(fc.record({ token: address, amountRaw }), { maxLength: 3 })
const position: fc.Arbitrary<Position> = fc
  .record(
    {
      protocol: fc.string(),
      chain: fc.string(),
      kind: fc.constantFrom('lending' as const, 'nft-liquidity' as const),
      label: fc.string(),
      supplied: amounts,
      borrowed: amounts,
      rewards: amounts,
      receipts: fc.array(address, { maxLength: 2 }),
      healthFactorRaw: amountRaw,
      tokenId: amountRaw,
      unlockAt: fc.nat(),
    },
    { requiredKeys: ['protocol', 'chain', 'kind', 'label', 'supplied', 'borrowed', 'rewards', 'receipts'] },
  )
  .map((value) => ({ ...value }))
const price = fc
  .record({ token: address, units: amountRaw, digits: fc.nat({ max: 30 }), block: amountRaw })
  .map(({ token, units, digits, block }) => ({
    chain: 'ethereum',
    token,
    usd: decimal(`${units}e-${digits}`),
    source: 'chainlink',
    confidence: 1,
    block,
  }))
const body: fc.Arbitrary<ReadBody> = fc.record({
  holdings: fc.array(fc.record({ token: address, amountRaw, receipt: fc.boolean() }), { maxLength: 4 }),
  positions: fc.array(position, { maxLength: 3 }),
  tokens: fc.array(
    fc.record({
      chain: fc.constant('ethereum'),
      address,
      symbol: fc.string(),
      name: fc.string(),
      decimals: fc.nat({ max: 77 }),
      listed: fc.boolean(),
    }),
    { maxLength: 3 },
  ),
  prices: fc.array(price, { maxLength: 3 }),
  gaps: fc.array(
    fc.record({ protocol: fc.string(), reason: fc.constantFrom('stale' as const, 'unreadable' as const) }),
    {
      maxLength: 2,
    },
  ),
})

const shown = (read: ReadBody) => ({
  ...read,
  prices: read.prices.map((item) => ({ ...item, usd: item.usd.toFixed() })),
})

test('what is stored comes back the same, to the last unit and digit', () => {
  fc.assert(
    fc.property(body, (read) => {
      expect(shown(decodeBody(JSON.parse(encodeBody(read))))).toEqual(shown(read))
    }),
  )
})

test('a symbol that looks like a number stays a symbol', () => {
  const token = {
    chain: 'ethereum',
    address: '0x00000000000000000000000000000000000000aa',
    symbol: '1000',
    name: '12',
    decimals: 0,
    listed: false,
  } as const
  const read: ReadBody = { holdings: [], positions: [], tokens: [token], prices: [], gaps: [] }
  expect(decodeBody(JSON.parse(encodeBody(read))).tokens).toEqual([token])
})
