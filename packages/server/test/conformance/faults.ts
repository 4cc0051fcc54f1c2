import type { Endpoint } from '@coffer/contract'
import type { Handlers } from '../../src/http/mount.ts'

/** What the work of the next requests does instead of what it should: it waits for this, and fails if this fails. */
export type Faults = { beforeWork: (() => Promise<void>) | undefined }

type AnyHandler = ((request: object) => unknown) | { handle(request: object): unknown }

/** The same handlers, with a switch before their work; while it is on, no answer comes from memory. */
export function withFaults<T extends Readonly<Record<string, Endpoint>>>(
  handlers: Handlers<T>,
  faults: Faults,
): Handlers<T> {
  const wrapped = Object.entries(handlers as Record<string, AnyHandler>).map(([name, handler]) => {
    const steps = typeof handler === 'function' ? { handle: handler } : handler
    const { fresh } = steps as { fresh?: (request: object) => unknown }
    return [
      name,
      {
        ...steps,
        ...(fresh && { fresh: (request: object) => (faults.beforeWork ? undefined : fresh(request)) }),
        async handle(request: object) {
          await faults.beforeWork?.()
          return steps.handle(request)
        },
      },
    ]
  })
  return Object.fromEntries(wrapped) as Handlers<T>
}
