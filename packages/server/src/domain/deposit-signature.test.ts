import { expect, test } from 'vitest'
import { recorded } from '../../test/beacon/beacon-server.ts'
import { isDepositSigned, type SignedDeposit } from './deposit-signature.ts'

const FORK = '0x00000001'

type Recorded = { pubkey: string; withdrawal_credentials: string; amount: string; signature: string }
const deposits = (recorded('pending-deposits').data as Recorded[]).map(
  ({ pubkey, withdrawal_credentials: withdrawalCredentials, amount, signature }): SignedDeposit => ({
    ...{ pubkey, withdrawalCredentials, signature },
    amountGwei: BigInt(amount),
  }),
)

test('deposits that a chain took are signed', () => {
  expect(deposits.map((deposit) => isDepositSigned(deposit, FORK))).toEqual([true, true])
})

test('what is signed is the key, the credentials, the amount and the network', () => {
  const [one, other] = deposits
  if (!one || !other) throw new Error('two deposits were recorded')
  const credentials = `0x02${one.withdrawalCredentials.slice(4)}`
  const changed: [SignedDeposit, string][] = [
    [{ ...one, amountGwei: one.amountGwei + 1n }, FORK],
    [{ ...one, withdrawalCredentials: credentials }, FORK],
    [{ ...one, pubkey: other.pubkey }, FORK],
    [{ ...one, signature: other.signature }, FORK],
    [one, '0x00000000'],
  ]
  for (const [deposit, fork] of changed) expect(isDepositSigned(deposit, fork)).toBe(false)
})

test('bytes that are no signature, or no key, sign nothing', () => {
  const [one] = deposits
  if (!one) throw new Error('two deposits were recorded')
  const infinity = `0xc0${'00'.repeat(95)}`
  for (const signature of [`0x${'00'.repeat(96)}`, `0x${'ff'.repeat(96)}`, infinity]) {
    expect(isDepositSigned({ ...one, signature }, FORK)).toBe(false)
  }
  const noKey = `0xc0${'00'.repeat(47)}`
  expect(isDepositSigned({ ...one, pubkey: noKey, signature: infinity }, FORK)).toBe(false)
})
