import { expect, test } from 'vitest'
import { filterIn, filterOf, narrowedBy, partsOf } from './filter.ts'

test('of a search only the filters are taken, and an order that is not the usual one', () => {
  const search = { addresses: '0x1', txTypes: 'SWAP,LEND', sort: 'ASC', hideSpam: 'true', other: 'x', tokenId: '' }
  expect(filterIn(search)).toEqual({ txTypes: 'SWAP,LEND', sort: 'ASC', hideSpam: 'true' })
  expect(filterIn({ sort: 'DESC' })).toEqual({})
  expect([narrowedBy(filterIn(search)), narrowedBy({ sort: 'ASC' })]).toEqual([2, 0])
})

test('a form gives lists with commas and nothing for what is empty', () => {
  const form = new FormData()
  form.append('txTypes', 'SWAP')
  form.append('txTypes', 'LEND')
  form.append('protocols', ' aave ')
  form.append('tokenId', '  ')
  expect(filterOf(form)).toEqual({
    initialSearchText: undefined,
    startDate: undefined,
    endDate: undefined,
    networks: undefined,
    txTypes: 'SWAP,LEND',
    protocols: 'aave',
    interactingAddresses: undefined,
    tokenId: undefined,
    hideSpam: undefined,
    hideDust: undefined,
  })
  expect(partsOf('a,,b')).toEqual(['a', 'b'])
})
