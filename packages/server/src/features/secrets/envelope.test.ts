import { createDecipheriv, hkdfSync } from 'node:crypto'
import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { type Binding, rewrap, seal, unseal } from './envelope.ts'
import { deriveMasterKey } from './master-keys.ts'

const hex = '7f'.repeat(32)
const masterKey = deriveMasterKey(hex)
const other = deriveMasterKey('80'.repeat(32))
const binding: Binding = { id: 'b0c1', accountId: '7', purpose: 'exchange' }
const text = '{"apiKey":"κλειδί","secret":"🔑"}'

test('a text comes back, empty or not', () => {
  for (const plain of [text, '', 'x'.repeat(100_000)]) {
    expect(unseal(seal(plain, binding, masterKey), binding, masterKey)).toBe(plain)
  }
})

test('it is AES-256-GCM twice, with keys from HKDF, as node:crypto alone reads it', () => {
  const envelope = seal(text, binding, masterKey)
  const wrapping = Buffer.from(hkdfSync('sha256', Buffer.from(hex, 'hex'), '', 'coffer master key wrapping', 32))
  const open = (key: Buffer, nonce: Buffer, sealed: Buffer, context: string[]) => {
    const decipher = createDecipheriv('aes-256-gcm', key, nonce)
    decipher.setAAD(Buffer.from(JSON.stringify(context))).setAuthTag(sealed.subarray(-16))
    return Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()])
  }
  const bound = ['b0c1', '7', 'exchange']
  const keyId = masterKey.id.toString('hex')
  const dataKey = open(wrapping, envelope.keyNonce, envelope.wrappedKey, ['coffer secret', 'data key', ...bound, keyId])
  expect(open(dataKey, envelope.nonce, envelope.ciphertext, ['coffer secret', 'text', ...bound]).toString()).toBe(text)
})

test('the same text never looks the same', () => {
  const sealed = Array.from({ length: 2_000 }, () => seal(text, binding, masterKey))
  for (const part of ['nonce', 'keyNonce', 'ciphertext', 'wrappedKey'] as const) {
    expect(new Set(sealed.map((envelope) => envelope[part].toString('hex'))).size).toBe(2_000)
  }
})

test.each<[string, Partial<Binding>]>([
  ['row', { id: 'b0c2' }],
  ['account', { accountId: '8' }],
  ['purpose', { purpose: 'other' }],
  ['split between its parts', { id: 'b0c17', accountId: '' }],
])('another %s does not open it', (_, change) => {
  const envelope = seal(text, binding, masterKey)
  expect(() => unseal(envelope, { ...binding, ...change }, masterKey)).toThrow()
  expect(() => rewrap(envelope, { ...binding, ...change }, masterKey, other)).toThrow()
})

test('another master key opens it once the data key was moved, and the first one no more', () => {
  const envelope = seal(text, binding, masterKey)
  expect(() => unseal(envelope, binding, other)).toThrow()
  const moved = { ...envelope, ...rewrap(envelope, binding, masterKey, other) }
  expect(unseal(moved, binding, other)).toBe(text)
  expect(moved.ciphertext).toBe(envelope.ciphertext)
  expect(() => unseal(moved, binding, masterKey)).toThrow()
  expect(() => unseal({ ...envelope, keyNonce: moved.keyNonce }, binding, masterKey)).toThrow()
})

test('a tag that was cut off is refused', () => {
  const envelope = seal(text, binding, masterKey)
  for (const length of [0, 4, 12, 15, envelope.ciphertext.length - 1]) {
    const cut = { ...envelope, ciphertext: envelope.ciphertext.subarray(0, length) }
    expect(() => unseal(cut, binding, masterKey)).toThrow()
  }
})

test('a master key does not print', () => {
  const shown = inspect(masterKey, { depth: null, showHidden: true }) + JSON.stringify(masterKey)
  const wrapping = masterKey.wrapping.export()
  for (const bytes of [Buffer.from(hex, 'hex'), wrapping]) {
    expect(shown).not.toContain(bytes.toString('hex'))
    expect(shown).not.toContain(bytes.toString('hex').match(/../g)?.join(' '))
    expect(shown).not.toContain([...bytes].join(','))
  }
})
