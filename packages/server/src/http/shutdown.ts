import type { FastifyInstance } from 'fastify'
import type { Logger } from '../lib/logger.ts'
import type { Service } from './app.ts'

/** How long requests in flight may still take, in ms; what is left then is answered 503 and given back. */
const DRAIN_LIMIT_MS = 25_000
/** How long connections may stay open after the last answer was written, in ms. */
const LINGER_LIMIT_MS = 2_000
/** One Ctrl-C or `kill` arrives several times within this, in ms: from the terminal, through npm and through the launcher. */
const SAME_SIGNAL_MS = 1_000

/**
 * Stops serving without losing anything: not ready, no new connections, the requests in flight to their end (or, when
 * patience is over, given back), then `finish` (workers, database), the admin listener last so that it can be asked.
 */
export async function shutDown({
  service: { app, load, deadlines },
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
  const closed = app.close()
  const patience = setTimeout(deadlines.expireAll, drainLimitMs)
  await load.idle()
  clearTimeout(patience)
  const lingering = setTimeout(() => app.server.closeAllConnections(), LINGER_LIMIT_MS)
  await closed
  clearTimeout(lingering)
  await finish()
  await admin.close()
  logger.info('shut down')
}

/** Runs `stop` on the first SIGTERM or SIGINT, then exits: 0 if all went well. Another one later exits at once. */
export function stopOnSignals(stop: () => Promise<void>, logger: Logger): void {
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
}
