import { existsSync, readFileSync } from 'node:fs'

const folder = new URL('../../assets/', import.meta.url)

/** Text of a file that ships with the server, by its path below `assets/`. Throws when it is not there. */
export function readAsset(path: string): string {
  return readFileSync(new URL(path, folder), 'utf8')
}

/** As `readAsset`, but a file that is not there is `undefined`. The path must be one of ours, never a client's text. */
export function findAsset(path: string): string | undefined {
  const file = new URL(path, folder)
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined
}
