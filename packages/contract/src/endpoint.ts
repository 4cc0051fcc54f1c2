import type { z } from 'zod'
import type { ErrorStyle } from './errors.ts'

/** The rate window an endpoint counts in. `beacon` is a bucket of its own; everything that reads holdings shares `portfolio`. */
export type Bucket = 'default' | 'portfolio' | 'beacon'

/** What an account needs beyond a key. `pro-or-unauthorized` is the token overview's 401 where others answer 403. */
export type Requirement = 'key' | 'portfolio' | 'pro' | 'pro-or-unauthorized' | 'beacon' | 'beacon-and-portfolio'

/** What a file that is streamed can be. */
type FileType = 'text/csv' | 'application/x-ndjson' | 'text/html'

/** A file that is sent as it is made. `name` in ASCII; `parts` hold some hundred lines each, or a part of a page. */
export type FileAnswer = {
  type: FileType
  name: string
  parts: AsyncIterable<string>
  /** Sent as `x-data-complete`; absent where the endpoint declares no such header. */
  isComplete?: boolean
}

/**
 * One endpoint as data. Handlers, OpenAPI, the SDK, the price list and the conformance suite are derived from it. `R`: what
 * its door asks of a caller; `P`: its path.
 */
export type Endpoint<R = Requirement, P extends string = `/v1/${string}`> = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly path: P
  /** A short verb phrase, as the title of the operation. */
  readonly summary: string
  /** Sentences; Markdown. */
  readonly description?: string
  readonly tag: string
  readonly status: 200 | 201 | 204
  /** Credits per call; a function where the price depends on the parsed request. 0 is free and writes nothing. */
  readonly cost: number | ((request: { params: never; query: never; body: never }) => number)
  /** What a look at the portal costs with a key. Its door decides whether the account pays that. */
  readonly keyCost?: Endpoint['cost']
  readonly bucket: Bucket
  readonly requires: R
  readonly errors: ErrorStyle
  /** Statuses beyond the common ones (400, 401, 402, 403, 429, 500, 503) that this endpoint documents. */
  readonly failures?: readonly number[]
  readonly params?: z.ZodType
  readonly query?: z.ZodType
  readonly body?: z.ZodType
  readonly response: z.ZodType
  /** Headers of a request that mean something beyond the common ones, for the reference alone. */
  readonly sends?: z.ZodType
  /** Content type of the answer; JSON unless said. The body is JSON either way: a text comes with its quotation marks. */
  readonly produces?: 'text/plain' | 'text/event-stream'
  /** The answer is a file, sent as it is made: every content type that it can have. The connection is reset where it breaks off. */
  readonly streams?: readonly FileType[]
  /** Answered even while the service sheds load: what a client needs to see where it stands. */
  readonly essential?: true
  /** Response headers beyond the common ones, sent as they stand with every success. */
  readonly headers?: Readonly<Record<string, string>>
  /** Headers that each success has with a value of its own: every one that it can be, by the header's name. */
  readonly varyingHeaders?: Readonly<Record<string, readonly string[]>>
  /** Each success sets a cookie. */
  readonly setsCookie?: true
}

/** Headers of an answer that may lack something: `false` where anything stands in its `incomplete`, or is not indexed yet. */
export const completeness = { 'x-data-complete': ['true', 'false'] } as const

/** An endpoint of any door. */
export type AnyEndpoint = Endpoint<unknown, string>

type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined

/** What a handler receives: the three parsed parts of the request. */
export type RequestOf<E extends AnyEndpoint> = {
  params: Parsed<E['params']>
  query: Parsed<E['query']>
  body: Parsed<E['body']>
}

export type ResponseOf<E extends AnyEndpoint> = z.input<E['response']>

/** Keeps the literal types of one endpoint group while checking that each entry is a whole endpoint. */
export function defineEndpoints<const T extends Record<string, AnyEndpoint>>(endpoints: T): T {
  return endpoints
}
