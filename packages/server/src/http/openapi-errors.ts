import { STATUS_CODES } from 'node:http'
import { type Endpoint, type ErrorStyle, failures } from '@coffer/contract'

type JsonSchema = Readonly<Record<string, unknown>>
type Body = { name?: string; schema: JsonSchema }

const string = { type: 'string' } as const
const integer = { type: 'integer' } as const

const object = (properties: Record<string, JsonSchema>, optional: Record<string, JsonSchema> = {}): JsonSchema => ({
  type: 'object',
  properties: { ...properties, ...optional },
  required: Object.keys(properties),
})

/** In no coded answer. */
const OF_PORTAL: ReadonlySet<string> = new Set(['PROOF_REQUIRED', 'LAST_OWNER', 'LAST_SIGN_IN'])

function codesOf(status: number): string[] {
  if (status >= 500) return ['INTERNAL_ERROR']
  if (status === 413) return ['VALIDATION_ERROR']
  return Object.entries(failures).flatMap(([code, of]) => (of.status === status && !OF_PORTAL.has(code) ? code : []))
}

const addresses = { type: 'array', items: string }
const extras = { quota: integer, current: integer, limit: integer, name: string, bundleId: string, addresses }

const titleOf = (status: number) => STATUS_CODES[status] ?? String(status)
const nameOf = (status: number) => titleOf(status).replaceAll(' ', '')

const titled = (status: number): Body => ({
  name: nameOf(status),
  schema: object({ error: { const: titleOf(status) }, message: string }),
})
const coded = (status: number): Body => ({
  name: `Coded${nameOf(status)}`,
  schema: object({ error: object({ code: { type: 'string', enum: codesOf(status) }, message: string }, extras) }),
})
const message: Body = { name: 'MessageError', schema: object({ message: string }) }
const plain: Body = { name: 'PlainError', schema: object({ error: string }) }
const problem: Body = {
  name: 'Problem',
  schema: object({ type: string, title: string, status: integer, detail: string, code: string }, extras),
}

const styles: Record<ErrorStyle, (status: number) => Body> = {
  coded,
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
    schema: object({ error: { const: titleOf(429) }, message: string, retry_after: integer, retryAfter: integer }),
  }),
  500: (style) => (style === 'coded' ? coded(500) : titled(500)),
}

export function failureBody(style: ErrorStyle, status: number): Body {
  return (style === 'problem' ? undefined : shared[status]?.(style)) ?? styles[style](status)
}

export function failureStatuses({ body, cost, requires, failures: own = [] }: Endpoint): number[] {
  // Every route answers 400 to a request without a host.
  const statuses = [400, 401, 429, 500, 503, ...own]
  if (body !== undefined) statuses.push(413)
  if (cost !== 0) statuses.push(402)
  if (requires !== 'key' && requires !== 'pro-or-unauthorized') statuses.push(403)
  return [...new Set(statuses)].sort((a, b) => a - b)
}
