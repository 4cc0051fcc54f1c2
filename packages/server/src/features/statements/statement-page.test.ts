import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { noticesOf, rowsOf, textOf } from '../../../test/read-statement.ts'
import { collect } from '../../../test/stored-steps.ts'
import { heldOf, lendingOf, priceOf, readOf, tokenOf } from '../../../test/wallet-reads.ts'
import type { Address } from '../../domain/address.ts'
import { valueRead } from '../../domain/valuation.ts'
import type { WalletRead } from '../../domain/wallet-read.ts'
import type { PortfolioState } from '../portfolio/present-portfolio.ts'
import { openStatement } from './module.ts'
import { type Statement, statementPage } from './statement-page.ts'

const WALLET: Address = `0x${'a1'.repeat(20)}`
const [ETH, USDC, SPAM] = ['0', '1', '2'].map((digit) => `0x${digit.repeat(40)}`) as [Address, Address, Address]

const names = {
  chain: (key: string) => ({ key, name: key === 'base' ? 'Base' : 'Ethereum', chainId: '1', explorer: null }),
  protocol: (key: string) => ({ name: key === 'aave_v3' ? 'Aave V3' : key }),
}

function statementRead(changes: Partial<WalletRead> = {}): WalletRead {
  return readOf(WALLET, {
    ...{ block: 24_000_001n, blockTime: 1_767_312_011, readAt: 0 },
    holdings: [heldOf(SPAM, 7n), heldOf(ETH, 1_234_567_890_123_456_789n)],
    positions: [
      lendingOf({
        supplied: [{ token: ETH, amountRaw: 2n * 10n ** 18n }],
        borrowed: [{ token: USDC, amountRaw: 1_000_005n }],
        rewards: [{ token: USDC, amountRaw: 3n }],
        unlockAt: 1_798_761_599,
      }),
    ],
    tokens: [
      tokenOf(ETH, 'ETH', { name: 'ETH token' }),
      tokenOf(USDC, 'USDC', { name: 'USDC token', decimals: 6 }),
      tokenOf(SPAM, '<b>USDC</b>\u202e', { name: '"&\u0007\u200b', decimals: 0, listed: false }),
    ],
    prices: [priceOf(ETH, '3000.000000000000000001'), priceOf(USDC, '0.999', { source: 'uniswap_v3' })],
    ...changes,
  })
}

/** Its debt and its reward of USDC have no price. */
const OWING = statementRead({ holdings: [], prices: statementRead().prices.filter(({ token }) => token === ETH) })

test.each([Number.MAX_SAFE_INTEGER, 8_640_000_000_001])(
  'what is locked until second %d is locked for ever',
  async (unlockAt) => {
    const [position] = statementRead().positions
    if (!position) throw new Error('no position')
    const page = await pageOf([stateOf([statementRead({ positions: [{ ...position, unlockAt }] })])])
    expect(page).toContain('<bdi>locked for ever</bdi>')
  },
)

const stateOf = (reads: readonly WalletRead[], incomplete: PortfolioState['incomplete'] = []): PortfolioState => ({
  ...{ address: WALLET, reads: reads.map(valueRead), incomplete },
})

async function pageOf(wallets: readonly PortfolioState[], more: Partial<Statement> = {}): Promise<string> {
  const madeAt = Date.UTC(2026, 10, 26, 3, 4, 5, 678)
  return (await collect(statementPage({ date: undefined, madeAt, wallets, ...more }, names))).join('')
}

test('each asset and debt has its exact figures, where it lies and where its price is from', async () => {
  const page = await pageOf([stateOf([statementRead()])])
  expect(rowsOf(page, 'lines').slice(1)).toEqual([
    // 1.234567890123456789 × 3000.000000000000000001, computed with Python’s decimal module.
    [
      `ETH ETH token${ETH}`,
      'Ethereum · Wallet',
      '1.234567890123456789',
      '3000.000000000000000001 chainlink',
      '3703.703670370370367001234567890123456789',
      '3,703.70',
    ],
    [`<b>USDC</b>[U+202E] "&[U+0007][U+200B]${SPAM}unlisted`, ...['Ethereum · Wallet', '7', 'N/A', 'N/A', 'N/A']],
    [
      `ETH ETH token${ETH}`,
      'Ethereum · Aave V3 · Lending · Main · locked until 2026-12-31',
      ...['2', '3000.000000000000000001 chainlink', '6000.000000000000000002', '6,000.00'],
    ],
    [
      `USDC USDC token${USDC}`,
      'Ethereum · Aave V3 · Lending · Main · locked until 2026-12-31 · reward',
      ...['0.000003', '0.999 uniswap_v3', '0.000002997', '0.00'],
    ],
    [
      `USDC USDC token${USDC}`,
      'Ethereum · Aave V3 · Lending · Main · locked until 2026-12-31 · owed',
      ...['-1.000005', '0.999 uniswap_v3', '-0.999004995', '-1.00'],
    ],
  ])
  expect(page).toContain('Prices are from: <bdi>chainlink</bdi>, <bdi>uniswap_v3</bdi>.')
})

test('each chain has its block, its time and its sum; the whole is their exact sum', async () => {
  const other = statementRead({ chain: 'base', block: 9n, blockTime: 1_767_312_000, holdings: [], positions: [] })
  const page = await pageOf([stateOf([statementRead(), other])], { date: '2026-01-02' })
  // 3703.703670370370367001234567890123456789 + 6000.000000000000000002 + 0.000002997 − 0.999004995
  const worth = '9702.704668372370367003234567890123456789'
  expect(rowsOf(page, 'chains').slice(1)).toEqual([
    ['Ethereum', '24000001', '2026-01-02 00:00:11 UTC', worth, '9,702.70'],
    ['Base', '9', '2026-01-02 00:00:00 UTC', '0', '0.00'],
    ['Sum', worth, '9,702.70'],
  ])
  const text = textOf(page)
  expect(text).toContain('Statement of holdings on 2026-01-02')
  expect(text).toContain('2026-01-02 00:00:00 UTC to 2026-01-02 00:00:11 UTC')
  expect(text).toContain('Made2026-11-26 03:04:05 UTC')
  expect(text).toContain(`9,702.70 rounded, ${worth} exact`)
})

test('what is missing, old or unpriced is said at the top, in words', async () => {
  const gaps: WalletRead['gaps'] = [{ protocol: 'aave_v3', reason: 'stale' }, { reason: 'searching' }]
  const page = await pageOf([stateOf([statementRead({ gaps })], [{ chain: 'base', reason: 'unreadable' }])])
  expect(noticesOf(page)).toEqual([
    `${WALLET}: Base could not be read. It is missing here, and in every sum.`,
    `${WALLET}: Ethereum, Aave V3 could not be refreshed. The figures shown are from an older block.`,
    `${WALLET}: Ethereum is still being searched for unlisted tokens. Some may be missing.`,
    `${WALLET}: 1 line has no price. Its value is N/A, and the sums exclude it.`,
  ])
  expect(page.indexOf('class="notices"')).toBeLessThan(page.indexOf('<table'))
  expect(noticesOf(await pageOf([stateOf([OWING])]))).toEqual([
    `${WALLET}: Ethereum, Aave V3 has a debt without a price, so the sums are too high.`,
    `${WALLET}: 2 lines have no price. Their value is N/A, and the sums exclude it.`,
  ])
  const whole = await pageOf([stateOf([statementRead({ holdings: [] })])])
  expect(noticesOf(whole)).toEqual([])
  expect(whole).toContain('No part is known to be missing, stale or without a price.')
})

test.each([
  ['nothing is missing', statementRead({ holdings: [] }), true],
  ['a chain is still searched', statementRead({ gaps: [{ reason: 'searching' }] }), false],
  ['a debt has no price', OWING, false],
])('a file says whether it is whole, now and of a day: %s', async (_, read, isWhole) => {
  const state = stateOf([read])
  const getState = async () => ({ state, freshUntil: 0 })
  const context = { getState, stateOn: async () => state, names, clock: { now: () => 0 } }
  for (const day of [{}, { date: '2026-01-02' }, { date: 1_767_312_000 }])
    expect((await openStatement(context, '1', { addresses: [WALLET], ...day })).isComplete).toBe(isWhole)
})

test('values of many wallets add up to the sum, to the last digit', async () => {
  const wallets = Array.from({ length: 10 }, () => stateOf([statementRead()]))
  const page = await pageOf(wallets)
  expect(textOf(page)).toContain('97,027.05 rounded, 97027.04668372370367003234567890123456789 exact')
})

test('the one style is the one that the policy of the page allows', async () => {
  const page = await pageOf([stateOf([])])
  const [, style = ''] = /<style>(.*?)<\/style>/s.exec(page) ?? []
  const hash = createHash('sha256').update(style).digest('base64')
  expect(page).toContain(
    `content="default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'"`,
  )
  expect(page).toContain('No holdings on these chains.')
})
