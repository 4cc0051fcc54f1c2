import { ensureState } from '@coffer/devnet'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** `startDevnet({ state: inject('devnetState') })` starts a copy in under a second. */
    devnetState: string
  }
}

/** Reuses chains of an earlier run. */
export default async (project: TestProject): Promise<void> => {
  project.provide('devnetState', await ensureState())
}
