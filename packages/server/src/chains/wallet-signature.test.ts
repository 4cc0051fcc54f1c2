import { generateKeyPairSync, sign } from 'node:crypto'
import { ed25519 } from '@noble/curves/ed25519.js'
import { base58 } from '@scure/base'
import { type Hex, verifyMessage } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { chainTypes } from './chain-types.ts'

const text = 'Sign this text\n\nNonce: 1'
const VALID = { isValid: true, chain: null }
const INVALID = { isValid: false, unasked: [] }

const check = (address: string, signature: string, of = text) =>
  chainTypes.ofWallet(address)?.verifyOwner?.({ address, text: of, signature }, () => new Map())

describe('a key of Ethereum', () => {
  const account = privateKeyToAccount(generatePrivateKey())

  test('signs its text', async () => {
    for (let i = 0; i < 20; i += 1) {
      const { address, signMessage } = privateKeyToAccount(generatePrivateKey())
      const signature = await signMessage({ message: text })
      expect(await check(address, signature)).toEqual(VALID)
      expect(await check(address.toLowerCase(), `0x${signature.slice(2).toUpperCase()}`)).toEqual(VALID)
      const parity = signature.endsWith('1b') ? '00' : '01'
      expect(await check(address, signature.slice(0, -2) + parity)).toEqual(VALID)
    }
  })

  test('not another text, not for another address', async () => {
    const signature = await account.signMessage({ message: text })
    for (const other of [`${text} `, `${text}\n`, text.replace('1', '2'), '']) {
      expect(await check(account.address, signature, other)).toEqual(INVALID)
    }
    const { address } = privateKeyToAccount(generatePrivateKey())
    expect(await check(address, signature)).toEqual(INVALID)
    const ofData = await account.signTypedData({
      types: { Text: [{ name: 'text', type: 'string' }] },
      primaryType: 'Text',
      message: { text },
    })
    expect(await check(account.address, ofData)).toEqual(INVALID)
  })

  test('not by the other value of s that is valid for it', async () => {
    const signature = await account.signMessage({ message: text })
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
    const s = (order - BigInt(`0x${signature.slice(66, 130)}`)).toString(16).padStart(64, '0')
    const twin: Hex = `0x${signature.slice(2, 66)}${s}${signature.endsWith('1b') ? '1c' : '1b'}`
    expect(await verifyMessage({ address: account.address, message: text, signature: twin })).toBe(true)
    expect(await check(account.address, twin)).toEqual(INVALID)
  })

  test('and nothing that is no signature is one', async () => {
    const signature = await account.signMessage({ message: text })
    const garbled = [
      '0x',
      'hunter2',
      signature.slice(2),
      signature.slice(0, -1),
      signature.slice(0, -2),
      `${signature}00`,
      `0x${'00'.repeat(65)}`,
      `0x${'ff'.repeat(65)}`,
      `${signature.slice(0, -2)}1d`,
      `${signature.slice(0, -2)}ff`,
      `0x${'00'.repeat(32)}${signature.slice(66)}`,
      `${signature.slice(0, 66)}${'00'.repeat(32)}1b`,
      Buffer.from(signature.slice(2), 'hex').toString('base64'),
    ]
    for (const spelt of garbled) expect([spelt, await check(account.address, spelt)]).toEqual([spelt, INVALID])
    for (let byte = 0; byte < 65; byte += 1) {
      const bytes = Buffer.from(signature.slice(2), 'hex')
      bytes.writeUInt8(bytes.readUInt8(byte) ^ 1, byte)
      expect(await check(account.address, `0x${bytes.toString('hex')}`)).toEqual(INVALID)
    }
  })
})

describe('a key of Solana', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const address = base58.encode(Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url'))
  const signature = sign(null, Buffer.from(text), privateKey)

  test('signs its text, in base58 or base64', async () => {
    expect(await check(address, base58.encode(signature))).toEqual(VALID)
    expect(await check(address, signature.toString('base64'))).toEqual(VALID)
  })

  test('not another text, not for another address', async () => {
    expect(await check(address, base58.encode(signature), `${text} `)).toEqual(INVALID)
    const other = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }).x ?? ''
    expect(await check(base58.encode(Buffer.from(other, 'base64url')), base58.encode(signature))).toEqual(INVALID)
  })

  test('nothing that is no signature, and not s beyond the order, which is the same signature again', async () => {
    const s = Buffer.from(signature.subarray(32).toReversed()).toString('hex')
    const order = 2n ** 252n + 27742317777372353535851937790883648493n
    const twin = Uint8Array.from(
      Buffer.from((BigInt(`0x${s}`) + order).toString(16).padStart(64, '0'), 'hex'),
    ).toReversed()
    const garbled = [
      'hunter2',
      signature.toString('hex'),
      signature.toString('base64').slice(0, -2),
      base58.encode(signature.subarray(1)),
      base58.encode(Buffer.concat([signature, Buffer.alloc(1)])),
      base58.encode(Buffer.alloc(64)),
      base58.encode(Buffer.concat([signature.subarray(0, 32), twin])),
      'z'.repeat(100_000),
    ]
    for (const spelt of garbled) expect(await check(address, spelt)).toEqual(INVALID)
    for (let byte = 0; byte < 64; byte += 1) {
      const bytes = Buffer.from(signature)
      bytes.writeUInt8(bytes.readUInt8(byte) ^ 1, byte)
      expect(await check(address, base58.encode(bytes))).toEqual(INVALID)
    }
  })

  test('no signature is valid for an address that is a point of small order, such as that of the system program', async () => {
    const system = '11111111111111111111111111111111'
    // Its fourth multiple is the neutral element: that element and zero "sign" one of four texts.
    const forged = Buffer.concat([Buffer.from([1]), Buffer.alloc(63)])
    const signed = Array.from({ length: 100 }, (_, i) => `${text} ${i}`).filter((candidate) =>
      ed25519.verify(forged, Buffer.from(candidate), Buffer.alloc(32), { zip215: true }),
    )
    expect(signed.length).toBeGreaterThan(0)
    for (const candidate of signed) expect(await check(system, base58.encode(forged), candidate)).toEqual(INVALID)
  })
})

test('only addresses of EVM chains and Solana can sign', () => {
  const verifiers = chainTypes.list.flatMap(({ name, verifyOwner }) => (verifyOwner ? [name] : []))
  expect(verifiers).toEqual(['evm', 'solana'])
  const tron = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'
  const starknet = `0x0${'4'.repeat(63)}`
  for (const address of [tron, starknet]) expect(chainTypes.ofWallet(address)).toBeUndefined()
})
