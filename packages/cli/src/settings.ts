import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Host } from './host.ts'
import { EXIT, Problem, usageProblem } from './problem.ts'

export type Settings = { url: string; apiKey: string }

type Env = Host['env']

const OWNER_ALONE = 0o600
const OWNER_ALONE_FOLDER = 0o700
const OTHERS = 0o077

/** File of `login`: `coffer/config.json` in the folder of the XDG Base Directory Specification. */
function settingsFile({ XDG_CONFIG_HOME: folder, HOME = homedir() }: Env): string {
  // The specification says to ignore relative paths.
  return join(folder?.startsWith('/') ? folder : join(HOME, '.config'), 'coffer', 'config.json')
}

/** Returns the stored form of the URL: origin and path. */
export function parseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw usageProblem('The URL of a Coffer service begins with http:// or https://, e.g. http://127.0.0.1:8080.')
  }
  if (url.username !== '' || url.password !== '') throw usageProblem('The URL must not contain a user or a password.')
  return (url.origin + url.pathname).replace(/\/+$/, '')
}

/** Prefers the environment over what `login` stored. Never sends a stored key to another URL. */
export function readSettings(env: Env): Settings {
  const { COFFER_URL, COFFER_API_KEY } = env
  const stored = COFFER_URL && COFFER_API_KEY ? undefined : readStored(settingsFile(env))
  const url = COFFER_URL ? parseUrl(COFFER_URL) : stored?.url
  if (url === undefined)
    throw new Problem('No service is configured. Run "coffer login URL", or set COFFER_URL.', EXIT.refused)
  const apiKey = COFFER_API_KEY || (stored?.url === url ? stored.apiKey : undefined)
  if (apiKey === undefined) {
    throw new Problem(`No key is stored for ${url}. Run "coffer login ${url}", or set COFFER_API_KEY.`, EXIT.refused)
  }
  return { url, apiKey }
}

function readStored(file: string): Settings | undefined {
  let text: string
  try {
    if ((statSync(file).mode & OTHERS) !== 0) {
      throw new Problem(`Other users can read ${file}, which contains a key. Run "chmod 600 ${file}".`, EXIT.refused)
    }
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  const stored = parseStored(text)
  if (!stored)
    throw new Problem(
      `"coffer login" did not write ${file}, or the file is damaged. Run "coffer login" again.`,
      EXIT.refused,
    )
  return stored
}

function parseStored(text: string): Settings | undefined {
  try {
    const { url, apiKey } = Object(JSON.parse(text)) as Record<string, unknown>
    return typeof url === 'string' && typeof apiKey === 'string' ? { url: parseUrl(url), apiKey } : undefined
  } catch {
    return undefined
  }
}

/**
 * Writes a file that only its owner can read, from the first byte on. Renames it, so that readers see it whole. Returns
 * its path.
 */
export function storeSettings(env: Env, settings: Settings): string {
  const file = settingsFile(env)
  const next = `${file}.${process.pid}`
  mkdirSync(dirname(file), { recursive: true, mode: OWNER_ALONE_FOLDER })
  rmSync(next, { force: true })
  writeFileSync(next, `${JSON.stringify(settings)}\n`, { mode: OWNER_ALONE, flag: 'wx' })
  renameSync(next, file)
  return file
}

export function forgetSettings(env: Env): string {
  const file = settingsFile(env)
  rmSync(file, { force: true })
  return file
}
