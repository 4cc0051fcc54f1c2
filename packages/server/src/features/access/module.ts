import type { Database } from '../../db/database.ts'
import { type Clock, monotonicClock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Secret } from '../../lib/secret.ts'
import { bootstrapOwner } from '../accounts/accounts.ts'
import { createCredits } from '../credits/credits.ts'
import { createPaidChanges } from '../credits/paid-changes.ts'
import { createKeyRing } from '../keys/key-ring.ts'
import { openPeppers } from '../keys/peppers.ts'
import { createRateLimits } from '../rate-limit/rate-limits.ts'
import { createMasterKeys } from '../secrets/master-keys.ts'
import { openVault } from '../secrets/secret-vault.ts'
import { createGates } from './gates.ts'

type Settings = {
  dataDir: string
  masterKeys: readonly Secret[]
  keyPeppers: readonly Secret[]
}

export type Access = Awaited<ReturnType<typeof composeAccess>>

export async function composeAccess(config: Settings, { db, pool }: Database, clock: Clock, logger: Logger) {
  const log = (message: string) => logger.warn(message)
  const vault = await openVault(db, createMasterKeys({ configured: config.masterKeys, dataDir: config.dataDir }))
  const peppers = await openPeppers(
    db,
    config.keyPeppers.map((pepper) => pepper.reveal()),
  )
  const keyRing = createKeyRing({ db, peppers, clock: monotonicClock, log })
  const credits = createCredits({ pool, log })
  const rateLimits = createRateLimits({ pool, clock, log })
  return {
    gates: createGates(keyRing, rateLimits, credits),
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
