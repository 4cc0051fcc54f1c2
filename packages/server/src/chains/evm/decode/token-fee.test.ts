import { expect, test } from 'vitest'
import {
  draftAddress,
  draftLog,
  draftTransaction,
  draftTransfer,
  draftWallet as wallet,
} from '../../../../test/draft-transaction.ts'
import { type EvmAddress, NATIVE } from '../../../domain/evm-address.ts'
import { tokenFeeOf } from './token-fee.ts'

const [usdm, other, handler, sequencer] = [11, 12, 13, 14].map(draftAddress) as [
  EvmAddress,
  EvmAddress,
  EvmAddress,
  EvmAddress,
]
const feeOf = (...logs: Parameters<typeof draftTransaction>[0]) => tokenFeeOf(draftTransaction(logs))
const debit = draftTransfer(usdm, wallet, NATIVE, 100n)
const payload = draftTransfer(usdm, wallet, other, 7n)

test.each([
  [
    'the refund alone is credited',
    [
      draftTransfer(usdm, NATIVE, wallet, 60n),
      draftTransfer(usdm, NATIVE, sequencer, 10n),
      draftTransfer(usdm, NATIVE, handler, 30n),
    ],
  ],
  [
    'all is credited, and the sender pays from it',
    [
      draftTransfer(usdm, NATIVE, wallet, 100n),
      draftTransfer(usdm, wallet, sequencer, 10n),
      draftTransfer(usdm, wallet, handler, 30n),
    ],
  ],
])('what the sender paid where %s', (_, credits) => {
  expect(feeOf(debit, payload, ...credits)).toMatchObject({
    token: usdm,
    amountRaw: 40n,
    logs: [{ ...payload, logIndex: 1 }],
  })
})

test('a transaction that mints the same token to its sender keeps that', () => {
  const minted = draftTransfer(usdm, NATIVE, wallet, 500n)
  const fee = feeOf(debit, minted, draftTransfer(usdm, NATIVE, wallet, 60n), draftTransfer(usdm, NATIVE, handler, 40n))
  expect(fee).toMatchObject({ amountRaw: 40n, logs: [{ ...minted, logIndex: 1 }] })
})

test('other logs are no fee', () => {
  expect(feeOf()).toBeUndefined()
  expect(feeOf(payload, debit)).toBeUndefined()
  const odd = draftLog(other, 'Said(uint256)', [], [1n])
  expect(feeOf(debit, draftTransfer(usdm, NATIVE, wallet, 60n), odd)).toBeUndefined()
})
