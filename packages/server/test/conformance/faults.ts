import type { Endpoint } from '@coffer/contract'
import type { Handlers } from '../../src/http/mount.ts'

/** Work waits for `beforeWork` and fails with it. */
export type Faults = { beforeWork: (() => Promise<void>) | undefined }

type Work = (request: object) => unknown
type AnyHandler = Work | { handle: Work; fresh?: Work } | { transact: Work }

/** With the fault on, no answer comes from memory. */
export function withFaults<T extends Readonly<Record<string, Endpoint>>>(
  handlers: Handlers<T>,
  faults: Faults,
): Handlers<T> {
  const wrapped = Object.entries(handlers as Record<string, AnyHandler>).map(([name, handler]) => {
    const spoilt = (work: Work) => async (request: object) => {
      await faults.beforeWork?.()
      return work(request)
    }
    if (typeof handler === 'function') return [name, spoilt(handler)]
    if ('transact' in handler) return [name, { transact: spoilt(handler.transact) }]
    const { handle, fresh, ...steps } = handler
    const unlessSpoilt = fresh && ((request: object) => (faults.beforeWork ? undefined : fresh(request)))
    return [name, { ...steps, ...(unlessSpoilt && { fresh: unlessSpoilt }), handle: spoilt(handle) }]
  })
  return Object.fromEntries(wrapped) as Handlers<T>
}
