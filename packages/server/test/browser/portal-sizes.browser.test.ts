import { readdirSync, readFileSync, statSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { beforeAll, expect, test } from 'vitest'
import { ensurePortal } from './built-portal.ts'

// Bytes loaded before the first display, and for each screen. Bounds of docs/portal.md, after gzip.

const DIST = new URL('../../../portal/dist/', import.meta.url)
const ENTRY_MAX = 125_000
const STYLES_MAX = 15_000
const SCREEN_MAX = 95_000
const ALL_MAX = 1_500_000

beforeAll(ensurePortal)

const read = (path: string) => readFileSync(new URL(path.replace(/^\//, ''), DIST))
const gzipped = (paths: Iterable<string>) =>
  [...paths].reduce((sum, path) => sum + gzipSync(read(path), { level: 9 }).length, 0)

/** A script with all of its static imports. */
function withImports(path: string, seen = new Set<string>()): Set<string> {
  if (seen.has(path)) return seen
  seen.add(path)
  const source = read(path).toString()
  for (const [, name] of source.matchAll(/(?:from|import)\s*["']\.\/([\w.-]+\.js)["']/g))
    withImports(`assets/${name}`, seen)
  return seen
}

function entry() {
  const page = read('index.html').toString()
  const named = (pattern: RegExp) => [...page.matchAll(pattern)].map(([, path = '']) => path.replace(/^\//, ''))
  const scripts = named(/(?:src|href)="(\/assets\/[\w.-]+\.js)"/g)
  return {
    scripts: new Set(scripts.flatMap((path) => [...withImports(path)])),
    styles: named(/href="(\/assets\/[\w.-]+\.css)"/g),
  }
}

test('the entry is small', () => {
  const { scripts, styles } = entry()
  expect(scripts.size).toBeGreaterThan(0)
  expect(gzipped(scripts)).toBeLessThanOrEqual(ENTRY_MAX)
  expect(gzipped(styles)).toBeLessThanOrEqual(STYLES_MAX)
})

test('so is what each screen adds, and the whole', () => {
  const { scripts } = entry()
  const assets = readdirSync(new URL('assets/', DIST))
  const screens = assets.filter((name) => /-screen-[\w-]+\.js$/.test(name))
  expect(screens.length).toBeGreaterThan(3)
  const tooLarge = screens.filter(
    (name) => gzipped([...withImports(`assets/${name}`)].filter((path) => !scripts.has(path))) > SCREEN_MAX,
  )
  expect(tooLarge).toEqual([])
  expect(assets.reduce((sum, name) => sum + statSync(new URL(`assets/${name}`, DIST)).size, 0)).toBeLessThanOrEqual(
    ALL_MAX,
  )
})
