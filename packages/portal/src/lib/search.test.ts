import { expect, test } from 'vitest'
import { readSearch } from './search.ts'

test('values are texts with all their digits, however the router wrote them', () => {
  expect(readSearch('?tokenId=12345678901234567890&hideSpam=true&networks=a%2Cb')).toEqual({
    tokenId: '12345678901234567890',
    hideSpam: 'true',
    networks: 'a,b',
  })
  expect(readSearch('?tokenId=%22123%22&text=%22')).toEqual({ tokenId: '123', text: '"' })
  expect(readSearch('?text=%22a%22b%22')).toEqual({ text: '"a"b"' })
})
