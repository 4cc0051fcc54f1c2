// Renews `assets/`, what others publish and Coffer ships: chains from viem, tokens from published lists, icons.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { gatherAssets } from './gather-assets.ts'

const folder = new URL('../assets/', import.meta.url)

rmSync(folder, { recursive: true, force: true })
for (const [path, text] of await gatherAssets()) {
  const file = new URL(path, folder)
  mkdirSync(dirname(file.pathname), { recursive: true })
  writeFileSync(file, text)
}
