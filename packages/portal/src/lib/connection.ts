import { useSyncExternalStore } from 'react'

/** Reason why reads wait: an outage, or a rate limit until a moment (ms since 1970). */
export type Pause = { reason: 'outage' } | { reason: 'rate-limit'; until: number }

const PROBE_MS = 2_000

let outage: Promise<boolean> | undefined
let limitedUntil = 0
let pause: Pause | undefined
const listeners = new Set<() => void>()

function update(): void {
  if (outage) pause = { reason: 'outage' }
  else pause = limitedUntil > Date.now() ? { reason: 'rate-limit', until: limitedUntil } : undefined
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const usePause = (): Pause | undefined => useSyncExternalStore(subscribe, () => pause)

/** Resolves when reads first wait. */
export const firstPause = new Promise<void>((resolve) => {
  const stop = subscribe(() => {
    stop()
    resolve()
  })
})

/** Fetches the current page; undefined during an outage. */
export async function probe(): Promise<string | undefined> {
  try {
    // biome-ignore lint/style/noRestrictedGlobals: the page is no answer of the portal's door.
    const response = await fetch('/', { cache: 'no-store' })
    return response.status < 500 ? await response.text() : undefined
  } catch {
    return undefined
  }
}

/** Resolves once a known outage is over. */
export const outageUnderWay = async (): Promise<unknown> => outage

/** Resolves to true once an outage is over, to false if the service answers at once. */
export async function outageOver(): Promise<boolean> {
  if (outage) return outage
  if ((await probe()) !== undefined) return false
  outage ??= answersAgain()
  update()
  return outage
}

async function answersAgain(): Promise<boolean> {
  do await later(PROBE_MS)
  while ((await probe()) === undefined)
  outage = undefined
  update()
  return true
}

export async function rateLimitOver(seconds: number): Promise<void> {
  limitedUntil = Math.max(limitedUntil, Date.now() + seconds * 1_000)
  update()
  await later(seconds * 1_000)
  update()
}

const later = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
