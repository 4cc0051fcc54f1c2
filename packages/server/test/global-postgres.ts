import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { ensurePostgres } from '../src/db/embedded-postgres.ts'
import { findPostmaster, isRunning, postmasterState } from '../src/db/embedded-postgres-process.ts'
import { migrate } from '../src/db/migrate.ts'
import { createJobs } from '../src/jobs/queue.ts'
import { createLogger } from '../src/lib/logger.ts'
import { clusterFolder } from './cluster-folder.ts'
import { startPgBouncer } from './pgbouncer.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** URL of the superuser, and the migrated database to copy. */
    postgres: { adminUrl: string; template: string; workerUrls: readonly string[] }
    /** Of a pooler between services and databases: the program that `COFFER_TEST_PGBOUNCER` names. */
    poolerPort: number | undefined
  }
}

const FOLDER = /^coffer-test-(\d+)-/
/**
 * One throwaway cluster per run, without fsync, or the server of `COFFER_TEST_POSTGRES`, a superuser's URL. It is the
 * coordinator of `COFFER_TEST_CITUS_WORKERS`, URLs with commas between.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = clusterFolder()
  removeAbandoned(folder)
  const dataDir = mkdtempSync(join(folder, `coffer-test-${process.pid}-`))
  const running = process.env['COFFER_TEST_POSTGRES']
  const postgres = running ? serverAt(running) : await ensurePostgres({ dataDir, durable: false, log: () => undefined })
  const template = 'coffer_template'
  const adminUrl = postgres.adminUrl('postgres')
  const workerUrls = process.env['COFFER_TEST_CITUS_WORKERS']?.split(',') ?? []
  const isDistributed = workerUrls.length > 0
  for (const url of [adminUrl, ...workerUrls]) {
    await queryAt(url, `drop database if exists ${template} with (force)`, `create database ${template}`)
    if (isDistributed) await queryAt(at(url, template), 'create extension citus')
  }
  if (isDistributed) await queryAt(at(adminUrl, template), ...addingNodes(adminUrl, workerUrls))
  await migrate({ connection: postgres.adminUrl(template), log: () => undefined, isDistributed })
  const jobs = createJobs({
    connection: postgres.adminUrl(template),
    log: createLogger({ level: 'silent' }),
    works: false,
  })
  await jobs.start([])
  await jobs.stop()
  if (isDistributed) {
    // The daemons of Citus would keep it from being copied.
    for (const url of [adminUrl, ...workerUrls]) {
      await queryAt(
        url,
        `alter database ${template} with allow_connections false`,
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${template}'`,
      )
    }
  }
  project.provide('postgres', { adminUrl, template, workerUrls })
  const program = process.env['COFFER_TEST_PGBOUNCER']
  const pooler = program ? await startPgBouncer(program, { folder: dataDir, server: new URL(adminUrl) }) : undefined
  project.provide('poolerPort', pooler?.port)
  return async () => {
    pooler?.stop()
    await postgres.release()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

const at = (url: string, database: string) => Object.assign(new URL(url), { pathname: `/${database}` }).href

async function queryAt(url: string, ...statements: readonly string[]): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  for (const statement of statements) await client.query(statement)
  await client.end()
}

function addingNodes(coordinator: string, workers: readonly string[]): string[] {
  const place = (url: string) => `'${new URL(url).hostname}', ${new URL(url).port}`
  return [
    `select citus_set_coordinator_host(${place(coordinator)})`,
    ...workers.map((url) => `select citus_add_node(${place(url)})`),
    // Eight shards show what two workers do; a test need not wait for more.
    "do $$ begin execute format('alter database %I set citus.shard_count = 8', current_database()); end $$",
  ]
}

function serverAt(url: string) {
  return {
    adminUrl: (database: string) => at(url, database),
    release: async () => undefined,
  }
}

/** Removes clusters of killed runs. */
function removeAbandoned(folder: string): void {
  for (const name of readdirSync(folder)) {
    const pid = Number(FOLDER.exec(name)?.[1] ?? 0)
    if (pid === 0 || isRunning(pid)) continue
    const cluster = join(folder, name, 'postgres')
    const postmaster = findPostmaster(cluster)
    // SIGQUIT: at once, without a checkpoint.
    if (postmaster && postmasterState(postmaster.pid, cluster) === 'alive') process.kill(postmaster.pid, 'SIGQUIT')
    rmSync(join(folder, name), { recursive: true, force: true, maxRetries: 5 })
  }
}
