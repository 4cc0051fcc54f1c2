import { portfolio, walletView } from '@coffer/contract'
import { expect, test } from 'vitest'
import { localChain } from '../../../test/local-node.ts'
import { heldOf, lendingOf, priceOf, readOf, tokenOf } from '../../../test/wallet-reads.ts'
import type { Chain } from '../../chains/chain.ts'
import type { PoolFigures } from '../../domain/accounting/pnl.ts'
import { decimal, ZERO } from '../../domain/decimal.ts'
import { type EvmAddress, NATIVE as zero } from '../../domain/evm-address.ts'
import { type ValuedRead, valueRead } from '../../domain/valuation.ts'
import { NO_COIN_RATES } from './conversion-rates.ts'
import { type Presentation, presentPortfolio, presentWallet } from './present-portfolio.ts'
import { COMPUTING, type WalletFigures } from './wallet-figures.ts'

const wallet = '0x00000000000000000000000000000000000000ff'
const weth = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'
const usdc = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const aWeth = '0x4d5f47fa6a74757f35c14fd3a6ef8e3c9bc514e8'

const chain = (key: string, name: string, chainId: string): Chain => {
  const explorer = {
    token: `https://${key}.example/token/`,
    transaction: '',
    address: `https://${key}.example/address/`,
  }
  return { ...localChain, key, name, chainId, explorer }
}
const chains: Record<string, Chain> = {
  ethereum: chain('ethereum', 'Ethereum', '1'),
  base: chain('base', 'Base', '8453'),
}
const presentation: Presentation = {
  chain: (key) => chains[key] ?? chain(key, key, '0'),
  protocol: () => ({ name: 'Aave V3', siteUrl: 'https://app.aave.com' }),
  explorerUrls: true,
  flatAssets: true,
  coins: NO_COIN_RATES,
}

/** 1 ETH at 3000 on both chains; on Ethereum 2 WETH supplied to Aave against 1,000 USDC of debt. */
function reads(): ValuedRead[] {
  const ethereum = readOf(wallet, {
    ...{ block: 21_000_000n, blockTime: 1_760_000_000, readAt: 1_760_000_005_123 },
    holdings: [heldOf(zero, 10n ** 18n), heldOf(aWeth, 2n * 10n ** 18n, true)],
    positions: [
      lendingOf({
        ...{ label: 'Core', pool: '0x87870bca3f3fd6335c3f4ce8392d69350b4fa4e2', receipts: [aWeth] },
        supplied: [{ token: weth, amountRaw: 2n * 10n ** 18n }],
        borrowed: [{ token: usdc, amountRaw: 1_000_000_000n }],
        healthFactorRaw: 4_950_000_000_000_000_000n,
      }),
    ],
    tokens: [
      tokenOf(zero, 'ETH', { name: 'Ether' }),
      tokenOf(weth, 'WETH', { name: 'Wrapped Ether' }),
      tokenOf(usdc, 'USDC', { name: 'USD Coin', decimals: 6 }),
      tokenOf(aWeth, 'aEthWETH', { name: 'Aave Ethereum WETH' }),
    ],
    prices: [
      ...[priceOf(zero, '3000'), priceOf(weth, '3000'), priceOf(usdc, '1')],
      priceOf(aWeth, '3000', { source: 'receipt' }),
    ],
    gaps: [{ protocol: 'uniswap_v3', reason: 'unreadable' }],
  })
  const base = readOf(wallet, {
    ...{ chain: 'base', block: 30_000_000n, blockTime: 1_760_000_001, readAt: 1_760_000_004_000 },
    holdings: [heldOf(zero, 10n ** 18n)],
    tokens: [tokenOf(zero, 'ETH', { chain: 'base', name: 'Ether' })],
    prices: [priceOf(zero, '3000', { chain: 'base' })],
  })
  return [valueRead(ethereum), valueRead(base)]
}

const NO_FIGURES: WalletFigures = {
  ...{ version: '1', income: ZERO, expense: ZERO, feesRaw: 0n, feesUsd: ZERO, closedPnl: ZERO },
  ...{ unknownDisposals: [], pools: [], missing: [], chainGaps: [], gaps: [] },
}
const pool = (
  key: string,
  address: EvmAddress,
  quantity: string,
  basis: string | null,
  rest: Partial<PoolFigures> = {},
): PoolFigures => ({
  ...{ wallet, chain: key, token: address, tokenId: null, debt: false, position: null, protocol: null, flagged: false },
  ...{ quantity: decimal(quantity), basis: basis === null ? null : decimal(basis) },
  ...rest,
})

const state = () => ({
  address: wallet,
  reads: reads(),
  incomplete: [{ chain: 'linea', reason: 'time-limit' as const }],
})

test('totals: wallet 6000, position 6000 − 1000, net worth 11000; every level agrees with the interface', () => {
  const shown = presentPortfolio(state(), presentation)
  expect(portfolio.parse(shown)).toEqual(shown)
  expect(shown).toMatchObject({
    ...{ address: wallet, networth: '11000', lastUpdated: '1760000004000', openPnl: 'N/A' },
    assetByProtocols: {
      wallet: { value: '6000', name: 'Wallet' },
      aave_v3: { value: '5000', name: 'Aave V3', chains: { ethereum: { value: '5000' } } },
    },
    chains: {
      ethereum: { value: '8000', protocols: ['wallet', 'aave_v3'] },
      base: { value: '3000', protocols: ['wallet'] },
    },
    asOf: { ethereum: { block: '21000000', timestamp: '2025-10-09T08:53:20Z' } },
    incomplete: [
      { chain: 'linea', reason: 'time-limit' },
      { chain: 'ethereum', protocol: 'uniswap_v3', reason: 'unreadable' },
    ],
  })
  expect(shown.chains['ethereum']?.explorerAddressUrl).toBe(`https://ethereum.example/address/${wallet}`)
  const { LENDING: lending } = shown.assetByProtocols['aave_v3']?.chains['ethereum']?.protocolPositions ?? {}
  expect(lending).toMatchObject({ totalValue: '5000', assets: [] })
  expect(lending?.protocolPositions).toMatchObject([
    {
      ...{ name: 'Core', value: '5000', healthRate: '4.95', siteUrl: 'https://app.aave.com' },
      poolAddress: '0x87870bca3f3fd6335c3f4ce8392d69350b4fa4e2',
      supplyAssets: [{ symbol: 'weth', balance: '2', value: '6000' }],
      borrowAssets: [{ symbol: 'usdc', balance: '1000', value: '1000', side: 'borrow' }],
    },
  ])
})

test('the flat list of a protocol holds each of its assets once, debts marked', () => {
  const { aave_v3: aave } = presentPortfolio(state(), presentation).assetByProtocols
  expect(aave?.assets.map((asset) => [asset.symbol, asset.side])).toEqual([
    ['weth', undefined],
    ['usdc', 'borrow'],
  ])
  expect(aave?.assets[0]).toMatchObject({
    ...{ symbol: 'weth', name: 'wrapped ether', displaySymbol: 'WETH', displayName: 'Wrapped Ether', decimal: '18' },
    ...{ contractAddress: weth, contract: weth, chain: 'ethereum', chainContract: `ethereum:${weth}` },
    priceSource: 'chainlink',
    explorerUrl: `https://ethereum.example/token/${weth}`,
  })
})

/** Every part of an answer with its own cost or open PnL: unknown or not, and the reason. */
function* reportedParts(node: unknown): Generator<[isUnknown: boolean, reason: unknown]> {
  if (typeof node !== 'object' || node === null) return
  for (const part of Object.values(node)) yield* reportedParts(part)
  const { totalCostBasis, openPnl, totalOpenPnl, pnlReason } = node as Record<string, unknown>
  if (totalCostBasis === undefined) return
  yield [[totalCostBasis, openPnl, totalOpenPnl].includes('N/A'), pnlReason]
}

test('where cost or PnL is N/A it has a reason, and nowhere else', () => {
  const reasonsOf = (figures?: WalletFigures) => {
    const shown = presentPortfolio(figures ? { ...state(), figures } : state(), presentation)
    expect(portfolio.parse(shown)).toEqual(shown)
    const parts = [...reportedParts(shown.assetByProtocols)]
    expect(parts.filter(([isUnknown, reason]) => isUnknown !== (reason !== undefined))).toEqual([])
    const { wallet: held, aave_v3 } = shown.assetByProtocols
    return [held, aave_v3, held?.assets[0], held?.assets[1], aave_v3?.assets[0]].map((part) => part?.pnlReason)
  }
  expect(reasonsOf()).toEqual(['no-history', 'no-history', 'no-history', 'no-history', 'not-told'])
  expect(reasonsOf(COMPUTING)).toEqual(['computing', 'computing', 'computing', 'computing', 'not-told'])
  const figures = { ...NO_FIGURES, pools: [pool('ethereum', zero, '1', '2500'), pool('base', zero, '1', null)] }
  // The wallet's sum includes only known parts.
  expect(reasonsOf(figures)).toEqual([undefined, 'balance-differs', undefined, 'unknown-cost', 'not-told'])
  const lent = [pool('ethereum', aWeth, '2', '5000'), pool('ethereum', usdc, '1000', '1000', { debt: true })]
  const flagged = [pool('ethereum', zero, '1', '2500', { flagged: true })]
  expect(reasonsOf({ ...NO_FIGURES, pools: [...flagged, ...lent] })).toEqual([
    ...['gap', undefined, 'gap', 'balance-differs', 'not-told'],
  ])
  const empty = presentPortfolio({ address: wallet, reads: [], incomplete: [], figures: NO_FIGURES }, presentation)
  expect(empty.assetByProtocols['wallet']?.pnlReason).toBe('nothing-held')
})

test('the wallet view shows receipt tokens as tokens, and shares of the whole', () => {
  const shown = presentWallet(state(), presentation)
  expect(walletView.parse(shown)).toEqual(shown)
  expect(shown.networth).toBe('12000')
  const chainOf = shown.assetByProtocols.wallet.chains['ethereum']
  const { assets } = chainOf?.protocolPositions.WALLET ?? { assets: [] }
  expect(assets.map((asset) => asset.symbol)).toEqual(['aethweth', 'eth'])
  expect(assets[0]).toMatchObject({
    ...{ chainContract: `ethereum:${aWeth}`, priceSource: expect.any(String), openPnl: 'N/A', totalCostBasis: 'N/A' },
  })
  expect(shown.chains).toMatchObject({
    ethereum: { chainId: '1', value: '9000', valuePercentile: '75' },
    base: { chainId: '8453', value: '3000', valuePercentile: '25' },
  })
})

test('the header of the wallet view sums its own tokens, and names each that it leaves out', () => {
  const owed = `${usdc}/1`
  const pools = [
    ...[pool('ethereum', zero, '1', '2500'), pool('base', zero, '1', '2800')],
    ...[pool('ethereum', aWeth, '2.1', '5000'), pool('ethereum', usdc, '1000', '1000', { debt: true, position: owed })],
  ]
  const shown = presentWallet({ ...state(), figures: { ...NO_FIGURES, pools } }, presentation)
  expect(shown).toMatchObject({
    ...{ networth: '12000', totalCostBasis: '5300', openPnl: '700' },
    pnlIncomplete: [{ reason: 'balance-differs', chain: 'ethereum', contract: aWeth }],
    assetByProtocols: { wallet: { totalCostBasis: '5300', totalOpenPnl: '700' } },
    chains: { ethereum: { totalCostBasis: '2500' }, base: { totalCostBasis: '2800' } },
  })
})

/** One position on Ethereum of two WETH at 3000 and a debt of 1000 USDC, at a protocol of another type. */
function positionAs(
  position: Partial<Parameters<typeof presentPortfolio>[0]['reads'][number]['positions'][number]['position']>,
) {
  const [read] = reads()
  const [held] = read?.positions ?? []
  if (!read || !held) throw new Error('no position')
  const changed = { ...read, positions: [{ ...held, position: { ...held.position, ...position } }] }
  const shown = presentPortfolio({ ...state(), reads: [changed] }, presentation)
  const [group] = Object.values(shown.assetByProtocols['aave_v3']?.chains['ethereum']?.protocolPositions ?? {})
  return group?.protocolPositions[0]
}

const LISTS = [
  'assets',
  'supplyAssets',
  'dexAssets',
  'rewardAssets',
  'marginAssets',
  'baseAssets',
  'quoteAssets',
] as const

test.each([
  ['liquidity', 'assets'],
  ['nft-liquidity', 'assets'],
  ['farming', 'assets'],
  ['yield', 'assets'],
  ['lending', 'supplyAssets'],
  ['perpetuals', 'dexAssets'],
] as const)('what was put in is in one list alone: %s in %s', (kind, list) => {
  const shown = positionAs({ kind })
  expect(LISTS.filter((name) => (shown?.[name].length ?? 0) > 0)).toEqual([list])
  expect(shown?.[list]).toMatchObject([{ symbol: 'weth', value: '6000' }])
  expect(shown?.borrowAssets).toMatchObject([{ symbol: 'usdc', side: 'borrow' }])
})

test('a perpetual says its side and its figures, and what is not known of it', () => {
  const figures = { entryPriceRaw: 15n * 10n ** 17n, leverageRaw: 5n * 10n ** 18n, sizeRaw: 25n * 10n ** 17n }
  const perpetual = { side: 'long', ...figures } as const
  expect(positionAs({ kind: 'perpetuals', perpetual })).toMatchObject({
    ...{ side: 'long', size: '2.5', entryPrice: '1.5', leverage: '5', marginUsed: 'N/A', liquidationPrice: 'N/A' },
    ...{ value: '5000', totalValue: '5000' },
    // Without its own margin: the position's value, 6,000 less 1,000 USD.
    dexAssets: [{ type: 'long', marginUsed: '5000', entryPrice: '1.5', leverage: '5', liquidationPrice: 'N/A' }],
  })
  const withMargin = positionAs({ kind: 'perpetuals', perpetual: { ...perpetual, marginUsedRaw: 3n * 10n ** 18n } })
  expect(withMargin).toMatchObject({ value: '5000', marginUsed: '3', dexAssets: [{ value: '6000', marginUsed: '3' }] })
  expect(positionAs({ kind: 'lending' })?.supplyAssets[0]).not.toHaveProperty('marginUsed')
  expect(positionAs({ kind: 'lending' })).not.toHaveProperty('side')
})

test('chains say their share; rates are of every symbol and the coins, sources those of the prices', () => {
  const coins = new Map([
    ['SOL', decimal('150')],
    ['ETH', decimal('3001')],
    ['BTC', null],
  ])
  const shown = presentPortfolio(state(), { ...presentation, coins })
  expect(shown.chains).toMatchObject({
    ethereum: { chainId: '1', valuePercentile: '72.727272727272727273' },
    base: { chainId: '8453', valuePercentile: '27.272727272727272727' },
  })
  expect(shown.conversionRates).toMatchObject({ ETH: '3000', WETH: '3000', USDC: '1', SOL: '150', BTC: 'N/A' })
  expect(shown.priceAdapters).toEqual(['chainlink'])
  expect(shown).toMatchObject({ cashBalance: '0', manualBalanceNetworth: '0' })
})

test('the flat list can be left out', () => {
  const { aave_v3: aave } = presentPortfolio(state(), { ...presentation, flatAssets: false }).assetByProtocols
  expect([aave?.assets, aave?.value]).toEqual([[], '5000'])
})

test('an empty wallet still has the protocol wallet, and nothing else', () => {
  const empty = reads().map((read) => ({ ...read, direct: [], held: [], positions: [], value: ZERO }))
  const shown = presentPortfolio({ address: wallet, reads: empty, incomplete: [] }, presentation)
  expect(Object.keys(shown.assetByProtocols)).toEqual(['wallet'])
  expect(shown.chains).toEqual({})
  expect(shown.networth).toBe('0')
})

test('figures of a long history that is still being computed are unknown with that reason', () => {
  const shown = presentPortfolio({ ...state(), figures: COMPUTING }, presentation)
  expect(shown).toMatchObject({ openPnl: 'N/A', closedPnl: 'N/A', totalCostBasis: 'N/A' })
  expect(shown.pnlIncomplete).toEqual([{ reason: 'computing' }])
})
