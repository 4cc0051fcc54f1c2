import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import paths from '../recorded-paths.json' with { type: 'json' }

const source = join(import.meta.dirname, '../../src')

test('modules that recorded state is read with have moved to existing paths', () => {
  const moved = Object.entries(paths).map(([old, now]) => [old, typeof now === 'string' ? now : now.path] as const)
  expect(moved.filter(([old, now]) => existsSync(join(source, old)) || !existsSync(join(source, now)))).toEqual([])
  expect(moved.length).toBeGreaterThan(0)
})
