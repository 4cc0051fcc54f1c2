import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const builder = fileURLToPath(new URL('../../../../scripts/portal.mjs', import.meta.url))

let built: Promise<unknown> | undefined

/** Builds once per worker, unless up to date with the sources. */
export async function ensurePortal(): Promise<void> {
  built ??= promisify(execFile)(process.execPath, [builder])
  await built
}
