import { expect, test } from 'vitest'
import { readValidatorName, withRecent } from './validator-name.ts'

const digits = 'ab'.repeat(48)

test('a validator is named by its index or its key', () => {
  expect(readValidatorName(' 40 ')).toEqual({ index: '40' })
  expect(readValidatorName('0')).toEqual({ index: '0' })
  expect(readValidatorName(`0x${digits}`)).toEqual({ pubkey: `0x${digits}` })
  expect(readValidatorName(`0X${digits.toUpperCase()}`)).toEqual({ pubkey: `0x${digits}` })
  expect(readValidatorName(digits)).toEqual({ pubkey: `0x${digits}` })
})

test.each(['', '-1', '01', '1.5', '1e3', '0x12', `${digits}0`, '1'.repeat(16)])('%j names none', (text) => {
  expect(readValidatorName(text)).toBeNull()
})

test('the validators looked at last are kept, each once, eight of them', () => {
  expect(withRecent(['1', '2', '3'], '2')).toEqual(['2', '1', '3'])
  expect(withRecent(['1', '2', '3', '4', '5', '6', '7', '8'], '9')).toEqual(['9', '1', '2', '3', '4', '5', '6', '7'])
})
