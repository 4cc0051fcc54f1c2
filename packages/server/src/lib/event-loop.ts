import { monitorEventLoopDelay } from 'node:perf_hooks'

/** How often the delay is taken, in ms; also the shortest delay that the monitor can tell, so it is taken off. */
const RESOLUTION_MS = 10
/** Length of the window whose mean is reported, in ms. */
const WINDOW_MS = 500

/** Watches how late the event loop runs: the mean delay of the last half second, in ms. */
export function createEventLoopMonitor() {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  histogram.enable()
  let delayMs = 0
  const timer = setInterval(() => {
    // Without a sample the mean is NaN.
    delayMs = Math.max(0, histogram.mean / 1e6 - RESOLUTION_MS) || 0
    histogram.reset()
  }, WINDOW_MS).unref()

  function stop(): void {
    clearInterval(timer)
    histogram.disable()
  }

  return { delayMs: () => delayMs, stop }
}
