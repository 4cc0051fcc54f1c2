import { ensureState } from '@coffer/devnet'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** The built local chains: `startDevnet({ state: inject('devnetState') })` starts a copy of its own in under a second. */
    devnetState: string
  }
}

/** Builds the local chains once, before any test of the project, unless an earlier run has left them. */
export default async (project: TestProject): Promise<void> => {
  project.provide('devnetState', await ensureState())
}
