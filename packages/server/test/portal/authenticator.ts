import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

const USER_PRESENT = 0x01
const USER_VERIFIED = 0x04
const ATTESTED = 0x40

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest()
const base64url = (data: Buffer) => data.toString('base64url')

type Faults = { origin?: string; rpId?: string; challenge?: string; counter?: number; flags?: number; type?: string }
type Options = { challenge: string }

/** One passkey (ES256, attestation `none`), as in WebAuthn level 3. */
export function createAuthenticator(site: string) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const id = randomBytes(32)
  let counter = 0

  const clientData = (type: string, { challenge }: Options, faults: Faults) =>
    Buffer.from(
      JSON.stringify({
        type: faults.type ?? type,
        challenge: faults.challenge ?? challenge,
        origin: faults.origin ?? site,
        crossOrigin: false,
      }),
    )

  function authenticatorData(flags: number, faults: Faults, attested = Buffer.alloc(0)): Buffer {
    const head = Buffer.alloc(5)
    head.writeUInt8(faults.flags ?? flags)
    head.writeUInt32BE(faults.counter ?? counter, 1)
    return Buffer.concat([sha256(faults.rpId ?? new URL(site).hostname), head, attested])
  }

  const whole = (response: object) => ({
    ...{ id: base64url(id), rawId: base64url(id), type: 'public-key', clientExtensionResults: {} },
    response,
  })

  return {
    id: base64url(id),
    create(options: Options, faults: Faults = {}) {
      const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
      const attested = Buffer.concat([Buffer.alloc(16), uint16(id.length), id, coseKey(x, y)])
      const data = authenticatorData(USER_PRESENT | USER_VERIFIED | ATTESTED, faults, attested)
      return whole({
        clientDataJSON: base64url(clientData('webauthn.create', options, faults)),
        attestationObject: base64url(attestationOf(data)),
        transports: ['internal'],
      })
    },
    sign(options: Options, faults: Faults = {}) {
      counter += 1
      const data = authenticatorData(USER_PRESENT | USER_VERIFIED, faults)
      const client = clientData('webauthn.get', options, faults)
      return whole({
        clientDataJSON: base64url(client),
        authenticatorData: base64url(data),
        signature: base64url(sign('sha256', Buffer.concat([data, sha256(client)]), privateKey)),
      })
    },
  }
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16BE(value)
  return bytes
}

/** CBOR of `{ 1: 2, 3: -7, -1: 1, -2: x, -3: y }`: P-256 key for ES256. */
const coseKey = (x: string, y: string) =>
  Buffer.concat([
    Buffer.from('a5010203262001215820', 'hex'),
    Buffer.from(x, 'base64url'),
    Buffer.from('225820', 'hex'),
    Buffer.from(y, 'base64url'),
  ])

/** CBOR of `{ fmt: 'none', attStmt: {}, authData }`. */
const attestationOf = (data: Buffer) =>
  Buffer.concat([
    Buffer.from('a363666d74646e6f6e656761747453746d74a0686175746844617461', 'hex'),
    Buffer.from([0x59]),
    uint16(data.length),
    data,
  ])
