import { expect, test } from 'vitest'
import { bodyOf, type Draft, problemOf } from './draft.ts'

const draft: Draft = {
  type: 'netWorth',
  address: ' 0xab ',
  chain: 'ethereum',
  contract: '0xcd',
  direction: 'below',
  threshold: ' 10.50 ',
  validator: '17',
}

test('a watch has what its type asks for, its figures as they were written', () => {
  const limits = { direction: 'below', threshold: '10.50' }
  expect(bodyOf(draft)).toEqual({ type: 'netWorth', address: '0xab', ...limits })
  const token = { address: '0xab', chain: 'ethereum', contract: '0xcd' }
  expect(bodyOf({ ...draft, type: 'balance' })).toEqual({ type: 'balance', ...token, ...limits })
  expect(bodyOf({ ...draft, type: 'credits' })).toEqual({ type: 'credits', threshold: '10.50' })
  expect(bodyOf({ ...draft, type: 'validator' })).toEqual({ type: 'validator', validator: '17' })
  expect(bodyOf({ ...draft, type: 'airdrops' })).toEqual({ type: 'airdrops', address: '0xab' })
})

test('a refusal stands at the field that it names, if the form shows it', () => {
  const body = bodyOf(draft)
  expect(problemOf('threshold: must be a decimal: "1"', body)).toEqual({
    field: 'threshold',
    text: 'must be a decimal: "1"',
  })
  expect(problemOf('chain: is not a chain', body)).toBeNull()
  expect(problemOf('At most 50 watches can be saved', body)).toBeNull()
  expect(problemOf(null, body)).toBeNull()
})
