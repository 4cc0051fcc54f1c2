import { createHmac, randomBytes } from 'node:crypto'

const PREFIX = 'evt_'

type Stored = { kind: string; at: Date; data: unknown }

/** Header `webhook-id`: equal for each attempt and replay. */
export const messageIdOf = (eventId: bigint): string => `${PREFIX}${eventId}`

export const eventIdOf = (messageId: string): bigint => BigInt(messageId.slice(PREFIX.length))

/** As recommended by the Standard Webhooks specification. */
export const messageOf = ({ kind, at, data }: Stored) => ({ type: kind, timestamp: at.toISOString(), data })

/** The same bytes at each attempt. */
export const bodyOf = (stored: Stored): string => JSON.stringify(messageOf(stored))

const SECRET_PREFIX = 'whsec_'
const SECRET_BYTES = 32

/** Standard Webhooks: `whsec_` and base64. */
export const newSecret = (): string => SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64')

type Message = { id: string; timestamp: number; body: string }

/** Standard Webhooks: one `v1` signature (HMAC-SHA256) per secret. */
export function signedHeaders({ id, timestamp, body }: Message, secrets: readonly string[]): Record<string, string> {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  })
  return { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': signatures.join(' ') }
}
