import { createHash } from 'node:crypto'
import { inject } from 'vitest'
import { type Random, randomOf } from './random-of.ts'
import { sized } from './sized.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** COFFER_TEST_SEED. */
    seed: number | null
  }
}

/** Prints the seed that it takes. */
export function seededRandom(name: string): Random {
  const seed = seedOf(name)
  console.info(`${name}: seed ${seed}`)
  return randomOf(seed)
}

/**
 * In `npm test` the same for a name every time, so that the same code has the same result; `test:deep` draws one.
 * COFFER_TEST_SEED brings a printed one back.
 */
export function seedOf(name: string): number {
  const given = inject('seed')
  if (given !== null) return given
  const fixed = createHash('sha256').update(name).digest().readUInt32BE() % 2 ** 31
  return sized({ small: fixed, deep: Date.now() % 2 ** 31 })
}
