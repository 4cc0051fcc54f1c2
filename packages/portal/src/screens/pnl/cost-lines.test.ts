import { expect, test } from 'vitest'
import { costLines, missingByReason, type Portfolio } from './cost-lines.ts'

const totals = { totalCostBasis: '10', totalOpenPnl: '5', totalClosedPnl: 'N/A' }
const asset = (parts: object = {}) => ({
  ...{
    balance: '2',
    displaySymbol: 'ETH',
    displayName: 'Ether',
    price: '3',
    value: '6',
    priceSource: 'aave',
    chainKey: 'base',
  },
  contractAddress: '0xe',
  openPnl: '1',
  totalCostBasis: '5',
  ...parts,
})
const position = (parts: object = {}) => ({
  ...{
    name: 'Core',
    value: '15',
    ...totals,
    assets: [],
    supplyAssets: [asset()],
    borrowAssets: [asset({ displaySymbol: 'sDAI', side: 'borrow' })],
  },
  rewardAssets: [],
  dexAssets: [],
  ...parts,
})
const protocol = (key: string, type: string, group: object) => ({
  key,
  name: key.toUpperCase(),
  assets: [],
  chains: { base: { protocolPositions: { [type]: { assets: [], protocolPositions: [], ...group } } } },
})
const portfolio = (protocols: object, pnlIncomplete: Portfolio['pnlIncomplete'] = []) =>
  ({ address: '0xaa', assetByProtocols: protocols, pnlIncomplete }) as unknown as Portfolio

test('lists what is held directly by asset, and in protocols by position', () => {
  const lines = costLines([
    portfolio({
      wallet: protocol('wallet', 'WALLET', { assets: [asset()] }),
      aave: protocol('aave', 'LENDING', { protocolPositions: [position(), position({ name: 'Side' })] }),
    }),
  ])
  expect(lines).toMatchObject([
    { name: 'ETH', parts: '', amount: '2', value: '6', cost: '5', openPnl: '1', protocol: 'WALLET', reason: null },
    { name: 'Core', parts: 'ETH, sDAI', amount: null, value: '15', cost: '10', openPnl: '5', protocol: 'AAVE' },
    { name: 'Side' },
  ])
  expect(new Set(lines.map(({ key }) => key)).size).toBe(3)
})

test('what has no price is worth an unknown sum', () => {
  const unpriced = asset({ price: '0', value: '0', priceSource: null })
  const [line] = costLines([portfolio({ wallet: protocol('wallet', 'WALLET', { assets: [unpriced] }) })])
  expect(line?.value).toBe('N/A')
})

test('an unknown figure has the reason of its contract, its chain or its wallet', () => {
  const unknown = { totalCostBasis: 'N/A', openPnl: 'N/A' }
  const reasonWith = (missing: Portfolio['pnlIncomplete']) =>
    costLines([portfolio({ wallet: protocol('wallet', 'WALLET', { assets: [asset(unknown)] }) }, missing)])[0]?.reason
  expect(reasonWith([{ reason: 'gap', chain: 'base', contract: '0xe' }])).toBe('gap')
  expect(reasonWith([{ reason: 'gap', chain: 'base', contract: '0xf' }])).toBeNull()
  expect(reasonWith([{ reason: 'gap', chain: 'ethereum', contract: '0xe' }])).toBeNull()
  expect(reasonWith([{ reason: 'unknown-cost', chain: 'base' }])).toBe('unknown-cost')
  expect(reasonWith([{ reason: 'no-history' }])).toBe('no-history')
  expect(reasonWith([{ reason: 'unknown-disposal', chain: 'base', contract: '0xe' }])).toBeNull()
})

test('a known figure has no reason, whatever else is missing', () => {
  const held = { wallet: protocol('wallet', 'WALLET', { assets: [asset()] }) }
  expect(costLines([portfolio(held, [{ reason: 'no-history' }])])[0]?.reason).toBeNull()
})

test('a position takes the reason of a contract in it', () => {
  const unknown = { protocolPositions: [position({ totalOpenPnl: 'N/A', poolAddress: '0xp' })] }
  const held = { aave: protocol('aave', 'LENDING', unknown) }
  const of = (contract: string) => costLines([portfolio(held, [{ reason: 'gap', chain: 'base', contract }])])[0]
  expect([of('0xp')?.reason, of('0xe')?.reason, of('0xz')?.reason, of('0xp')?.contract]).toEqual([
    ...['gap', 'gap', null, '0xp'],
  ])
})

test('what is missing is grouped by its reason', () => {
  const missing: Portfolio['pnlIncomplete'] = [
    { reason: 'gap', chain: 'base' },
    { reason: 'unpriced', chain: 'base' },
    { reason: 'gap', chain: 'ethereum' },
  ]
  expect(missingByReason(portfolio({}, missing))).toEqual([
    ['gap', [missing[0], missing[2]]],
    ['unpriced', [missing[1]]],
  ])
})
