import type { z } from 'zod'
import type { ErrorStyle } from './errors.ts'

/** Rate window. `beacon` is separate; everything that reads holdings shares `portfolio`. */
export type Bucket = 'default' | 'portfolio' | 'beacon'

/** `pro-or-unauthorized`: the token overview's 401 where others answer 403. */
export type Requirement = 'key' | 'portfolio' | 'pro' | 'pro-or-unauthorized' | 'beacon' | 'beacon-and-portfolio'

type FileType = 'text/csv' | 'application/x-ndjson' | 'text/html'

/**
 * A file that is sent while it is made. `name` is ASCII; each of `parts` has some hundred lines, or a part of a page.
 */
export type FileAnswer = {
  type: FileType
  name: string
  parts: AsyncIterable<string>
  /** `x-data-complete`; absent if the endpoint declares no such header. */
  isComplete?: boolean
}

/**
 * Source of handlers, OpenAPI, the SDK, the price list and the conformance suite. `R`: requirement of a caller; `P`:
 * path.
 */
export type Endpoint<R = Requirement, P extends string = `/v1/${string}`> = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly path: P
  /** Title of the operation: a short verb phrase. */
  readonly summary: string
  /** Markdown. */
  readonly description?: string
  readonly tag: string
  readonly status: 200 | 201 | 204
  /** Credits per call; a function if the price depends on the parsed request. 0 writes nothing. */
  readonly cost: number | ((request: { params: never; query: never; body: never }) => number)
  /** Price with a key, of a read in the portal. The portal decides if the account pays it. */
  readonly keyCost?: Endpoint['cost']
  readonly bucket: Bucket
  readonly requires: R
  readonly errors: ErrorStyle
  /** Beyond the common 400, 401, 402, 403, 429, 500 and 503. */
  readonly failures?: readonly number[]
  readonly params?: z.ZodType
  readonly query?: z.ZodType
  readonly body?: z.ZodType
  readonly response: z.ZodType
  /** Request headers beyond the common ones, for the reference alone. */
  readonly sends?: z.ZodType
  /** Content type; default JSON. The body is JSON either way: a text has its quotation marks. */
  readonly produces?: 'text/plain' | 'text/event-stream'
  /** Content types of a file that is sent while it is made. The connection is reset if it breaks off. */
  readonly streams?: readonly FileType[]
  /** Answered even while the service sheds load, so that clients see their state. */
  readonly essential?: true
  /** Constant headers of each success, beyond the common ones. */
  readonly headers?: Readonly<Record<string, string>>
  /** All possible values of headers that vary by success. */
  readonly varyingHeaders?: Readonly<Record<string, readonly string[]>>
  readonly setsCookie?: true
}

/** `false` if `incomplete` has an entry, or something is not indexed yet. */
export const completeness = { 'x-data-complete': ['true', 'false'] } as const

export type AnyEndpoint = Endpoint<unknown, string>

type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined

export type RequestOf<E extends AnyEndpoint> = {
  params: Parsed<E['params']>
  query: Parsed<E['query']>
  body: Parsed<E['body']>
}

export type ResponseOf<E extends AnyEndpoint> = z.input<E['response']>

/** Checks each entry and keeps its literal types. */
export function defineEndpoints<const T extends Record<string, AnyEndpoint>>(endpoints: T): T {
  return endpoints
}
