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
    postgres: { adminUrl: string; template: string }
    /** Of a pooler between services and databases: the program that `COFFER_TEST_PGBOUNCER` names. */
    poolerPort: number | undefined
  }
}

const FOLDER = /^coffer-test-(\d+)-/
/** One throwaway cluster per run, without fsync, or the server of `COFFER_TEST_POSTGRES`, a superuser's URL. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = clusterFolder()
  removeAbandoned(folder)
  const dataDir = mkdtempSync(join(folder, `coffer-test-${process.pid}-`))
  const running = process.env['COFFER_TEST_POSTGRES']
  const postgres = running ? serverAt(running) : await ensurePostgres({ dataDir, durable: false, log: () => undefined })
  const template = 'coffer_template'
  const adminUrl = postgres.adminUrl('postgres')
  const admin = new pg.Client(adminUrl)
  await admin.connect()
  await admin.query(`drop database if exists ${template}`)
  await admin.query(`create database ${template}`)
  await admin.end()
  await migrate({ connection: postgres.adminUrl(template), log: () => undefined })
  const jobs = createJobs({
    connection: postgres.adminUrl(template),
    log: createLogger({ level: 'silent' }),
    works: false,
  })
  await jobs.start([])
  await jobs.stop()
  project.provide('postgres', { adminUrl, template })
  const program = process.env['COFFER_TEST_PGBOUNCER']
  const pooler = program ? await startPgBouncer(program, { folder: dataDir, server: new URL(adminUrl) }) : undefined
  project.provide('poolerPort', pooler?.port)
  return async () => {
    pooler?.stop()
    await postgres.release()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

function serverAt(url: string) {
  return {
    adminUrl: (database: string) => Object.assign(new URL(url), { pathname: `/${database}` }).href,
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
