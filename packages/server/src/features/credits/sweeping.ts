import type { Credits } from './credits.ts'

/** Holds live 120 s, so a killed process's credits are back within 135 s. */
const intervalMs = 15_000

/** Safe in every process: each hold ends once. */
export function startSweeping(options: { credits: Pick<Credits, 'sweep'>; log: (message: string) => void }) {
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
    stop(): Promise<void> {
      clearInterval(timer)
      return sweep
    },
  }
}
