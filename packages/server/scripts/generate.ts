// Regenerates `assets/` (published data that Coffer ships: chains, tokens, icons), the configuration file's schema and
// `docs/labels.md`.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { publishedFiles } from './published-files.ts'

const root = new URL('../', import.meta.url)
const files = publishedFiles()

rmSync(new URL('assets/', root), { recursive: true, force: true })
for (const [path, text] of files) {
  const file = new URL(path, root)
  mkdirSync(dirname(file.pathname), { recursive: true })
  writeFileSync(file, text)
}
