import { i18n } from '@lingui/core'
import { compileMessageOrThrow } from '@lingui/message-utils/compileMessage'
import { beforeEach, expect, test } from 'vitest'
import { amountText, sentenceOf } from './sentence.ts'
import { asset, OTHER, transaction } from './test-transaction.ts'

beforeEach(() => {
  i18n.loadAndActivate({ locale: 'en', messages: {} })
  i18n.setMessagesCompiler(compileMessageOrThrow)
})

const usdc = asset({ balance: '1500.5' })
const eth = asset({ balance: '0.25', displaySymbol: 'stETH' })
const on = { key: 'uniswap_v2', name: 'Uniswap V2' }

test('says what was given and received, and where', () => {
  const given = { assetsOut: [usdc], assetsIn: [eth], protocol: on }
  expect(sentenceOf(transaction({ type: 'SWAP', ...given }))).toBe('Swapped 1,500.5 USDC for 0.25 stETH on Uniswap V2')
  expect(sentenceOf(transaction({ type: 'SWAP', ...given, protocol: { ...on, basis: 'factory' } }))).toBe(
    'Swapped 1,500.5 USDC for 0.25 stETH on Uniswap V2',
  )
  expect(sentenceOf(transaction({ type: 'SWAP', ...given, protocol: { ...on, basis: 'name' } }))).toBe(
    'Swapped 1,500.5 USDC for 0.25 stETH on Uniswap V2 (name given by the contract)',
  )
  expect(sentenceOf(transaction({ type: 'UNDEFINED', assetsOut: [usdc], assetsIn: [eth] }))).toBe(
    'Gave 1,500.5 USDC and received 0.25 stETH',
  )
  expect(sentenceOf(transaction({ type: 'STAKE', assetsOut: [eth] }))).toBe('Staked 0.25 stETH')
  expect(sentenceOf(transaction({ type: 'SWAP', assetsIn: [eth] }))).toBe('Received 0.25 stETH')
})

test('names the other side of a transfer', () => {
  const sent = asset({ ...usdc, isAssetIn: false, to: OTHER })
  expect(sentenceOf(transaction({ type: 'TRANSFERIN', assetsIn: [usdc] }))).toBe(
    'Received 1,500.5 USDC from 0x1111…1111',
  )
  expect(sentenceOf(transaction({ type: 'TRANSFEROUT', assetsOut: [sent] }))).toBe('Sent 1,500.5 USDC to 0x1111…1111')
  expect(sentenceOf(transaction({ type: 'TRANSFERIN', assetsIn: [asset({ from: '' })] }))).toBe('Received 1 USDC')
})

test('what comes from the zero address is minted, what goes there is burned', () => {
  const zero = `0x${'0'.repeat(40)}`
  const minted = asset({ balance: '1000', displaySymbol: 'NOVA', from: zero })
  expect(sentenceOf(transaction({ type: 'TRANSFERIN', assetsIn: [minted] }))).toBe('Minted 1,000 NOVA')
  const burned = asset({ balance: '5', displaySymbol: 'NOVA', isAssetIn: false, to: zero })
  expect(sentenceOf(transaction({ type: 'TRANSFEROUT', assetsOut: [burned] }))).toBe('Burned 5 NOVA')
})

test('a call that moved nothing is named by its function', () => {
  expect(sentenceOf(transaction({ functionName: 'vote' }))).toBe('Called vote')
  expect(sentenceOf(transaction())).toBe('Called a contract')
  expect(sentenceOf(transaction({ type: 'APPROVAL', functionName: 'approve' }))).toBe('Approved a spender')
})

test('of many assets the first three are named', () => {
  const assetsIn = ['a', 'b', 'c', 'd', 'e'].map((symbol) => asset({ displaySymbol: symbol }))
  expect(sentenceOf(transaction({ type: 'CLAIM', assetsIn }))).toBe('Claimed 1 a, 1 b, 1 c, and 2 more')
})

test('amounts without a symbol or without known decimals say so', () => {
  expect(amountText(asset({ displaySymbol: '' }))).toBe('1 0x2222…2222')
  expect(amountText(asset({ decimal: 'N/A', balance: '12' }))).toBe('12 units of USDC')
  expect(amountText(asset({ nft: { tokenId: '12345678901234567890' } }))).toBe('USDC #12345678901234567890')
})
