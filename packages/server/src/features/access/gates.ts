import { type Bucket, Failure } from '@coffer/contract'
import type { Credits } from '../credits/credits.ts'
import { bearerToken } from '../keys/authorization-header.ts'
import type { KeyHolder, KeyRing } from '../keys/key-ring.ts'
import type { RateLimits, RateWindow } from '../rate-limit/rate-limits.ts'

/** Requests per minute and key, unless the account has others. */
const keyLimits: Record<Bucket, number> = { default: 360, portfolio: 360, beacon: 100 }
/** Requests per minute and IP address without a valid key. */
const anonymousLimit = 60

/** What the request pipeline asks before it serves: who calls, how often, and who pays. */
export type Gates = {
  authenticate(authorization: string | undefined): KeyHolder | Promise<KeyHolder>
  limit(caller: KeyHolder, bucket: Bucket): Promise<RateWindow>
  limitAnonymous(ip: string): Promise<RateWindow>
  peekAnonymous(ip: string): Promise<RateWindow>
  charge(caller: KeyHolder, cost: number, requestId: string): Promise<void>
  hold(
    caller: KeyHolder,
    cost: number,
    requestId: string,
  ): Promise<{ post(): Promise<void>; giveBack(): Promise<void> }>
}

export function createGates(options: { keyRing: KeyRing; rateLimits: RateLimits; credits: Credits }): Gates {
  const { keyRing, rateLimits, credits } = options
  return {
    authenticate(authorization) {
      const token = bearerToken(authorization)
      const found = token === undefined ? undefined : keyRing.find(token)
      return found instanceof Promise ? found.then(orUnauthorized, asOverloaded) : orUnauthorized(found)
    },
    limit: ({ keyId, rateLimits: own }, bucket) =>
      rateLimits.take(`key:${keyId}:${bucket}`, own[bucket] ?? keyLimits[bucket]),
    limitAnonymous: (ip) => rateLimits.take(`ip:${ip}`, anonymousLimit),
    peekAnonymous: (ip) => rateLimits.peek(`ip:${ip}`, anonymousLimit),
    async charge({ accountId }, cost, requestId) {
      await credits.charge(accountId, cost, requestId)
    },
    async hold({ accountId }, cost, requestId) {
      const hold = await credits.hold(accountId, cost, { source: 'request', key: requestId })
      if (!hold) throw new Error('A request id came twice')
      return { post: () => credits.post(hold), giveBack: () => credits.release(hold) }
    },
  }
}

function orUnauthorized(holder: KeyHolder | undefined): KeyHolder {
  if (!holder) throw new Failure('UNAUTHORIZED', 'Unauthorized')
  return holder
}

/** Without its database the service knows no keys; the client is told to come back, not that its key is wrong. */
function asOverloaded(error: unknown): never {
  throw Object.assign(new Failure('OVERLOADED', 'The service is temporarily unavailable', { retryAfterSeconds: 5 }), {
    cause: error,
  })
}
