import { setTimeout as realTime } from 'node:timers/promises'
import type { Timer } from '../src/lib/clock.ts'
import type { RpcProxy } from './rpc-proxy.ts'

/** Enough for held requests to reach the proxy on an idle machine; later arrivals cost a refusal at most. */
const ARRIVES_WITHIN_MS = 20

/**
 * Skips waits. They end in order, each once the proxy has answered everything and the previous wait's requests have
 * arrived: requests reach a limited node as far apart as they left. `skip` advances the related clock.
 */
export function steppedTimer(traffic: Pick<RpcProxy, 'requests' | 'pending'>, skip: (ms: number) => void): Timer {
  const waits: { at: number; end: () => void }[] = []
  let skipped = 0
  const now = () => performance.now() + skipped
  let isStepping = false

  async function step(): Promise<void> {
    while (waits.length > 0) {
      do await realTime(1)
      while (traffic.pending() > 0)
      const [next] = waits.sort((a, b) => a.at - b.at).splice(0, 1)
      const ms = Math.max(0, (next?.at ?? 0) - now())
      skipped += ms
      skip(ms)
      const seen = traffic.requests()
      next?.end()
      for (let i = 0; i < ARRIVES_WITHIN_MS && traffic.requests() === seen; i += 1) await realTime(1)
    }
  }

  return {
    now,
    wait: (ms) =>
      new Promise((resolve) => {
        waits.push({ at: now() + ms, end: resolve })
        if (isStepping) return
        isStepping = true
        void step().finally(() => {
          isStepping = false
        })
      }),
  }
}
