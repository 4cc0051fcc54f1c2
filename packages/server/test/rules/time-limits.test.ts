import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

// A wait of few seconds fails on a busy machine: limits must be vitest's own, or HANGS_MS.

const root = join(import.meta.dirname, '../../../..')
/** An hour is the limit of deep sizes. */
const LIMIT = /\b((test|hook)?[tT]imeout: ?|\}, )(?!3_600_000)[0-9_]{6,}\b/g

it('gives no wait a limit in seconds', () => {
  const files = globSync('packages/server/{src,test}/**/*.test.ts', { cwd: root })
  expect(files.length).toBeGreaterThan(300)
  const found = files.flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8')
    const waitsShortly = /\bvi\s*\.wait(For|Until)\(/.test(text) && !text.includes('HANGS_MS') ? ['vi.wait…'] : []
    return [...(text.match(LIMIT) ?? []), ...waitsShortly].map((limit) => `${file}: ${limit}`)
  })
  expect(found).toEqual([])
})
