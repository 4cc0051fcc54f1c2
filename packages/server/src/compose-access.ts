import type { Config } from './config/config.ts'
import type { Database } from './db/database.ts'
import { createGates } from './features/access/gates.ts'
import { createCredits } from './features/credits/credits.ts'
import { createPaidChanges } from './features/credits/paid-changes.ts'
import { startSweeping } from './features/credits/sweeping.ts'
import { createKeyRing } from './features/keys/key-ring.ts'
import { openPeppers } from './features/keys/peppers.ts'
import { createRateLimits } from './features/rate-limit/rate-limits.ts'
import { createMasterKeys } from './features/secrets/master-keys.ts'
import { openVault } from './features/secrets/secret-vault.ts'
import { monotonicClock } from './lib/clock.ts'
import type { Logger } from './lib/logger.ts'

/** Composes authentication, rate limits and credits, and the vault that encrypts secrets of accounts. */
export async function composeAccess({
  config,
  database: { db, pool },
  logger,
}: {
  config: Config
  database: Database
  logger: Logger
}) {
  const log = (message: string) => logger.warn(message)
  const shared = config.rateLimitStore === 'postgres'
  const vault = await openVault(db, createMasterKeys({ configured: config.masterKeys, dataDir: config.dataDir }))
  const peppers = await openPeppers(
    db,
    config.keyPeppers.map((pepper) => pepper.reveal()),
  )
  const keyRing = createKeyRing({ db, peppers, clock: monotonicClock, log })
  const credits = createCredits({ pool, log })
  const rateLimits = createRateLimits({ ...(shared && { pool }), log })
  const sweeping = startSweeping({ credits, log })
  return {
    gates: createGates({ keyRing, rateLimits, credits }),
    credits,
    change: createPaidChanges({ db, credits }),
    peppers,
    vault,
    async close() {
      await sweeping.stop()
      await credits.drain()
      await keyRing.drain()
    },
  }
}
