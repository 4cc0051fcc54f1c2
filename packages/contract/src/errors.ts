/**
 * Failures that clients see. `LAST_OWNER`: an account of the portal keeps an owner. `LAST_SIGN_IN`: a user keeps a way
 * to sign in.
 */
export const failures = {
  VALIDATION_ERROR: { status: 400 },
  UNAUTHORIZED: { status: 401 },
  INSUFFICIENT_CREDITS: { status: 402 },
  FORBIDDEN: { status: 403 },
  /** The user of the portal must prove who it is, and may repeat the call. */
  PROOF_REQUIRED: { status: 403 },
  NOT_FOUND: { status: 404 },
  ADDRESSBOOK_ENTRY_NOT_FOUND: { status: 404 },
  BUNDLE_NOT_FOUND: { status: 404 },
  /** In the interface's list of codes; no call answers with it. */
  DELEGATE_NOT_FOUND: { status: 404 },
  METHOD_NOT_ALLOWED: { status: 405 },
  ADDRESSBOOK_ENTRY_NOT_DELETABLE: { status: 409 },
  LAST_OWNER: { status: 409 },
  LAST_SIGN_IN: { status: 409 },
  /** A file would omit wallets. */
  HISTORY_INCOMPLETE: { status: 409 },
  BUNDLE_NAME_TAKEN: { status: 409 },
  BUNDLE_MEMBERS_ALREADY_BUNDLED: { status: 409 },
  BODY_TOO_LARGE: { status: 413 },
  ADDRESSBOOK_QUOTA_REACHED: { status: 422 },
  BUNDLE_QUOTA_REACHED: { status: 422 },
  BUNDLE_SIZE_LIMIT_EXCEEDED: { status: 422 },
  BUNDLE_EMPTY: { status: 422 },
  WEBHOOK_QUOTA_REACHED: { status: 422 },
  WATCH_QUOTA_REACHED: { status: 422 },
  BUNDLE_ADDRESS_NOT_IN_ADDRESS_BOOK: { status: 422 },
  /** No node has the state of the past block. */
  STATE_NOT_AVAILABLE: { status: 422 },
  RATE_LIMITED: { status: 429 },
  INTERNAL_ERROR: { status: 500 },
  /** The operator has not configured what the call needs. */
  NOT_CONFIGURED: { status: 501 },
  UPSTREAM_UNAVAILABLE: { status: 502 },
  OVERLOADED: { status: 503 },
} as const satisfies Record<string, { status: number }>

export type FailureCode = keyof typeof failures

/** `http/error-body.ts` spells them on the wire. */
export type FailureExtras = {
  INSUFFICIENT_CREDITS: { creditsRequired: number; creditsAvailable: number }
  RATE_LIMITED: { retryAfterSeconds: number }
  METHOD_NOT_ALLOWED: { allow: readonly string[] }
  OVERLOADED: { retryAfterSeconds: number }
  /** The limit, and the count before the call. */
  ADDRESSBOOK_QUOTA_REACHED: { quota: number; current: number }
  BUNDLE_QUOTA_REACHED: { quota: number; current: number }
  WEBHOOK_QUOTA_REACHED: { quota: number; current: number }
  WATCH_QUOTA_REACHED: { quota: number; current: number }
  /** Most addresses of a bundle of this account. */
  BUNDLE_SIZE_LIMIT_EXCEEDED: { limit: number }
  /** Addresses that are not saved. */
  BUNDLE_ADDRESS_NOT_IN_ADDRESS_BOOK: { addresses: readonly string[] }
  BUNDLE_NAME_TAKEN: { name: string }
  /** The bundle with exactly these addresses. */
  BUNDLE_MEMBERS_ALREADY_BUNDLED: { bundleId: string }
}

/** Optional extras. */
type FurtherExtras = {
  /** The password is right; a code of an authenticator app must come with it. */
  UNAUTHORIZED: { needsCode: true }
}

type ExtrasArgs<C extends FailureCode> = C extends keyof FailureExtras
  ? [extras: FailureExtras[C]]
  : C extends keyof FurtherExtras
    ? [extras?: FurtherExtras[C]]
    : []

/** A failure that the client caused or must know of. Anything else thrown is a bug, answered as a 500. */
export class Failure<C extends FailureCode = FailureCode> extends Error {
  override readonly name = 'Failure'
  readonly code: C
  readonly status: number
  readonly extras: Readonly<Record<string, unknown>>

  constructor(code: C, message: string, ...[extras]: ExtrasArgs<C>) {
    super(message)
    this.code = code
    this.status = failures[code].status
    this.extras = { ...extras }
  }
}

/**
 * coded: `{ error: { code, message } }`
 * titled: `{ error: 'Bad Request', message }`
 * detailed: 400 as `{ error: 'Validation Failed', details: { message } }`, else `{ message }`
 * message: `{ message }`
 * plain: `{ error }`, 502 as text
 * problem: RFC 9457 with the code and its extras, for the portal alone
 */
export type ErrorStyle = 'coded' | 'titled' | 'detailed' | 'message' | 'plain' | 'problem'
