import type { Credits } from './credits.ts'

/** With the two minutes that a hold lives, what a killed process held is back after two and a quarter at most. */
const intervalMs = 15_000

/**
 * Gives back expired holds for as long as the process lives; every process may do so, each hold ends once. `stop`
 * resolves when nothing is under way.
 */
export function startSweeping(options: { credits: Pick<Credits, 'sweep'>; log: (message: string) => void }): {
  stop(): Promise<void>
} {
  let sweep = Promise.resolve()
  const run = async () => {
    try {
      const swept = await options.credits.sweep()
      if (swept > 0) options.log(`gave back ${swept} credit holds that nobody ended`)
    } catch {
      options.log('expired credit holds cannot be given back now; it is tried again')
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
