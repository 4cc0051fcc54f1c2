import { type Bucket, Failure } from '@coffer/contract'
import type { Database } from '../../db/database.ts'
import type { Caller, Gates, Payment } from '../../http/gates.ts'
import { callerNetwork } from '../../lib/caller-network.ts'
import { monotonicClock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Secret } from '../../lib/secret.ts'
import { bootstrapOwner } from '../accounts/accounts.ts'
import { type Credits, createCredits, overloaded, type Receipt } from '../credits/credits.ts'
import { createPaidChanges } from '../credits/paid-changes.ts'
import { createKeyRing, type KeyRing } from '../keys/key-ring.ts'
import { openPeppers } from '../keys/peppers.ts'
import { claimProcess } from '../rate-limit/process-claim.ts'
import { createRateLimits, type RateLimits } from '../rate-limit/rate-limits.ts'
import { createMasterKeys } from '../secrets/master-keys.ts'
import { openVault } from '../secrets/secret-vault.ts'

type Settings = {
  dataDir: string
  masterKeys: readonly Secret[]
  keyPeppers: readonly Secret[]
  rateLimitStore: 'memory' | 'postgres'
}

/** API processes share a database only if all count rate limits in PostgreSQL. */
export const claimForApi =
  ({ roles, rateLimitStore }: { roles: ReadonlySet<string> } & Pick<Settings, 'rateLimitStore'>, logger: Logger) =>
  async ({ pool }: Pick<Database, 'pool'>) => {
    if (!roles.has('api')) return undefined
    const claim = rateLimitStore === 'postgres' ? 'with others' : 'alone'
    return claimProcess({ pool, claim, log: (message) => logger.warn(message) })
  }

export async function openAccess({
  config,
  database: { db, pool },
  logger,
}: {
  config: Settings
  database: Pick<Database, 'db' | 'pool'>
  logger: Logger
}) {
  const log = (message: string) => logger.warn(message)
  const vault = await openVault(db, createMasterKeys({ configured: config.masterKeys, dataDir: config.dataDir }))
  const peppers = await openPeppers(
    db,
    config.keyPeppers.map((pepper) => pepper.reveal()),
  )
  const keyRing = createKeyRing({ db, peppers, clock: monotonicClock, log })
  const credits = createCredits({ pool, log })
  const rateLimits = createRateLimits({ ...(config.rateLimitStore === 'postgres' && { pool }), log })
  return {
    gates: createGates({ keyRing, rateLimits, credits }),
    rateLimits,
    credits,
    change: createPaidChanges({ db, credits }),
    peppers,
    /** Other processes notice within seconds. */
    refuseKey: keyRing.refuse,
    vault,
    /** Returns the new API key, or undefined if an account exists. */
    makeOwner: async () => (await bootstrapOwner(db, peppers))?.key,
    close: () => keyRing.drain(),
  }
}

/** Requests per minute and key, by default. */
const keyLimits: Record<Bucket, number> = { default: 360, portfolio: 360, beacon: 100 }
/** Multiplies a key's limit, however many keys the account has. */
const keysPerAccount = 3
/** Requests per minute without a valid key, per IPv4 address or IPv6 network. A page shows dozens of icons (`file`). */
const anonymousLimits = { call: 60, file: 1_200, preflight: 1_200 }

export function createGates(options: { keyRing: KeyRing; rateLimits: RateLimits; credits: Credits }): Gates {
  const { keyRing, rateLimits, credits } = options
  return {
    authenticate(authorization) {
      const token = bearerToken(authorization)
      const found = token === undefined ? undefined : keyRing.find(token)
      return found instanceof Promise ? found.then(orUnauthorized, asOverloaded) : orUnauthorized(found)
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

/** Without the database no key can be checked; the client should keep its key and retry. */
function asOverloaded(error: unknown): never {
  throw overloaded(error)
}

/** Characters. Bounds the work on hostile headers. */
const longestHeader = 512
const form = /^bearer +([0-9a-z_]+)$/i

/**
 * Accepts only `Bearer` (RFC 9110, 11.4). Requires `joinDuplicateHeaders`, so that repeated headers, joined by a comma,
 * match nothing.
 */
export function bearerToken(authorization: string | undefined): string | undefined {
  if (authorization === undefined || authorization.length > longestHeader) return undefined
  return form.exec(authorization)?.[1]
}
