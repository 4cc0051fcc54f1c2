import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { StartupError } from '../lib/startup-error.ts'
import { type ServerHost, spawnSettings } from './embedded-postgres-host.ts'
import { readText } from './embedded-postgres-process.ts'

export const CLUSTER_USER = 'coffer'

/** Keeps the file whole or absent by a rename. Requires the data folder's lock. */
export function keepPassword(dataDir: string, of: 'superuser' | 'service'): string {
  const file = join(dataDir, of === 'superuser' ? 'postgres.password' : 'postgres.service.password')
  if (!existsSync(file)) {
    writeFileSync(`${file}.new`, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600 })
    renameSync(`${file}.new`, file)
  }
  return readFileSync(file, 'utf8').trim()
}

export function hasCluster(dataDir: string): boolean {
  return existsSync(join(dataDir, 'postgres.password'))
}

/** Renames a finished cluster into place. Requires the data folder's lock. Without `durable` nothing is flushed. */
export async function ensureCluster(
  host: ServerHost,
  majorVersion: string,
  { password, durable, log }: { password: string; durable: boolean; log: (message: string) => void },
): Promise<string> {
  const cluster = join(host.home, 'postgres')
  removeUnfinished(host.home)
  if (!existsSync(join(cluster, 'PG_VERSION'))) {
    const workshop = join(host.home, `postgres.init-${process.pid}`)
    try {
      await initialise(host, workshop, password, durable)
      renameSync(join(workshop, 'cluster'), cluster)
      log(`created a PostgreSQL cluster in ${cluster}`)
    } finally {
      rmSync(workshop, { recursive: true, force: true })
    }
  }
  const version = readText(join(cluster, 'PG_VERSION'))?.trim()
  if (version !== undefined && version !== majorVersion) {
    throw new StartupError(
      `The data in ${cluster} was written by PostgreSQL ${version}, and this Coffer comes with ${majorVersion}: dump it with the Coffer that wrote it, or set DATABASE_URL to a PostgreSQL ${version}.`,
    )
  }
  return cluster
}

async function initialise(host: ServerHost, workshop: string, password: string, durable: boolean): Promise<void> {
  const passwordFile = join(workshop, 'password')
  rmSync(workshop, { recursive: true, force: true })
  mkdirSync(workshop, { mode: 0o700 })
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 })
  if (host.user) for (const path of [passwordFile, workshop]) chownSync(path, host.user.uid, host.user.gid)
  const [command = '', ...args] = [
    ...host.prefix,
    join(host.programs, 'initdb'),
    `--pgdata=${join(workshop, 'cluster')}`,
    `--username=${CLUSTER_USER}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    // Sorts by code point, equally on every machine.
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--data-checksums',
    ...(durable ? [] : ['--no-sync']),
  ]
  try {
    await promisify(execFile)(command, args, { ...spawnSettings(host), encoding: 'utf8' })
  } catch (cause) {
    const said = String((cause as { stderr?: string }).stderr ?? '').trim()
    throw new StartupError(
      `PostgreSQL could not make its data folder in ${host.home}: ${causeIn(said) || (cause as Error).message}`,
      { cause },
    )
  }
}

/** Removes leftovers of killed processes, whose children may still write. */
function removeUnfinished(home: string): void {
  for (const name of readdirSync(home)) {
    if (!/^(?:postgres[.]init|programs-\w+[.]copy)-\d+$/.test(name)) continue
    rmSync(join(home, name), { recursive: true, force: true, maxRetries: 5 })
  }
}

function causeIn(said: string): string | undefined {
  const lines = said.split('\n').map((line) => line.trim())
  const cause = lines.find((line) => /FATAL|PANIC|error:|could not/.test(line)) ?? lines.at(-1)
  return cause?.replace(/^.*?(FATAL|PANIC|error):\s*/, '')
}
