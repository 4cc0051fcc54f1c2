import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'

const builder = join(import.meta.dirname, '../../../../scripts/portal.mjs')
/** Variables that must not affect the build. */
const OTHER_ENV = { NODE_ENV: 'test', TZ: 'Pacific/Auckland', LANG: 'de_DE.UTF-8' }

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'coffer-builds-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

/** Every file of a portal build by its path, in hexadecimal digits. */
function build(name: string, env: Record<string, string>): Map<string, string> {
  const into = join(folder, name)
  execFileSync(process.execPath, [builder, into], { cwd: folder, env: { PATH: '/usr/bin:/bin', ...env } })
  const files = readdirSync(into, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = files.map((entry) => join(entry.parentPath, entry.name)).sort()
  return new Map(paths.map((path) => [path.slice(into.length), readFileSync(path, 'hex')]))
}

test('two builds of the portal are equal to the byte, and all files but the page are named by their content', () => {
  const first = build('first', {})
  expect([...first.keys()]).toContain('/index.html')
  expect([...first.keys()].filter((path) => !/^\/assets\/[\w.-]+-[\w-]{8}\.\w+$/.test(path))).toEqual([
    '/index.html',
    '/licenses.md',
  ])
  expect(build('second', OTHER_ENV)).toEqual(first)
})
