const PREFIX = 'evt_'

/** What happened, as it was stored. */
type Stored = { kind: string; at: Date; data: unknown }

/** The header `webhook-id` of an event: the same at each attempt and each replay. */
export const messageIdOf = (eventId: bigint): string => `${PREFIX}${eventId}`

/** The event of an id that `messageIdOf` made. */
export const eventIdOf = (messageId: string): bigint => BigInt(messageId.slice(PREFIX.length))

/** As the Standard Webhooks specification recommends it. */
export const messageOf = ({ kind, at, data }: Stored) => ({ type: kind, timestamp: at.toISOString(), data })

/** The same bytes at each attempt. */
export const bodyOf = (stored: Stored): string => JSON.stringify(messageOf(stored))
