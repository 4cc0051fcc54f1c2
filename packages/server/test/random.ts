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

/** Prints its seed. */
export function seededRandom(name: string): Random {
  const seed = seedOf(name)
  console.info(`${name}: seed ${seed}`)
  return randomOf(seed)
}

/**
 * Fixed per name in `npm test`, which makes it repeatable; random in `test:deep`. COFFER_TEST_SEED repeats a printed
 * one.
 */
export function seedOf(name: string): number {
  const given = inject('seed')
  if (given !== null) return given
  const fixed = createHash('sha256').update(name).digest().readUInt32BE() % 2 ** 31
  return sized({ small: fixed, deep: Date.now() % 2 ** 31 })
}
