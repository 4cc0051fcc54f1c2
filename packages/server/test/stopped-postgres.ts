import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ensurePostgres } from '../src/db/embedded-postgres.ts'
import { findPostmaster } from '../src/db/embedded-postgres-process.ts'
import { clusterFolder } from './cluster-folder.ts'

/** Own PostgreSQL of the test, for SIGSTOP, SIGCONT and SIGKILL. */
export async function startOwnPostgres() {
  const dataDir = mkdtempSync(join(clusterFolder(), `coffer-test-${process.pid}-own-`))
  const postgres = await ensurePostgres({ dataDir, durable: false, log: () => undefined })

  function processes(): number[] {
    const server = findPostmaster(join(dataDir, 'postgres'))?.pid
    if (server === undefined) return []
    const backends = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && parentOf(name) === server)
    return [server, ...backends.map(Number)]
  }

  const signalAll = (signal: NodeJS.Signals) => {
    for (const pid of processes()) process.kill(pid, signal)
  }

  return {
    url: () => postgres.url(),
    stop: () => signalAll('SIGSTOP'),
    goOn: () => signalAll('SIGCONT'),
    /** The embedded server restarts on another port. */
    kill: () => process.kill(processes()[0] ?? Number.NaN, 'SIGKILL'),
    async remove() {
      signalAll('SIGCONT')
      await postgres.release()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

function parentOf(pid: string): number | undefined {
  try {
    // State and parent follow the program's name, which may hold anything.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
  } catch {
    return undefined
  }
}
