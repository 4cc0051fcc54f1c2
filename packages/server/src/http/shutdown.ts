import type { FastifyInstance } from 'fastify'
import type { Logger } from '../lib/logger.ts'
import { endedWithin } from '../lib/time-limit.ts'
import type { Service } from './app.ts'

/** Later requests are answered 503 and not charged. */
const DRAIN_LIMIT_MS = 25_000
/** Lets clients learn that their connection closes. */
const FAREWELL_MS = 500
const LINGER_LIMIT_MS = 2_000
/** One Ctrl-C or `kill` arrives several times, through npm and the launcher. */
const SAME_SIGNAL_MS = 1_000

/** The admin listener closes last, to stay reachable. */
export async function shutDown(
  { app, load, deadlines, connections }: Service,
  admin: FastifyInstance,
  finish: () => Promise<void>,
  logger: Logger,
  drainLimitMs = DRAIN_LIMIT_MS,
): Promise<void> {
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

/** Exits with 1 if `stop` failed. A later second signal exits at once. */
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
