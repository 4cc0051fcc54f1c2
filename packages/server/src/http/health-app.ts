import { STATUS_CODES } from 'node:http'
import fastify, { type FastifyInstance, type FastifyReply } from 'fastify'
import type { Logger } from '../lib/logger.ts'
import type { Metrics } from '../lib/metrics.ts'
import { createDeadlines } from './deadlines.ts'
import type { Load } from './load.ts'
import { compressed } from './static-file.ts'

const COMMON = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }
const RECEIVE_LIMIT_MS = 10_000
const READY_LIMIT_MS = 500

type AdminContext = {
  metrics: Metrics
  load: Load
  checkReady: () => Promise<void>
  readyDetail?: () => Readonly<Record<string, unknown>>
  logger: Logger
}

/** `/livez`: the process answers. `/readyz`: 503 if the database is slow or a shutdown has begun. */
export function createAdminApp({ metrics, load, checkReady, readyDetail, logger }: AdminContext): FastifyInstance {
  const app = fastify({
    logger: false,
    exposeHeadRoutes: false,
    forceCloseConnections: true,
    requestTimeout: RECEIVE_LIMIT_MS,
    frameworkErrors: (_error, _request, reply) => void refuse(reply, 400, 'The path cannot be read'),
  })
  const deadlines = createDeadlines({ limitMs: READY_LIMIT_MS })

  app.addHook('onRequest', async (request, reply) => {
    reply.headers(COMMON)
    const { 'content-length': length = '0', 'transfer-encoding': coding } = request.headers
    if (length !== '0' || coding !== undefined) return refuse(reply, 413, 'This listener accepts no body')
  })
  app.setNotFoundHandler((_request, reply) => refuse(reply, 404, 'No such path'))
  app.setErrorHandler((err, _request, reply) => {
    logger.error({ err }, 'request to the admin listener failed and was answered 500')
    return refuse(reply, 500, 'Something went wrong on our side')
  })

  app.get('/livez', async () => ({ status: 'ok' }))

  app.get('/readyz', async (_request, reply) => {
    if (load.isDraining()) return reply.code(503).send({ status: 'shutting down' })
    try {
      await deadlines.within(checkReady)
      return { status: 'ready', ...readyDetail?.() }
    } catch (err) {
      logger.warn({ err }, 'readiness check failed, /readyz answers 503: check the database')
      return reply.code(503).send({ status: 'not ready' })
    }
  })

  app.get('/metrics', async (request, reply) => {
    const text = await metrics.registry.metrics()
    reply.header('content-type', metrics.registry.contentType)
    const { encoding, body } = await compressed(text, request.headers['accept-encoding'])
    if (encoding !== 'identity') reply.header('content-encoding', encoding)
    return reply.send(body)
  })

  return app
}

/** Closes the connection, so that the rest is not read. */
function refuse(reply: FastifyReply, status: number, message: string): FastifyReply {
  return reply
    .code(status)
    .headers({ ...COMMON, connection: 'close' })
    .send({ error: STATUS_CODES[status], message })
}
