import { STATUS_CODES } from 'node:http'
import { type Endpoint, type ErrorStyle, failures } from '@coffer/contract'

type JsonSchema = Readonly<Record<string, unknown>>

const string = { type: 'string' } as const
const integer = { type: 'integer' } as const

function object(properties: Record<string, JsonSchema>, optional: Record<string, JsonSchema> = {}): JsonSchema {
  const required = Object.keys(properties)
  return { type: 'object', properties: { ...properties, ...optional }, required, additionalProperties: false }
}

const titled = (status: number) => object({ error: { const: STATUS_CODES[status] }, message: string })
const codes = Object.keys(failures)
/** What a code says further; which of them goes with which code is in the interface's list. */
const extras = {
  quota: integer,
  current: integer,
  limit: integer,
  name: string,
  bundleId: string,
  addresses: { type: 'array', items: string },
}
const coded = object({ error: object({ code: { type: 'string', enum: codes }, message: string }, extras) })

const styles: Record<ErrorStyle, (status: number) => JsonSchema> = {
  coded: () => coded,
  titled,
  detailed: (status) =>
    status === 400
      ? object({ error: { const: 'Validation Failed' }, details: object({ message: string }) })
      : object({ message: string }),
  message: () => object({ message: string }),
  plain: (status) => (status === 502 ? string : object({ error: string })),
}

/** Bodies that are the same in every style, or nearly. */
const shared: Readonly<Record<number, (style: ErrorStyle) => JsonSchema>> = {
  401: (style) =>
    style === 'coded'
      ? object({ error: object({ code: { const: 'UNAUTHORIZED' }, message: string }), message: string })
      : object({ error: { const: 'Unauthorized' }, message: string }),
  402: () => object({ message: string, creditsRequired: integer, creditsAvailable: integer, creditsNeeded: integer }),
  403: (style) => (style === 'plain' ? object({ error: string }) : titled(403)),
  429: () =>
    object({ error: { const: 'Too Many Requests' }, message: string, retry_after: integer, retryAfter: integer }),
  500: (style) => (style === 'coded' ? coded : titled(500)),
}

/** The schema of a failure's body on routes of a style; `text/plain` where `contentType` says so. */
export function failureSchema(style: ErrorStyle, status: number): { contentType: string; schema: JsonSchema } {
  const schema = shared[status]?.(style) ?? styles[style](status)
  return { contentType: schema === string ? 'text/plain' : 'application/json', schema }
}

/** Every status that a call of the endpoint can fail with, in ascending order. */
export function failureStatuses({ body, cost, requires, failures: own = [] }: Endpoint): number[] {
  // A request that names no host is 400 wherever it goes.
  const statuses = [400, 401, 429, 500, 503, ...own]
  if (body !== undefined) statuses.push(413)
  if (cost !== 0) statuses.push(402)
  if (requires !== 'key' && requires !== 'pro-or-unauthorized') statuses.push(403)
  return [...new Set(statuses)].sort((a, b) => a - b)
}
