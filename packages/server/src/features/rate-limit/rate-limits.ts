import pg from 'pg'
import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterPostgres } from 'rate-limiter-flexible'

/** A window after a request was counted in it. */
export type RateWindow = {
  readonly allowed: boolean
  readonly limit: number
  readonly remaining: number
  /** Unix seconds at which the window ends, rounded up. */
  readonly resetAt: number
  /** Whole seconds after which the next request is admitted for certain; at least 1. */
  readonly retryAfterSeconds: number
}

export type RateLimits = {
  /** Counts a request of this subject, unless its window is full. Never rejects. */
  take(subject: string, limit: number): Promise<RateWindow>
  /** Takes back the count of a request that was refused for another reason. Never rejects. */
  giveBack(subject: string): Promise<void>
}

const windowSeconds = 60
/** Limits are compared here, since each subject has its own; the library only counts. */
const settings = { points: Number.MAX_SAFE_INTEGER, duration: windowSeconds }
/** One log line a minute while the store is away. */
const quietMs = 60_000

type Count = { consumed: number; msBeforeNext: number }

/**
 * Fixed windows of 60 s, each from its subject's first request. With a pool they are counted in PostgreSQL, exactly over
 * all processes, else in this process alone. While the store cannot be asked, each process counts for itself with half
 * the limit.
 */
export function createRateLimits(options: { pool?: pg.Pool; log: (message: string) => void }): RateLimits {
  const memory = new RateLimiterMemory({ ...settings, keyPrefix: '' })
  const shared = options.pool && sharedLimiter(options.pool)
  let quietUntil = 0

  const count = async (subject: string, limit: number, ask: typeof consume): Promise<RateWindow> => {
    if (!shared) return windowOf(await ask(memory, subject), limit)
    try {
      return windowOf(await ask(shared, subject), limit)
    } catch (error) {
      if (Date.now() >= quietUntil) {
        quietUntil = Date.now() + quietMs
        options.log(`rate limits are counted per process at half the limit: ${String(error)}`)
      }
      return windowOf(await ask(memory, subject), Math.ceil(limit / 2))
    }
  }

  return {
    take: (subject, limit) => count(subject, limit, consume),
    async giveBack(subject) {
      await count(subject, 0, reward)
    },
  }
}

function sharedLimiter(pool: pg.Pool): RateLimiterPostgres {
  return new RateLimiterPostgres({
    ...settings,
    keyPrefix: '',
    // The library counts with numbers, while the pool reads int8 as bigint.
    storeClient: { query: (query: pg.QueryConfig) => pool.query({ ...query, types: pg.types }) },
    storeType: 'client',
    tableName: 'rate_limit_window',
    tableCreated: true,
  })
}

async function consume(limiter: RateLimiterAbstract, subject: string): Promise<Count> {
  const { consumedPoints, msBeforeNext } = await limiter.consume(subject)
  return { consumed: consumedPoints, msBeforeNext }
}

async function reward(limiter: RateLimiterAbstract, subject: string): Promise<Count> {
  const { consumedPoints, msBeforeNext } = await limiter.reward(subject)
  return { consumed: consumedPoints, msBeforeNext }
}

function windowOf({ consumed, msBeforeNext }: Count, limit: number): RateWindow {
  const left = Math.max(msBeforeNext, 0)
  return {
    allowed: consumed <= limit,
    limit,
    remaining: Math.max(limit - consumed, 0),
    resetAt: Math.ceil((Date.now() + left) / 1000),
    retryAfterSeconds: Math.max(Math.ceil(left / 1000), 1),
  }
}
