import { monitorEventLoopDelay } from 'node:perf_hooks'

/** Also the shortest measurable delay, so it is subtracted. */
const RESOLUTION_MS = 10
const WINDOW_MS = 500

/** Mean delay of the last half second. */
export function createEventLoopMonitor() {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  histogram.enable()
  let delayMs = 0
  const timer = setInterval(() => {
    delayMs = Math.max(0, histogram.mean / 1e6 - RESOLUTION_MS) || 0
    histogram.reset()
  }, WINDOW_MS).unref()

  function stop(): void {
    clearInterval(timer)
    histogram.disable()
  }

  return { delayMs: () => delayMs, stop }
}
