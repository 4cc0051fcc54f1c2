import { transaction } from '@coffer/contract'
import { expect, test } from 'vitest'
import { tokenOf } from '../../../../test/wallet-reads.ts'
import { findChain } from '../../../chains/chain-catalog.ts'
import { chains } from '../../../chains/chain-types.ts'
import { decimal } from '../../../domain/decimal.ts'
import { NATIVE } from '../../../domain/evm-address.ts'
import { presentTransaction, type ShownTransaction } from './present-transaction.ts'

const wallet = '0x00000000000000000000000000000000000000ff'
const other = '0x00000000000000000000000000000000000000ee'
const usdc = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const strange = '0x00000000000000000000000000000000000000cc'

const ethereum = findChain('ethereum', chains) ?? expect.fail('no such chain')
const tokens = [tokenOf(usdc, 'USDC', { name: 'USD Coin', decimals: 6 })]

const row: ShownTransaction['row'] = {
  ...{ wallet, chain: 'ethereum', block: 21_000_000n, tx_index: 7, hash: '0xabc', block_hash: '0xdef' },
  block_time: new Date('2026-01-01T00:00:00Z'),
  sender: wallet,
  recipient: other,
  selector: '0xa9059cbb',
  succeeded: true,
  type: 'TRANSFEROUT',
  protocol: null,
  protocol_basis: null,
  ...{ fee: '21000000000000', value_usd: '2', fee_usd: '0.063' },
}

const moved = (part: Partial<ShownTransaction['movements'][number]>): ShownTransaction['movements'][number] => ({
  ...{ wallet, chain: 'ethereum', block: row.block, tx_index: row.tx_index, place: 0, token: usdc, token_id: null },
  ...{ amount: '-2000000', counterparty: other, debt: false, leg: 0, treatment: 'send' },
  ...{ price: '1', price_source: 'chainlink', priced_at: new Date(0), multiplier: null, multiplier_known: true },
  ...part,
})
const gas = moved({ token: NATIVE, amount: '-21000000000000', treatment: 'fee', price: '3000', place: 1 })

const shownOf = (change: Partial<ShownTransaction>) => {
  const shown = presentTransaction({
    ...{ row, movements: [moved({}), gas], chain: ethereum, functionName: null, protocol: null, basis: undefined },
    find: (address) => tokens.find((token) => token.address === address),
    isOneCoin: () => true,
    ...change,
  })
  expect(transaction.parse(shown)).toEqual(shown)
  return shown
}

test('fees are in coins and an asset of their own; an unknown protocol has a name', () => {
  const shown = shownOf({})
  expect(shown).toMatchObject({
    ...{ confirmed: 'CONFIRMED', fees: '0.000021', feesFiat: '0.063', valueFiat: '2' },
    ...{ protocol: { key: 'unknown', name: 'Unknown' }, subProtocol: { key: 'unknown', name: 'Unknown' } },
    assetsIn: [],
    assetsOut: [{ symbol: 'usdc', name: 'usd coin', displaySymbol: 'USDC', displayName: 'USD Coin' }],
  })
  expect(shown).toMatchObject({
    assetsOut: [{ symbol: 'usdc', balance: '2', value: '2', priceSource: 'chainlink', isAssetIn: false }],
    nativeAssetFees: {
      ...{ symbol: 'eth', balance: '0.000021', price: '3000', value: '0.063', priceSource: 'chainlink' },
      ...{ isNativeAssetFees: true, isAssetIn: false, from: wallet, to: '', chainContract: `ethereum:${NATIVE}` },
    },
  })
  expect(shown).not.toHaveProperty('unpriced')
  expect(shown.assetsOut[0]?.explorerUrl).toBe(`https://etherscan.io/token/${usdc}`)
})

test('an NFT of a collection without a name is called NFT', () => {
  const movement = moved({ token: other, amount: '1', token_id: '7' })
  const named = (symbol: string) => tokenOf(other, symbol, { decimals: 0, listed: false })
  const symbolOf = (symbol?: string) =>
    shownOf({ movements: [movement], find: () => (symbol === undefined ? undefined : named(symbol)) }).assetsIn[0]
  expect(symbolOf()).toMatchObject({ displaySymbol: 'NFT', displayName: 'NFT', nft: { tokenId: '7' } })
  expect(symbolOf('')).toMatchObject({ displaySymbol: 'NFT', displayName: 'NFT' })
  expect(symbolOf('UNI-V3-POS')).toMatchObject({ displaySymbol: 'UNI-V3-POS', displayName: 'UNI-V3-POS' })
})

test('who only receives pays no fee', () => {
  const received = moved({ amount: '2000000' })
  const shown = shownOf({ row: { ...row, sender: other, recipient: wallet }, movements: [received] })
  expect(shown).toMatchObject({ fees: '0', feesFiat: '0', nativeAssetFees: { balance: '0', value: '0' } })
  expect(shown.assetsIn).toMatchObject([{ isAssetIn: true, from: other, to: wallet }])
  expect(shown).not.toHaveProperty('unpriced')
})

test.each([
  ['a token', { movements: [moved({ price: null, price_source: null }), gas] }, '0.063'],
  [
    'the fee',
    { row: { ...row, fee_usd: null }, movements: [moved({}), { ...gas, price: null, price_source: null }] },
    '0',
  ],
  ['a token of unknown decimals', { movements: [moved({ token: strange }), gas] }, '0.063'],
])('without a price of %s the rest is added up, and it says so', (_what, change, feesFiat) => {
  const shown = shownOf(change)
  expect(shown).toMatchObject({ unpriced: true, feesFiat })
  const unpriced = [...shown.assetsOut, shown.nativeAssetFees].filter(({ priceSource }) => priceSource === null)
  expect(unpriced.map(({ price, value }) => [price, value])).toEqual([['0', '0']])
})

test('what was reverted has failed', () => {
  const failed = { ...row, succeeded: false, type: 'FAILED' }
  expect(shownOf({ row: failed, movements: [gas] })).toMatchObject({ confirmed: 'FAILED', fees: '0.000021' })
})

test('where no cost or gain is known, it says why; gas has neither', () => {
  const booked = (costBasis: string | null, closedPnl: string | null) => ({
    costBasis: costBasis === null ? null : decimal(costBasis),
    closedPnl: closedPnl === null ? null : decimal(closedPnl),
  })
  const reasonsOf = (amount: string, price: string | null, result: ReturnType<typeof booked> | undefined) => {
    const basis = result && { closedPnl: result.closedPnl, movements: new Map([[0, result]]) }
    const movements = [moved({ amount, price, price_source: price && 'chainlink' }), gas]
    const { pnlReason, assetsIn, assetsOut, nativeAssetFees } = shownOf({ movements, basis })
    expect(nativeAssetFees.pnlReason).toBe('not-told')
    return [pnlReason, [...assetsIn, ...assetsOut][0]?.pnlReason]
  }
  expect(reasonsOf('-2000000', '1', undefined)).toEqual(['no-history', 'no-history'])
  expect(reasonsOf('-2000000', '1', booked('1', '1'))).toEqual([undefined, undefined])
  // Received amounts realise nothing.
  expect(reasonsOf('2000000', '1', booked(null, '0'))).toEqual([undefined, 'unknown-cost'])
  expect(reasonsOf('2000000', null, booked(null, '0'))).toEqual([undefined, 'unpriced'])
  expect(reasonsOf('-2000000', null, booked(null, null))).toEqual(['unknown-cost', 'unknown-cost'])
  expect(reasonsOf('-2000000', null, booked('1', null))).toEqual(['unpriced', 'unpriced'])
})

test('pictures are there where they are asked for', () => {
  const drawn = (name: string) => ({ imgSmall: `https://x.example/${name}`, imgLarge: `https://x.example/${name}` })
  const images = {
    ...{ chain: drawn, protocol: drawn, symbol: drawn },
    token: (chain: string, address: string) => drawn(`${chain}/${address}`),
  }
  const shown = shownOf({ images })
  const pictured = [shown.chain, shown.protocol, shown.assetsOut[0], shown.nativeAssetFees]
  expect(pictured.map((part) => part?.imgSmall?.replace('https://x.example/', ''))).toEqual([
    ...['ethereum', 'unknown', `ethereum/${usdc}`, `ethereum/${NATIVE}`],
  ])
  expect(JSON.stringify(shownOf({}))).not.toContain('img')
})

test('an amount is shown in the unit of its day, at the price of that unit', () => {
  const inUnits = (multiplier: string) =>
    shownOf({ movements: [moved({ amount: '-100000000', price: '0.25', multiplier })] }).assetsOut[0]
  expect(inUnits('0.001')).toMatchObject({ balance: '0.1', price: '250', value: '25' })
  expect(inUnits('10')).toMatchObject({ balance: '1000', price: '0.025', value: '25' })
  // 100 x 1.0123456789 is truncated to the token's six digits.
  expect(inUnits('1.0123456789')).toMatchObject({ balance: '101.234567', price: '0.246951219539600684' })
})
