import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { publishedFiles } from '../../scripts/published-files.ts'

const root = new URL('../../', import.meta.url)

describe('generated files (renew with `npm run generate --workspace @coffer/server`)', () => {
  let files: ReadonlyMap<string, string>

  beforeAll(() => {
    files = publishedFiles()
  })

  it('say what the packages, rows and schemas they come from say today', () => {
    for (const [path, text] of files) expect(readFileSync(new URL(path, root), 'utf8'), path).toBe(text)
  })

  it('are all that is in assets', () => {
    const entries = readdirSync(new URL('assets/', root), { recursive: true, withFileTypes: true })
    const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
    const expected = [...files.keys()].filter((path) => path.startsWith('assets/'))
    expect(paths.map((path) => relative(root.pathname, path)).sort()).toEqual(expected.sort())
  })
})
