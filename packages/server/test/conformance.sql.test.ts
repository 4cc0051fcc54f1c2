import { PassThrough } from 'node:stream'
import { creditsEndpoints } from '@coffer/contract'
import { sql } from 'kysely'
import { expect } from 'vitest'
import { createGates } from '../src/features/access/gates.ts'
import { createCredits } from '../src/features/credits/credits.ts'
import { creditsRoutes } from '../src/features/credits/credits-routes.ts'
import { createKeyRing } from '../src/features/keys/key-ring.ts'
import { openPeppers } from '../src/features/keys/peppers.ts'
import { createRateLimits } from '../src/features/rate-limit/rate-limits.ts'
import { createApp } from '../src/http/app.ts'
import { createLogger } from '../src/lib/logger.ts'
import { createMetrics } from '../src/lib/metrics.ts'
import { conformance } from './conformance/conformance.ts'
import { databaseCallers } from './conformance/database-callers.ts'
import { withFaults } from './conformance/faults.ts'
import { sampleEndpoints, sampleHandlers, sampleRequests } from './conformance/sample-table.ts'
import { testDatabase } from './database.ts'

const endpoints = { ...sampleEndpoints, ...creditsEndpoints }
const log = () => undefined

// The pipeline over the gates that ship, keys, windows and ledger in PostgreSQL.
conformance({
  endpoints,
  samples: { ...sampleRequests, getCredits: {} },
  async start(faults) {
    const { db, pool, drop } = await testDatabase('conformance')
    const peppers = await openPeppers(db, [])
    const credits = createCredits({ pool, log })
    const keyRing = createKeyRing({ db, peppers, clock: { now: () => performance.now() }, log })
    const { app, load } = await createApp({
      endpoints,
      handlers: withFaults<typeof endpoints>({ ...sampleHandlers, ...creditsRoutes({ credits }) }, faults),
      gates: createGates({ keyRing, rateLimits: createRateLimits({ log }), credits }),
      logger: createLogger({ level: 'silent', stream: new PassThrough() }),
      metrics: createMetrics(),
      trustProxy: true,
    })
    await app.listen({ host: '127.0.0.1', port: 0 })
    const { port } = app.server.address() as { port: number }
    return {
      origin: `http://127.0.0.1:${port}`,
      newCaller: databaseCallers(db, peppers),
      idle: load.idle,
      async stop() {
        await app.close()
        await credits.drain()
        await keyRing.drain()
        const { rows } = await sql`select * from credit_violation`.execute(db)
        expect(rows).toEqual([])
        await drop()
      },
    }
  },
})
