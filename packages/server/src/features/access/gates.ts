import { type Bucket, Failure } from '@coffer/contract'
import type { Caller, Gates, Payment } from '../../http/gates.ts'
import { callerNetwork } from '../../lib/caller-network.ts'
import { type Credits, overloaded, type Receipt } from '../credits/credits.ts'
import { bearerToken } from '../keys/authorization-header.ts'
import type { KeyRing } from '../keys/key-ring.ts'
import type { RateLimits } from '../rate-limit/rate-limits.ts'

/** Per minute and key. */
const keyLimits: Record<Bucket, number> = { default: 360, portfolio: 360, beacon: 100 }
/** Multiplies a key's limit, however many keys the account has. */
const keysPerAccount = 3
/** Requests per minute without a valid key, per IPv4 address or IPv6 network. A page shows dozens of icons (`file`). */
const anonymousLimits = { call: 60, file: 1_200, preflight: 1_200 }

export function createGates(keyRing: KeyRing, rateLimits: RateLimits, credits: Credits): Gates {
  return {
    authenticate(authorization) {
      const token = bearerToken(authorization)
      const found = token === undefined ? undefined : keyRing.find(token)
      if (!(found instanceof Promise)) return orUnauthorized(found)
      // Without the database no key can be checked; the client should keep its key and retry.
      return found.then(orUnauthorized, (error) => {
        throw overloaded(error)
      })
    },
    limit({ keyId, accountId, rateLimits: own }, bucket) {
      const limit = own[bucket] ?? keyLimits[bucket]
      return rateLimits.takeBoth(
        { subject: `key:${keyId}:${bucket}`, limit },
        { subject: `account:${accountId}:${bucket}`, limit: limit * keysPerAccount },
      )
    },
    limitAnonymous: (ip, kind = 'call') =>
      rateLimits.take(`${kind === 'call' ? 'ip' : kind}:${callerNetwork(ip)}`, anonymousLimits[kind]),
    async charge({ accountId }, cost, requestId) {
      return paidBy(await credits.charge(accountId, cost, requestId))
    },
    async hold({ accountId }, cost, requestId) {
      const hold = await credits.hold(accountId, cost, { source: 'request', key: requestId })
      if (!hold) throw new Error('A request id came twice')
      return {
        post: async () => paidBy(await credits.post(hold)),
        giveBack: () => credits.release(hold),
      }
    },
  }

  /** Refunds in the background: the database has just failed to answer. */
  function paidBy(receipt: Receipt): Payment {
    return { giveBack: async () => credits.giveBackLater(receipt) }
  }
}

function orUnauthorized(holder: Caller | undefined): Caller {
  if (!holder) throw new Failure('UNAUTHORIZED', 'Unauthorized')
  return holder
}
