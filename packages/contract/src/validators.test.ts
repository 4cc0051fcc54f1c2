import { expect, test } from 'vitest'
import { validatorByIndex, validatorByPubkey } from './validators.ts'

const HEX = '0123456789abcdef'.repeat(6)

test.each(['0', '1', '2100000', '9007199254740991'])('index %s', (index) => {
  expect(validatorByIndex.parse({ index })).toEqual({ index: Number(index) })
})

test.each(['-1', '1.5', '01', '18446744073709551616', 'abc', '', ' 1', '0x1', '1e3'])('refuses index %j', (index) => {
  expect(validatorByIndex.safeParse({ index }).success).toBe(false)
})

test('a public key is the same in any case', () => {
  const mixed = `0x${HEX.slice(0, 48).toUpperCase()}${HEX.slice(48)}`
  expect(validatorByPubkey.parse({ pubkey: mixed })).toEqual({ pubkey: `0x${HEX}` })
})

test.each([HEX, `0x${HEX.slice(1)}`, `0x${HEX}0`, `0x${HEX.slice(1)}g`, `0X${HEX}`, '0x', '', `0x${HEX}\n`])(
  'refuses public key %j',
  (pubkey) => {
    expect(validatorByPubkey.safeParse({ pubkey }).success).toBe(false)
  },
)
