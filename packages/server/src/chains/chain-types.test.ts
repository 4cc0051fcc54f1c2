import { expect, it } from 'vitest'
import type { Chain } from './chain.ts'
import { chainTypes } from './chain-types.ts'

it.each([
  ['0xd8da6bf26964af9d7eed9e03e53415d37aa96045', 'evm'],
  ['4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T', 'solana'],
  ['11111111111111111111111111111111', 'solana'],
  // Tron, and Starknet.
  ['TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', undefined],
  ['0x049d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7', undefined],
])('knows the chain type of the wallet %s: %s', (wallet, chainType) => {
  expect(chainTypes.ofWallet(wallet)?.name).toBe(chainType)
})

it('refuses a chain of an unknown type', () => {
  const [bitcoin] = chainTypes.chains as [Chain]
  expect(() => chainTypes.of({ ...bitcoin, key: 'bitcoin', family: 'utxo' })).toThrow(
    'bitcoin has the unknown chain type utxo',
  )
})

it('spells addresses as the chains of their type do', () => {
  const evm = '0xD8DA6BF26964aF9D7eEd9e03E53415D37aA96045'
  expect(chainTypes.spell(evm)).toBe(evm.toLowerCase())
  expect(chainTypes.spell('4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T')).toBe(
    '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T',
  )
  expect(chainTypes.spell('TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t')).toBeUndefined()
})

it('takes addresses under the names of the chain types', () => {
  for (const { name, addresses, chains } of chainTypes.list) {
    expect([addresses.name, ...chains.map(({ family }) => family)]).toEqual([name, ...chains.map(() => name)])
  }
})
