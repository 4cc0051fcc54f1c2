import { expect, test } from 'vitest'
import { familyOf, readAddresses, walletsOf } from './addresses.ts'

const evm = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045'
const solana = 'So11111111111111111111111111111111111111112'
const tron = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'
const starknet = `0x0${'4'.repeat(63)}`

test('addresses are distinguished from those that no chain of the service reads', () => {
  expect([evm, solana, 'virtual:a-1', tron, starknet, 'vitalik.eth', '0x12', ''].map(familyOf)).toEqual([
    'evm',
    'solana',
    'virtual',
    null,
    null,
    null,
    null,
    null,
  ])
})

test('a pasted text is read in the spelling of the service, each address once', () => {
  expect(readAddresses(` ${evm},\n${solana}; ${evm.toLowerCase()} ${tron}\tvirtual:x,`)).toEqual({
    addresses: [evm.toLowerCase(), solana, 'virtual:x'],
    refused: [tron],
  })
})

test('virtual users are no wallets', () => {
  expect(walletsOf([evm, 'virtual:x', solana])).toEqual([evm, solana])
})
