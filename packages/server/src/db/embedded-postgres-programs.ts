import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, cpSync, existsSync, readFileSync, renameSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { StartupError } from '../lib/startup-error.ts'
import { readText } from './embedded-postgres-process.ts'

export type Programs = {
  root: string
  majorVersion: string
}

export function findPrograms(): Programs {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  try {
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres')
    const root = dirname(dirname(createRequire(wrapper).resolve(`@embedded-postgres/${platform}`)))
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
    return { root, majorVersion: version.split('.')[0] ?? '' }
  } catch (cause) {
    throw new StartupError(
      `No PostgreSQL comes with Coffer for ${platform}: set DATABASE_URL to your own PostgreSQL.`,
      { cause },
    )
  }
}

/** Throws `StartupError` with the system's reason. Requires the data folder's lock. */
export function preparePrograms(shipped: Programs, dataDir: string): string {
  const programs = linkedPrograms(shipped, dataDir)
  const problem = problemOf(join(programs, 'initdb'))
  if (problem === undefined) return programs
  throw new StartupError(
    `The PostgreSQL that comes with Coffer does not run here (${problem}): install the packages of Coffer again, or set DATABASE_URL to your own PostgreSQL.`,
  )
}

/** Falls back to a copy in `dataDir`. */
export function linkedPrograms({ root }: Programs, dataDir: string): string {
  const native = join(root, 'native')
  return join(linkLibraries(root, native) ? native : copyPrograms(native, dataDir), 'bin')
}

/** Creates links that packages cannot hold: neither pnpm nor npm 12 runs the install script. */
function linkLibraries(root: string, folder: string): boolean {
  const links = JSON.parse(readText(join(root, 'native/pg-symlinks.json')) ?? '[]') as {
    source: string
    target: string
  }[]
  try {
    for (const { source, target } of links) {
      const link = join(folder, target.replace(/^native\//, ''))
      if (!existsSync(link)) makeLink(basename(source), link)
    }
    return true
  } catch {
    return false
  }
}

function makeLink(target: string, link: string): void {
  try {
    symlinkSync(target, link)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

export function copyPrograms(native: string, home: string, finish: (copy: string) => void = () => undefined): string {
  const root = dirname(native)
  const identity = `${native} ${readText(join(root, 'package.json'))}`
  const copy = join(home, `programs-${createHash('sha256').update(identity).digest('hex').slice(0, 12)}`)
  if (existsSync(copy)) return copy
  const unfinished = `${copy}.copy-${process.pid}`
  cpSync(native, unfinished, { recursive: true, verbatimSymlinks: true })
  // The package store may be read-only.
  chmodSync(join(unfinished, 'lib'), 0o755)
  linkLibraries(root, unfinished)
  finish(unfinished)
  renameSync(unfinished, copy)
  return copy
}

function problemOf(program: string): string | undefined {
  const { status, stderr, error } = spawnSync(program, ['--version'], { encoding: 'utf8' })
  if (status === 0) return undefined
  return error?.message ?? (stderr.trim().split('\n')[0] || 'it gave no reason')
}
