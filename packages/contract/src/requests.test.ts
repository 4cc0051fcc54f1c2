import { describe, expect, test } from 'vitest'
import { addressSchema, shippedAddresses } from './address.ts'
import { approvalEndpoints } from './approvals.ts'
import { transactionEndpoints } from './transactions.ts'
import { webhookEndpoints } from './webhooks.ts'

const WALLET = `0x${'ab'.repeat(20)}`
const evm = addressSchema({ accepts: ['evm'] })

test.each([` ${WALLET}\n`, WALLET.replace('0x', '0X'), WALLET.toUpperCase()])(
  'a body may spell an address %j',
  (text) => {
    expect(evm.parse(text)).toBe(WALLET)
  },
)

describe('types of transactions', () => {
  const { query } = transactionEndpoints(shippedAddresses).listTransactions
  const typesOf = (type: string) => query.parse({ addresses: WALLET, type }).type
  test.each([
    ['transfer', ['TRANSFERIN', 'TRANSFEROUT']],
    ['approve', ['APPROVAL']],
    ['bridge', ['BRIDGEIN', 'BRIDGEOUT']],
    ['repay', ['REPAYVAULT']],
    ['liquidity-add', ['ADDLIQUIDITY']],
    ['liquidity-remove', ['REMOVELIQUIDITY']],
    ['burn', []],
    ['TransferIn,transfer,swap', ['TRANSFERIN', 'TRANSFEROUT', 'SWAP']],
  ])('%s is %j', (word, types) => {
    expect(typesOf(word)).toEqual(types)
  })
  test('another word is refused', () => {
    expect(() => typesOf('barter')).toThrow('must be among')
  })
})

test('an empty cursor is the first page', () => {
  const { query } = approvalEndpoints(shippedAddresses).listApprovals
  expect(query.parse({ addresses: WALLET, cursor: '' }).cursor).toBeUndefined()
  expect(query.parse({ addresses: WALLET, cursor: 'abc' }).cursor).toBe('abc')
})

test('a secret that is replaced signs for a day more unless the call says otherwise', () => {
  const { body } = webhookEndpoints.rotateWebhookSecret
  expect(body.parse({})).toEqual({ graceHours: 24 })
  expect(body.parse({ graceHours: 0 })).toEqual({ graceHours: 0 })
})
