import { expect, test } from 'vitest'
import { decimal } from '../../domain/decimal.ts'
import { isPast } from './judge-wallet.ts'

const at = (isAbove: boolean, threshold: string, isPastBefore: boolean | null, value: string) =>
  isPast({ isAbove, threshold: decimal(threshold), isPast: isPastBefore }, decimal(value))

test('a threshold is passed beyond it, and left once the value has come back by 2 % of it', () => {
  expect(['1000', '1000.000000000000000001'].map((value) => at(true, '1000', false, value))).toEqual([false, true])
  expect(['980.000000000000000001', '980'].map((value) => at(true, '1000', true, value))).toEqual([true, false])
  expect(['1000', '999.999999999999999999'].map((value) => at(false, '1000', false, value))).toEqual([false, true])
  expect(['1019.999999999999999999', '1020'].map((value) => at(false, '1000', true, value))).toEqual([true, false])
})

test('of what is not known yet the value alone says it, and nothing is above nothing', () => {
  expect([at(true, '1000', null, '990'), at(false, '1000', null, '1010')]).toEqual([false, false])
  expect([at(true, '0', false, '0'), at(true, '0', false, '0.1'), at(true, '0', true, '0')]).toEqual([
    false,
    true,
    false,
  ])
  expect(at(false, '10', false, '-5')).toBe(true)
})
