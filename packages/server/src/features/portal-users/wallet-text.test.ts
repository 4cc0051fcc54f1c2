import { createSiweMessage } from 'viem/siwe'
import { expect, test } from 'vitest'
import { signInText } from './wallet-text.ts'

const address = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045'
const issuedAt = new Date('2027-01-02T03:04:05.678Z')
const expiresAt = new Date('2027-01-02T03:09:05.678Z')
const nonce = '0123456789abcdef0123456789abcdef'

test.each(['https://coffer.example', 'http://localhost:8080'])(
  'the text is the one that viem writes for %s',
  (origin) => {
    const text = signInText({ origin, network: 'Ethereum', chainId: '1', address, nonce, issuedAt, expiresAt })
    const statement = 'Sign in to Coffer. It moves nothing and costs nothing.'
    const { host: domain } = new URL(origin)
    expect(text).toBe(
      createSiweMessage({
        ...{ address, chainId: 1, domain, nonce, version: '1', statement, issuedAt, expirationTime: expiresAt },
        // A path would be another page.
        uri: origin,
      }),
    )
  },
)
