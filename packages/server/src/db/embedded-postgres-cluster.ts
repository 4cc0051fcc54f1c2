import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
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

/** Owns the database `coffer`, without other rights. */
export const SERVICE_ROLE = 'coffer_service'
const LOCK_WAIT = '30s'

/** Older folders and backups have objects of the superuser, which connects. Requires the data folder's lock. */
export async function giveToService(admin: pg.Client, options: { url: string; password: string }): Promise<void> {
  const { rows } = await admin.query<{ known: boolean; owner: string }>(
    `select exists (select from pg_roles where rolname = $1) as known, pg_get_userbyid(datdba) as owner
      from pg_database where datname = 'coffer'`,
    [SERVICE_ROLE],
  )
  const [state] = rows
  if (!state?.known) await admin.query(`create role ${SERVICE_ROLE}`)
  await admin.query(
    `alter role ${SERVICE_ROLE} login nosuperuser nocreatedb nocreaterole noreplication nobypassrls
      password ${pg.escapeLiteral(options.password)}`,
  )
  if (state?.owner !== SERVICE_ROLE) await admin.query(`alter database coffer owner to ${SERVICE_ROLE}`)
  const inside = new pg.Client({ connectionString: options.url, application_name: 'coffer in use' })
  await inside.connect()
  try {
    await inside.query(`set lock_timeout = '${LOCK_WAIT}'`)
    await inside.query(TAKE_OVER)
  } finally {
    await inside.end()
  }
}

/** Objects of the bootstrap superuser cannot be reassigned as a whole. All or none. */
const TAKE_OVER = `
do $$
declare
  service constant oid := '${SERVICE_ROLE}'::regrole;
  ours constant oid[] := array(select oid from pg_namespace
    where nspname !~ '^pg_' and nspname <> 'information_schema');
  statement text;
begin
  for statement in
    -- The owner of the database owns 'public' already.
    select format('alter schema %I owner to ${SERVICE_ROLE}', nspname) from pg_namespace
      where oid = any (ours) and nspowner not in (service, 'pg_database_owner'::regrole)
    union all
    -- Indexes, and sequences that belong to a column, follow their table.
    select format('alter %s %I.%I owner to ${SERVICE_ROLE}',
        case relkind when 'v' then 'view' when 'm' then 'materialized view' when 'S' then 'sequence'
          when 'f' then 'foreign table' when 'c' then 'type' else 'table' end,
        nspname, relname)
      from pg_class c join pg_namespace n on n.oid = relnamespace
      where n.oid = any (ours) and relowner <> service and relkind in ('r', 'p', 'v', 'm', 'S', 'f', 'c')
        and not exists (select from pg_depend where classid = 'pg_class'::regclass and objid = c.oid
          and (deptype = 'e' or relkind = 'S' and deptype in ('a', 'i') and refclassid = 'pg_class'::regclass))
    union all
    select format('alter routine %s owner to ${SERVICE_ROLE}', p.oid::regprocedure) from pg_proc p
      where pronamespace = any (ours) and proowner <> service
        and not exists (select from pg_depend where classid = 'pg_proc'::regclass and objid = p.oid and deptype in ('i', 'e'))
    union all
    -- Types of rows and arrays follow what they are of.
    select format('alter type %s owner to ${SERVICE_ROLE}', t.oid::regtype) from pg_type t
      where typnamespace = any (ours) and typowner <> service and typtype in ('e', 'd', 'r')
        and not exists (select from pg_depend where classid = 'pg_type'::regclass and objid = t.oid and deptype = 'e')
  loop
    execute statement;
  end loop;
end $$`
