import { existsSync, readFileSync } from 'node:fs'

const folder = new URL('../../assets/', import.meta.url)

export function readAsset(path: string): string {
  return readFileSync(new URL(path, folder), 'utf8')
}

/** `path` must never be a client's text. */
export function findAsset(path: string): string | undefined {
  const file = new URL(path, folder)
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined
}
