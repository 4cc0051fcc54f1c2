import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { vi } from 'vitest'
import { ensurePostgres } from '../src/db/embedded-postgres.ts'
import { chooseHost, spawnSettings, thisMachine } from '../src/db/embedded-postgres-host.ts'
import { findPostmaster } from '../src/db/embedded-postgres-process.ts'
import { findPrograms, linkedPrograms } from '../src/db/embedded-postgres-programs.ts'
import { clusterFolder } from './cluster-folder.ts'
import { HANGS_MS } from './hangs.ts'
import { freePort } from './pgbouncer.ts'

const newFolder = () => mkdtempSync(join(clusterFolder(), `coffer-test-${process.pid}-replica-`))
const silent = () => undefined

/** A primary and a standby that replays its write-ahead log by streaming replication. */
export async function startReplicatedPostgres() {
  const [dataDir, home] = [newFolder(), newFolder()]
  const first = await ensurePostgres({ dataDir, durable: false, log: silent })
  await first.release()
  // npm has no pg_basebackup: the copy of a stopped cluster is a base backup.
  const cluster = join(home, 'postgres')
  execFileSync('cp', ['-a', join(dataDir, 'postgres'), cluster])
  const primary = await ensurePostgres({ dataDir, durable: false, log: silent })
  writeFileSync(join(cluster, 'standby.signal'), '')
  appendFileSync(join(cluster, 'postgresql.auto.conf'), `primary_conninfo = '${primary.adminUrl('')}'\n`)
  const port = String(await freePort())
  const atReplica = (url: string) => Object.assign(new URL(url), { port }).href
  let server = await start(home, cluster, port)

  return {
    url: () => primary.url(),
    adminUrl: (database: string) => primary.adminUrl(database),
    replicaUrl: () => atReplica(primary.url()),
    replicaAdminUrl: (database: string) => atReplica(primary.adminUrl(database)),
    async killReplica() {
      server.kill('SIGKILL')
      await once(server, 'exit')
    },
    async startReplica() {
      server = await start(home, cluster, port)
    },
    async stop() {
      if (server.exitCode === null && server.signalCode === null) {
        server.kill('SIGQUIT')
        await once(server, 'exit')
      }
      await primary.release()
      for (const folder of [dataDir, home]) rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function start(home: string, cluster: string, port: string) {
  const host = chooseHost(home, linkedPrograms(findPrograms(), home), thisMachine, silent)
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', `port=${port}`, 'max_connections=400']
  const options = [...settings, 'fsync=off', 'shared_buffers=16MB'].flatMap((setting) => ['-c', setting])
  const [command = '', ...args] = [...host.prefix, join(host.programs, 'postgres'), '-D', cluster, ...options]
  for (;;) {
    const child = spawn(command, args, { ...spawnSettings(host), stdio: 'ignore' })
    const isReady = () => findPostmaster(cluster)?.pid === child.pid && findPostmaster(cluster)?.ready === true
    const ended = () => child.exitCode !== null
    await vi.waitUntil(() => isReady() || ended(), { timeout: HANGS_MS, interval: 20 })
    // Processes of a killed server may still end.
    if (!ended()) return child
  }
}
