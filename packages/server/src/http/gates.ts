import type { IncomingHttpHeaders } from 'node:http'
import type { Bucket } from '@coffer/contract'
import type { Role } from '@coffer/contract/portal'
import type { Access } from './authorize.ts'
import type { Site } from './origin.ts'

/** Who calls: the account that pays, the key it used, and what it may use. */
export type Caller = Access & {
  readonly accountId: string
  readonly keyId: string
  /** Requests per window and bucket where the operator raised them for the account. */
  readonly rateLimits: Readonly<Partial<Record<Bucket, number>>>
}

/** Who calls through the portal: a user in one of its accounts where the path names one, or nobody known. */
export type PortalCaller = Caller & {
  readonly session: PortalSession | undefined
  readonly site: Site
  /** In the account of the path. */
  readonly role: Role | undefined
  readonly from: { readonly address: string; readonly agent: string }
  /** The token of what this browser has begun at an issuer. */
  readonly flow: string | undefined
}

/** A signed-in user. */
export type PortalSession = {
  readonly id: string
  readonly userId: string
  readonly userName: string
  readonly isOperator: boolean
  /** Until when the last proof of who the user is counts; null without a recent one. */
  readonly provedUntil: Date | null
}

/** A request as a door sees it; `site` is that under which the caller reaches the service. */
export type DoorRequest = {
  readonly headers: IncomingHttpHeaders
  readonly method: string
  readonly params: unknown
  readonly ip: string
  readonly site: Site
}

/** A rate window after a request was counted in it: what the three headers say, and whether the request may go on. */
export type Rate = {
  readonly allowed: boolean
  readonly limit: number
  readonly remaining: number
  /** Unix seconds at which the window ends, rounded up. */
  readonly resetAt: number
  /** At least 1 on a refusal; after so many whole seconds the next request is admitted. */
  readonly retryAfterSeconds: number
}

/** Credits taken for an answer. `giveBack` returns them if the request fails after all. */
export type Payment = { giveBack(): Promise<void> }

/** Credits reserved while work is done, then posted or given back. A hold that is neither expires. */
type Hold = Payment & { post(): Promise<Payment> }

/**
 * Checks before a request is served. A gate refuses with a `Failure`, and with OVERLOADED while its database is
 * unavailable: credits fail closed. Rate limits do not fail: without their store they are counted in memory.
 */
export type Gates = {
  /** The caller behind an `Authorization` header; UNAUTHORIZED for any that is not exactly one valid key. */
  authenticate(authorization: string | undefined): Caller | Promise<Caller>
  /** Counts a request of a key and its account in a bucket; a refused one is not counted. */
  limit(caller: Caller, bucket: Bucket): Rate | Promise<Rate>
  /**
   * Counts a request without a valid key by its IP address: a call, one of the small files that a page has many of, or the
   * preflight that a browser sends before each URL.
   */
  limitAnonymous(ip: string, kind?: 'call' | 'file' | 'preflight'): Rate | Promise<Rate>
  /** Charges for an answer that is already there. Durable once resolved; INSUFFICIENT_CREDITS writes nothing. */
  charge(caller: Caller, cost: number, requestId: string): Promise<Payment>
  /** Holds credits for work that may still fail. Durable once resolved; INSUFFICIENT_CREDITS writes nothing. */
  hold(caller: Caller, cost: number, requestId: string): Promise<Hold>
}
