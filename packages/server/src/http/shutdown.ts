import type { FastifyInstance } from 'fastify'
import type { Logger } from '../lib/logger.ts'
import type { Service } from './app.ts'

/** How long requests in flight may still take, in ms; what is left then is answered 503 and given back. */
const DRAIN_LIMIT_MS = 25_000
/** How long clients have to send the next request on a connection that they keep, and to learn from its answer that it ends, in ms. */
const FAREWELL_MS = 500
/** How long connections may stay open after the last answer was written, in ms. */
const LINGER_LIMIT_MS = 2_000
/** One Ctrl-C or `kill` arrives several times within this, in ms: from the terminal, through npm and through the launcher. */
const SAME_SIGNAL_MS = 1_000

/**
 * Stops serving without losing anything: not ready; for a moment answers that say that their connection ends, since a
 * connection that is closed at once cuts off the request that is on its way; then no new connections, the requests in
 * flight to their end (or, when patience is over, given back), then `finish` (workers, database), the admin listener last
 * so that it can be asked.
 */
export async function shutDown({
  service: { app, load, deadlines, connections },
  admin,
  finish,
  logger,
  drainLimitMs = DRAIN_LIMIT_MS,
}: {
  service: Service
  admin: FastifyInstance
  finish: () => Promise<void>
  logger: Logger
  drainLimitMs?: number
}): Promise<void> {
  logger.info({ inFlight: load.inFlight() }, 'shutting down')
  load.drain()
  const patience = setTimeout(deadlines.expireAll, drainLimitMs)
  await withinMs(FAREWELL_MS, connections.ended())
  const closed = app.close()
  await load.idle()
  clearTimeout(patience)
  const lingering = setTimeout(connections.destroyAll, LINGER_LIMIT_MS)
  await closed
  clearTimeout(lingering)
  await finish()
  await admin.close()
  logger.info('shut down')
}

/** Resolves with what is awaited, or once the time is over. */
function withinMs(limitMs: number, awaited: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, limitMs)
    void awaited.then(() => {
      clearTimeout(timer)
      resolve()
    })
  })
}

/**
 * Runs `stop` on the first SIGTERM or SIGINT, then exits: 0 if all went well. Another one later exits at once. Returns whether
 * there was one.
 */
export function stopOnSignals(stop: () => Promise<void>, logger: Logger): () => boolean {
  let stoppingSince: number | undefined
  const onSignal = () => {
    if (stoppingSince !== undefined) {
      if (performance.now() - stoppingSince > SAME_SIGNAL_MS) process.exit(1)
      return
    }
    stoppingSince = performance.now()
    stop().then(
      () => process.exit(0),
      (err) => {
        logger.error({ err }, 'shutdown failed')
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
  return () => stoppingSince !== undefined
}
