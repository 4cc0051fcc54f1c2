import type { Config } from './config/config.ts'
import type { Database } from './db/database.ts'
import { createGates } from './features/access/gates.ts'
import { createCredits } from './features/credits/credits.ts'
import { createKeyRing } from './features/keys/key-ring.ts'
import { openPeppers } from './features/keys/peppers.ts'
import { claimProcess } from './features/rate-limit/process-claim.ts'
import { createRateLimits } from './features/rate-limit/rate-limits.ts'
import type { Clock } from './lib/clock.ts'
import type { Logger } from './lib/logger.ts'

/** Holds whose time is over are given back this often, by every process. */
const SWEEP_INTERVAL_MS = 15_000

/** Who may call, how often, and who pays. */
export async function composeAccess({
  config,
  database: { db, pool },
  clock,
  logger,
}: {
  config: Config
  database: Database
  clock: Clock
  logger: Logger
}) {
  const log = (message: string) => logger.warn(message)
  const shared = config.rateLimitStore === 'postgres'
  const claim = await claimProcess({ pool, claim: shared ? 'with others' : 'alone', log })
  const peppers = await openPeppers(
    db,
    config.keyPeppers.map((pepper) => pepper.reveal()),
  )
  const keyRing = createKeyRing({ db, peppers, clock, log })
  const credits = createCredits({ pool, log })
  const rateLimits = createRateLimits({ ...(shared && { pool }), log })
  const sweep = () => credits.sweep().catch((err: unknown) => logger.warn({ err }, 'expired holds were not swept'))
  const sweeping = setInterval(sweep, SWEEP_INTERVAL_MS)
  return {
    gates: createGates({ keyRing, rateLimits, credits }),
    credits,
    peppers,
    async close() {
      clearInterval(sweeping)
      await credits.drain()
      await keyRing.drain()
      await claim.release()
    },
  }
}
