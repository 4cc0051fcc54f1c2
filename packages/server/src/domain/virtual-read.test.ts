import { expect, test } from 'vitest'
import { decimal, formatDecimal } from './decimal.ts'
import { mergeReads } from './merge-reads.ts'
import {
  cashOf,
  type HoldingAccount,
  symbolToken,
  type VirtualHolding,
  type VirtualRead,
  valueVirtualRead,
} from './virtual-read.ts'

type Figures = { owned?: string; borrowed?: string; usd?: string | null; source?: string }

function holding(
  account: HoldingAccount,
  symbol: string,
  { owned = '0', borrowed = '0', usd = '1', source = 'binance' }: Figures,
): VirtualHolding {
  const price = usd === null ? null : { usd: decimal(usd), source }
  return { account, token: symbolToken(symbol), owned: decimal(owned), borrowed: decimal(borrowed), price }
}

const exchange = (...holdings: VirtualHolding[]): VirtualRead => ({
  ...{ chain: 'cex', protocol: 'binance', readAt: 5, gaps: [], holdings },
})

/** `kind: symbol balance value` of each asset of each position, debts negative. */
const lines = (read: VirtualRead) =>
  valueVirtualRead(read).positions.map(({ position, supplied, borrowed, value }) => {
    const show = (sign: string) => (asset: (typeof supplied)[number]) =>
      `${sign}${asset.token.symbol} ${formatDecimal(asset.balance)} ${formatDecimal(asset.value)}`
    const assets = [...supplied.map(show('')), ...borrowed.map(show('-'))]
    return `${position.kind} ${position.label} ${formatDecimal(value)}: ${assets.join(', ')}`
  })

test('every account is a position; what is borrowed on margin is subtracted once', () => {
  const read = exchange(
    holding('margin', 'BTC', { owned: '2', usd: '60000' }),
    holding('margin', 'USDT', { owned: '500', borrowed: '30000.5', usd: '0.999' }),
    holding('spot', 'BTC', { owned: '0.1', usd: '60000' }),
    holding('spot', 'USD', { owned: '7.5' }),
    holding('funding', 'ETH', { owned: '1', usd: '3000' }),
    holding('earn', 'ETH', { owned: '3', usd: '3000' }),
  )
  // 120,000 + 499.5 − 29,970.4995
  expect(lines(read)).toEqual([
    'deposit Spot 6007.5: BTC 0.1 6000, USD 7.5 7.5',
    'deposit Funding 3000: ETH 1 3000',
    'yield Earn 9000: ETH 3 9000',
    'margin Margin 90529.0005: BTC 2 120000, USDT 500 499.5, -USDT 30000.5 29970.4995',
  ])
  expect(formatDecimal(valueVirtualRead(read).value)).toBe('108536.5005')
})

test('a debt outside of margin is shown where debts show, and nothing where there is nothing', () => {
  expect(lines(exchange(holding('spot', 'USD', { owned: '1', borrowed: '3' })))).toEqual([
    'margin Spot -2: USD 1 1, -USD 3 3',
  ])
  expect(lines(exchange(holding('spot', 'USD', {})))).toEqual([])
})

test('a coin without a price is shown at nothing, and says so', () => {
  const { positions, value } = valueVirtualRead(exchange(holding('spot', 'XYZ', { owned: '5', usd: null })))
  expect(positions[0]?.supplied.map(({ priceSource, value }) => [priceSource, formatDecimal(value)])).toEqual([
    [null, '0'],
  ])
  expect(formatDecimal(value)).toBe('0')
})

test('cash is money of states, wherever it lies, and neither a stablecoin nor a debt', () => {
  const read = exchange(
    holding('spot', 'EUR', { owned: '10', usd: '1.1' }),
    holding('margin', 'USD', { owned: '100', borrowed: '100' }),
    holding('spot', 'USDT', { owned: '1000' }),
  )
  const token = { address: `0x${'1'.repeat(40)}` as const, symbol: 'USD', name: 'Bait', decimals: 18 }
  const onChain: VirtualRead = {
    ...{ chain: 'base', readAt: 1, gaps: [] },
    holdings: [{ ...holding('wallet', 'USD', { owned: '5' }), token }],
  }
  expect(formatDecimal(cashOf([read, onChain]))).toBe('111')
})

test('equal coins at different prices are shown at the mean that their value amounts to', () => {
  const [merged] = mergeReads(
    [
      exchange(holding('spot', 'BTC', { owned: '1', usd: '60000' })),
      exchange(holding('spot', 'BTC', { owned: '3', usd: '62000', source: 'kraken' })),
      exchange(holding('funding', 'BTC', { owned: '1', usd: null })),
    ].map(valueVirtualRead),
  )
  const spot = merged?.positions[0]?.supplied[0]
  expect(spot && [formatDecimal(spot.balance), formatDecimal(spot.price), formatDecimal(spot.value)]).toEqual([
    '4',
    '61500',
    '246000',
  ])
  expect(spot?.priceSource).toBe('kraken')
  expect(formatDecimal(merged?.value ?? decimal('0'))).toBe('246000')
})

test('several reads of a chain are as old as the oldest, and say each gap once', () => {
  const gap = { protocol: 'aave_v3', reason: 'stale' } as const
  const at = (readAt: number, block: bigint, blockTime: number): VirtualRead => ({
    ...{ chain: 'base', readAt, block, blockTime, holdings: [], gaps: [gap] },
  })
  const [merged, ...others] = mergeReads([at(20, 7n, 700), at(10, 9n, 900)].map(valueVirtualRead))
  expect(others).toEqual([])
  expect(merged?.read).toEqual({ chain: 'base', readAt: 10, block: 7n, blockTime: 700, gaps: [gap] })
})
