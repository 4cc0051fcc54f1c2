import type { FastifyInstance } from 'fastify'
import type { Logger } from '../lib/logger.ts'
import { endedWithin } from '../lib/time-limit.ts'
import type { Service } from './app.ts'

/** How long requests in flight may still take, in ms; those left then are answered 503 and not charged. */
const DRAIN_LIMIT_MS = 25_000
/** How long clients may send another request on a kept connection and learn from its answer that it closes, in ms. */
const FAREWELL_MS = 500
/** How long connections may stay open after the last answer was written, in ms. */
const LINGER_LIMIT_MS = 2_000
/** One Ctrl-C or `kill` arrives several times within this, in ms: from the terminal, through npm and through the launcher. */
const SAME_SIGNAL_MS = 1_000

/**
 * Stops serving without losing requests: first `/readyz` answers 503 and answers announce that their connection closes,
 * because closing it at once would lose a request on its way. Then no new connections; requests in flight end or, after
 * the limit, are answered 503 and not charged. Then `finish` (workers, database). The admin listener closes last, so
 * that it can be queried throughout.
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
  await endedWithin(connections.ended(), FAREWELL_MS)
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

/**
 * Runs `stop` on the first SIGTERM or SIGINT, then exits with 0, or 1 if it failed. A second signal later exits at
 * once. Returns a function that says whether there was a signal.
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
        logger.error({ err }, 'shutdown failed: the process exits with 1')
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
  return () => stoppingSince !== undefined
}
