import { expect, test } from 'vitest'
import {
  draftAddress,
  draftNative,
  draftTransaction,
  draftTransfer,
  draftWallet,
} from '../../../../test/draft-transaction.ts'
import { type EvmAddress, NATIVE } from '../../../domain/evm-address.ts'
import { bindProtocol, protocolRows } from '../protocols/protocols.ts'
import { createHistoryBook } from './book.ts'
import { readTransaction } from './read-transaction.ts'

const listed = draftAddress(0x10)
const bait = draftAddress(0x11)
const hypeGate: EvmAddress = '0x2222222222222222222222222222222222222222'
const tokenGate: EvmAddress = '0x20000000000000000000000000000000000000c5'
const rows = protocolRows.filter(({ key }) => key === 'hyperliquid').map(bindProtocol)
const book = createHistoryBook({
  chain: { key: 'hyperevm', wrappedNative: null, nativeErc20s: [] },
  rows: rows.map((deployment) => ({ deployment, protocolContracts: [] })),
  bridges: [],
  isListed: (token) => token === listed,
  isSpam: () => false,
})
const read = (tx: ReturnType<typeof draftTransaction>) => {
  const { type, protocol, movements } = readTransaction(tx, draftWallet, book)
  return [type, protocol, ...movements.map(({ token, amountRaw, treatment }) => [treatment, token, amountRaw])]
}

test('what comes from an account without logs was in it, regardless of the sender of the transaction', () => {
  expect(read(draftTransaction([draftTransfer(listed, tokenGate, draftWallet, 7n)], { from: tokenGate }))).toEqual([
    ...['WITHDRAW', 'hyperliquid'],
    ['move', listed, 7n],
  ])
  const nativeTransfers = [draftNative(hypeGate, draftWallet, 9n)]
  expect(read(draftTransaction([], { from: hypeGate, to: draftWallet, nativeTransfers }))).toEqual([
    ...['WITHDRAW', 'hyperliquid'],
    ['move', NATIVE, 9n],
  ])
})

test('a token that no list names may log a transfer of a gate, and is none of the account', () => {
  const faked = draftTransaction([draftTransfer(bait, tokenGate, draftWallet, 7n)], { from: draftAddress(9) })
  expect(read(faked)).toEqual(['TRANSFERIN', null, ['acquire', bait, 7n]])
})

test('an address that is no gate is another account', () => {
  const beside: EvmAddress = '0x20000000000000000000000100000000000000c5'
  const sent = draftTransaction([draftTransfer(listed, draftWallet, beside, 7n)], { to: listed })
  expect(read(sent).slice(0, 3)).toEqual(['TRANSFEROUT', null, ['send', listed, -7n]])
})
