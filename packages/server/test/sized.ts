import { inject, test } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    /** Whether this is `npm run test:deep`. */
    deep: boolean
  }
}

/** How much a test does: `small` in `npm test`, `deep` in `npm run test:deep`. */
export function sized<T>({ small, deep }: { small: T; deep: T }): T {
  return inject('deep') ? deep : small
}

/** A test of `npm run test:deep` alone: in `npm test` a cheaper one holds what it says, and this one is not listed. */
export function deepTest(name: string, run: () => Promise<void>): void {
  if (inject('deep')) test(name, run)
}
