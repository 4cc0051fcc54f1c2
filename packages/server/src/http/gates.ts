import type { IncomingHttpHeaders } from 'node:http'
import type { Bucket } from '@coffer/contract'
import type { Role } from '@coffer/contract/portal'
import type { Access } from './authorize.ts'
import type { Site } from './origin.ts'

export type Caller = Access & {
  readonly accountId: string
  readonly keyId: string
  /** Per window and bucket, if the operator raised them. */
  readonly rateLimits: Readonly<Partial<Record<Bucket, number>>>
}

export type PortalCaller = Caller & {
  readonly session: PortalSession | undefined
  readonly site: Site
  readonly role: Role | undefined
  readonly from: { readonly address: string; readonly agent: string }
  readonly flow: string | undefined
}

export type PortalSession = {
  readonly id: string
  readonly userId: string
  readonly userName: string
  readonly isOperator: boolean
  /** Expiry of the last proof of identity; null: none. */
  readonly provedUntil: Date | null
}

export type DoorRequest = {
  readonly headers: IncomingHttpHeaders
  readonly method: string
  readonly params: unknown
  readonly ip: string
  readonly site: Site
}

export type Rate = {
  readonly allowed: boolean
  readonly limit: number
  readonly remaining: number
  /** Unix seconds, rounded up. */
  readonly resetAt: number
  readonly retryAfterSeconds: number
}

export type Payment = { giveBack(): Promise<void> }

type Hold = Payment & { post(): Promise<Payment> }

/** Without the database credits fail closed with OVERLOADED, and rate limits count in memory. */
export type Gates = {
  /** UNAUTHORIZED unless it is exactly one valid key. */
  authenticate(authorization: string | undefined): Caller | Promise<Caller>
  limit(caller: Caller, bucket: Bucket): Rate | Promise<Rate>
  /** By IP address. `file`: a page has many. `preflight`: sent before each URL. */
  limitAnonymous(ip: string, kind?: 'call' | 'file' | 'preflight'): Rate | Promise<Rate>
  /** Durable once resolved, like `hold`; INSUFFICIENT_CREDITS writes nothing. */
  charge(caller: Caller, cost: number, requestId: string): Promise<Payment>
  hold(caller: Caller, cost: number, requestId: string): Promise<Hold>
}
