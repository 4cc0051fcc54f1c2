const PREFIX = 'evt_'

type Stored = { kind: string; at: Date; data: unknown }

/** Header `webhook-id`: equal for each attempt and replay. */
export const messageIdOf = (eventId: bigint): string => `${PREFIX}${eventId}`

export const eventIdOf = (messageId: string): bigint => BigInt(messageId.slice(PREFIX.length))

/** As recommended by the Standard Webhooks specification. */
export const messageOf = ({ kind, at, data }: Stored) => ({ type: kind, timestamp: at.toISOString(), data })

/** The same bytes at each attempt. */
export const bodyOf = (stored: Stored): string => JSON.stringify(messageOf(stored))
