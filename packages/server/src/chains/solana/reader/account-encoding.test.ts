import { zstdCompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { createDataReader } from './account-requests.ts'

const zstd = (length: number) => [zstdCompressSync(new Uint8Array(length)).toString('base64'), 'base64+zstd']
const plain = (length: number) => [Buffer.alloc(length).toString('base64'), 'base64']

test('what accounts hold is read in both encodings', () => {
  const read = createDataReader()
  expect(read([zstdCompressSync('some text').toString('base64'), 'base64+zstd']).toString()).toBe('some text')
  expect(read(['c29tZSB0ZXh0', 'base64']).toString()).toBe('some text')
  expect(read(zstd(0))).toHaveLength(0)
})

test('the accounts of one answer are bounded together, however few bytes they came in', () => {
  const tooLong = { name: 'UpstreamError', reason: 'invalid', message: 'the accounts of an answer are too long' }
  const read = createDataReader(1_000)
  expect(read(zstd(600))).toHaveLength(600)
  expect(read(plain(400))).toHaveLength(400)
  expect(() => read(zstd(1))).toThrow(expect.objectContaining(tooLong))
  expect(() => createDataReader(1_000)(zstd(1_001))).toThrow(expect.objectContaining(tooLong))
  expect(() => createDataReader(1_000)(plain(1_001))).toThrow(expect.objectContaining(tooLong))
  // 100 MB in some kB.
  expect(() => createDataReader()(zstd(100_000_000))).toThrow(expect.objectContaining(tooLong))
})

test.each([
  ['another encoding', ['1111', 'base58']],
  ['no text', [null, 'base64']],
  ['a text that was cut short', ['AAA', 'base64']],
  ['bytes that are no zstd', ['AAAA', 'base64+zstd']],
])('%s is no account', (_, data) => {
  expect(() => createDataReader()(data)).toThrow(expect.objectContaining({ reason: 'invalid' }))
})
