import { expect, test } from 'vitest'
import { parseLossless } from './lossless.ts'

test('numbers keep every digit of their source', () => {
  expect(parseLossless('{"nav":1234567890.123456789012345678,"n":[-0.10,1e3,"7"],"ok":true,"none":null}')).toEqual({
    nav: '1234567890.123456789012345678',
    n: ['-0.10', '1e3', '7'],
    ok: true,
    none: null,
  })
})
