import { readFileSync } from 'node:fs'

const folder = new URL('../../assets/', import.meta.url)

/** Text of a file that ships with the server, by its path below `assets/`. Throws when it is not there. */
export function readAsset(path: string): string {
  return readFileSync(new URL(path, folder), 'utf8')
}
