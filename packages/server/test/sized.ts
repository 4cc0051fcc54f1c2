import { inject, test } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    /** True in `npm run test:deep`. */
    deep: boolean
  }
}

export function sized<T>({ small, deep }: { small: T; deep: T }): T {
  return inject('deep') ? deep : small
}

/** Not in `npm test`, where a cheaper test covers its claim. */
export function deepTest(name: string, run: () => void | Promise<void>): void {
  if (inject('deep')) test(name, run)
}
