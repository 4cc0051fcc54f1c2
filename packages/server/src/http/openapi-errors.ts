import { STATUS_CODES } from 'node:http'
import { type Endpoint, type ErrorStyle, failures } from '@coffer/contract'

type JsonSchema = Readonly<Record<string, unknown>>
/** The body of a failure, and the name under which operations share its schema. */
type Body = { name?: string; schema: JsonSchema }

const string = { type: 'string' } as const
const integer = { type: 'integer' } as const

function object(properties: Record<string, JsonSchema>, optional: Record<string, JsonSchema> = {}): JsonSchema {
  const required = Object.keys(properties)
  return { type: 'object', properties: { ...properties, ...optional }, required, additionalProperties: false }
}

const codes = Object.keys(failures)
/** Extra fields of codes; the list of the interface says which code has which. */
const extras = {
  quota: integer,
  current: integer,
  limit: integer,
  name: string,
  bundleId: string,
  addresses: { type: 'array', items: string },
}

const titled = (status: number): Body => {
  const title = STATUS_CODES[status] ?? String(status)
  return { name: title.replaceAll(' ', ''), schema: object({ error: { const: title }, message: string }) }
}
const coded: Body = {
  name: 'CodedError',
  schema: object({ error: object({ code: { type: 'string', enum: codes }, message: string }, extras) }),
}
const message: Body = { name: 'MessageError', schema: object({ message: string }) }
const plain: Body = { name: 'PlainError', schema: object({ error: string }) }
const problem: Body = {
  name: 'Problem',
  schema: object({ type: string, title: string, status: integer, detail: string, code: string }, extras),
}

const styles: Record<ErrorStyle, (status: number) => Body> = {
  coded: () => coded,
  titled,
  detailed: (status) =>
    status === 400
      ? {
          name: 'ValidationFailed',
          schema: object({ error: { const: 'Validation Failed' }, details: object({ message: string }) }),
        }
      : message,
  message: () => message,
  plain: (status) => (status === 502 ? { schema: string } : plain),
  problem: () => problem,
}

/** Bodies that are the same in every style, or nearly. */
const shared: Readonly<Record<number, (style: ErrorStyle) => Body>> = {
  401: (style) =>
    style === 'coded'
      ? {
          name: 'CodedUnauthorized',
          schema: object({ error: object({ code: { const: 'UNAUTHORIZED' }, message: string }), message: string }),
        }
      : titled(401),
  402: () => ({
    name: 'InsufficientCredits',
    schema: object({ message: string, creditsRequired: integer, creditsAvailable: integer, creditsNeeded: integer }),
  }),
  403: (style) => (style === 'plain' ? plain : titled(403)),
  429: () => ({
    name: 'TooManyRequests',
    schema: object({
      error: { const: 'Too Many Requests' },
      ...{ message: string, retry_after: integer, retryAfter: integer },
    }),
  }),
  500: (style) => (style === 'coded' ? coded : titled(500)),
}

/** The body of a failure on routes of a style; a text that is no JSON has no name. */
export function failureBody(style: ErrorStyle, status: number): Body {
  return (style === 'problem' ? undefined : shared[status]?.(style)) ?? styles[style](status)
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
