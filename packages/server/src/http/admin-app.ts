import fastify, { type FastifyInstance } from 'fastify'
import type { Logger } from '../lib/logger.ts'
import type { Metrics } from '../lib/metrics.ts'
import { createDeadlines } from './deadlines.ts'
import type { Load } from './load.ts'

/** Longest that a readiness check may take, in ms. */
const READY_LIMIT_MS = 500

/**
 * The operator's listener, never for customers: `/livez` (the process answers), `/readyz` (it can serve: 503 while the
 * database does not answer in time or a shutdown has begun), `/metrics` (Prometheus).
 */
export function createAdminApp({
  metrics,
  load,
  checkReady,
  logger,
}: {
  metrics: Metrics
  load: Load
  /** Rejects while what every request needs is not there: the database, its migrations. Upstream nodes are no part of it. */
  checkReady: () => Promise<void>
  logger: Logger
}): FastifyInstance {
  const app = fastify({ logger: false, exposeHeadRoutes: false, forceCloseConnections: true })
  const deadlines = createDeadlines({ limitMs: READY_LIMIT_MS })

  app.get('/livez', async () => ({ status: 'ok' }))

  app.get('/readyz', async (_request, reply) => {
    if (load.isDraining()) return reply.code(503).send({ status: 'shutting down' })
    try {
      await deadlines.within(checkReady)
      return { status: 'ready' }
    } catch (err) {
      logger.warn({ err }, 'not ready')
      return reply.code(503).send({ status: 'not ready' })
    }
  })

  app.get('/metrics', async (_request, reply) => {
    const { registry } = metrics
    return reply.header('content-type', registry.contentType).send(await registry.metrics())
  })

  return app
}
