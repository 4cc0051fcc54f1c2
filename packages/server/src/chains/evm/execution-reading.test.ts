import { expect, test } from 'vitest'
import { withdrawalsRequest } from './execution-reading.ts'

const header = { number: '0x10', timestamp: '0x65', parentHash: `0x${'01'.repeat(32)}`, hash: `0x${'02'.repeat(32)}` }
const withdrawal = {
  index: '0x7fffffffffffffff',
  validatorIndex: '0x1f4',
  address: '0xAAAAaaaAAAAaaaaAaaaAaaaaAaAaAaAaAaAAa3E8',
  amount: '0x9502f9000',
}
const parse = (withdrawals: unknown) => withdrawalsRequest(16n).parse({ ...header, withdrawals })

test('a block is asked for without its transactions, and its withdrawals are in gwei', () => {
  const { method, params } = withdrawalsRequest(16n)
  expect([method, params]).toEqual(['eth_getBlockByNumber', ['0x10', false]])
  expect(parse([withdrawal])).toMatchObject({
    number: 16n,
    timestamp: 101,
    withdrawals: [
      {
        index: 2n ** 63n - 1n,
        validatorIndex: 500,
        address: '0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa3e8',
        amountGwei: 40_000_000_000n,
      },
    ],
  })
  expect(parse([]).withdrawals).toEqual([])
})

test('builders are no validators, whatever their number is', () => {
  const builder = { ...withdrawal, validatorIndex: `0x${(2n ** 40n + 500n).toString(16)}` }
  expect(parse([builder, withdrawal]).withdrawals).toHaveLength(1)
})

test.each([
  [undefined],
  [null],
  [{}],
  [[{ ...withdrawal, amount: '5' }]],
  [[{ ...withdrawal, address: '0x12' }]],
  [[1]],
])('refuses %j', (withdrawals) => {
  expect(() => parse(withdrawals)).toThrow(expect.objectContaining({ reason: 'invalid' }))
})
