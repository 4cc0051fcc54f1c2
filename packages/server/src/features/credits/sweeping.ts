/** Holds live 120 s, so a killed process's credits are back within 135 s. */
const intervalMs = 15_000

/** Safe in every process: each hold ends once. */
export function startSweeping(sweep: () => Promise<number>, log: (message: string) => void): () => Promise<void> {
  let sweeping = Promise.resolve()
  const run = async () => {
    try {
      const swept = await sweep()
      if (swept > 0) log(`gave back ${swept} expired credit holds`)
    } catch {
      log('expired credit holds could not be given back; the next sweep tries again')
    }
  }
  const timer = setInterval(() => {
    sweeping = sweeping.then(run)
  }, intervalMs)
  timer.unref()
  return () => {
    clearInterval(timer)
    return sweeping
  }
}
