import { createHash, randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { chmod, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import pg from 'pg'
import { z } from 'zod'
import { StartupError } from '../../lib/startup-error.ts'
import { type Programs, runProgram } from './programs.ts'
import { differences, type TableSums, tableSums } from './table-sums.ts'

const NAME = /^coffer-\d{8}T\d{6}Z\.json$/
const INSUFFICIENT_PRIVILEGE = '42501'

const manifest = z.object({
  createdAt: z.string(),
  server: z.string(),
  bytes: z.number(),
  sha256: z.string(),
  tables: z.record(z.string(), z.object({ rows: z.string(), checksum: z.string() })),
})

type Stored = { folder: string; programs: Programs }

/** A dump counts once its description exists. Keeps the newest `keep`. */
export async function createBackup({
  folder,
  programs,
  url,
  keep,
  now,
}: Stored & { url: string; keep: number; now: Date }) {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const name = `coffer-${now.toISOString().replaceAll(/[-:]|\.\d+/g, '')}`
  const dump = join(folder, `${name}.dump`)
  const { server, tables } = await dumpAtSnapshot({ url, programs, dump })
  const { size: bytes } = await stat(dump)
  const description = { createdAt: now.toISOString(), server, bytes, sha256: await sha256Of(dump), tables }
  const unfinished = join(folder, `${name}.json.part`)
  await writeFile(unfinished, `${JSON.stringify(description, null, 2)}\n`, { mode: 0o600 })
  await rename(unfinished, join(folder, `${name}.json`))
  const removed = (await backupsIn(folder)).slice(0, -keep)
  for (const old of removed) {
    await rm(join(folder, `${old}.json`))
    await rm(join(folder, `${old}.dump`), { force: true })
  }
  return { file: dump, bytes, ...totalsOf(tables), removed }
}

/** Sums and dump see the same rows. */
async function dumpAtSnapshot({ url, programs, dump }: { url: string; programs: Programs; dump: string }) {
  return connected(url, async (client) => {
    await client.query('begin isolation level repeatable read read only')
    for (const limit of ['statement_timeout', 'idle_in_transaction_session_timeout']) {
      await client.query(`set local ${limit} = 0`)
    }
    const { rows } = await client.query<{ snapshot: string; server: string }>(
      `select pg_export_snapshot() as snapshot, current_setting('server_version') as server`,
    )
    const [{ snapshot, server } = { snapshot: '', server: '' }] = rows
    await writeFile(dump, '', { mode: 0o600, flag: 'wx' })
    try {
      await runProgram(programs, 'pg_dump', url, ['--format=custom', `--snapshot=${snapshot}`, `--file=${dump}`])
    } catch (error) {
      await rm(dump)
      throw error
    }
    await chmod(dump, 0o600)
    return { server, tables: await tableSums(client) }
  })
}

/** Restores the newest backup, or the one of `name`, into a database of its own, compares it, and drops the database. */
export async function verifyBackup({
  folder,
  programs,
  serverUrl,
  name,
}: Stored & { serverUrl: string; name?: string | undefined }) {
  const names = await backupsIn(folder)
  const chosen = name === undefined ? names.at(-1) : names.find((each) => each === name)
  if (chosen === undefined) throw new StartupError(`There is no backup ${name ?? ''} in ${folder}.`.replace('  ', ' '))
  const dump = join(folder, `${chosen}.dump`)
  const { createdAt, sha256, tables } = manifest.parse(
    JSON.parse(await readFile(join(folder, `${chosen}.json`), 'utf8')),
  )
  if ((await sha256Of(dump)) !== sha256) return { file: dump, createdAt, differences: ['the file has other contents'] }
  const found = await inScratchDatabase(serverUrl, async (url) => {
    await runProgram(programs, 'pg_restore', url, ['--exit-on-error', '--no-owner', '--no-privileges', dump])
    return connected(url, async (client) => {
      await client.query('begin isolation level repeatable read read only')
      await client.query('set local statement_timeout = 0')
      return { tables: await tableSums(client), violations: await ledgerViolations(client) }
    })
  })
  const violations = found.violations === 0 ? [] : [`the ledger violates ${found.violations} rules`]
  return {
    file: dump,
    createdAt,
    ...totalsOf(tables),
    differences: [...differences(tables, found.tables), ...violations],
  }
}

async function ledgerViolations(client: pg.Client): Promise<number> {
  const { rows } = await client.query(`select to_regclass('public.credit_violation') as view`)
  if (rows[0]?.view === null) return 0
  return (await client.query('select from public.credit_violation')).rowCount ?? 0
}

async function inScratchDatabase<T>(serverUrl: string, work: (url: string) => Promise<T>): Promise<T> {
  const scratch = `coffer_verify_${randomBytes(6).toString('hex')}`
  const url = new URL(serverUrl)
  url.pathname = `/${scratch}`
  await connected(serverUrl, (client) => client.query(`create database ${scratch} template template0`)).catch(
    refuseRole,
  )
  try {
    return await work(url.href)
  } finally {
    await connected(serverUrl, (client) => client.query(`drop database ${scratch} with (force)`))
  }
}

function refuseRole(error: unknown): never {
  if ((error as { code?: string }).code !== INSUFFICIENT_PRIVILEGE) throw error
  throw new StartupError(
    'The role may not create databases: "alter role … createdb", or name another server with --server.',
  )
}

async function connected<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, application_name: 'coffer backup' })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Oldest first. None in a missing folder. */
async function backupsIn(folder: string): Promise<string[]> {
  const files = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw new StartupError(`The folder ${folder} cannot be read: ${error.code}.`, { cause: error })
  })
  return files
    .filter((file) => NAME.test(file))
    .map((file) => file.replace('.json', ''))
    .sort()
}

async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}

const totalsOf = (tables: TableSums) => ({
  tables: Object.keys(tables).length,
  rows: Object.values(tables)
    .reduce((sum, { rows }) => sum + BigInt(rows), 0n)
    .toString(),
})
