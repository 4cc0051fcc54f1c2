import type { Credits } from './credits.ts'

/** A hold lives 120 s, so what a killed process held is back after 135 s at most. */
const intervalMs = 15_000

/**
 * Gives back expired holds periodically. Every process may do so; each hold ends once. `stop` resolves when no sweep is
 * running.
 */
export function startSweeping(options: { credits: Pick<Credits, 'sweep'>; log: (message: string) => void }): {
  stop(): Promise<void>
} {
  let sweep = Promise.resolve()
  const run = async () => {
    try {
      const swept = await options.credits.sweep()
      if (swept > 0) options.log(`gave back ${swept} expired credit holds`)
    } catch {
      options.log('expired credit holds could not be given back; the next sweep tries again')
    }
  }
  const timer = setInterval(() => {
    sweep = sweep.then(run)
  }, intervalMs)
  timer.unref()
  return {
    stop() {
      clearInterval(timer)
      return sweep
    },
  }
}
