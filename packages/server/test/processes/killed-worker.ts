import { readFileSync } from 'node:fs'
import pg from 'pg'
import { openParts } from '../../src/bin/parts.ts'
import { readConfig } from '../../src/config/config.ts'
import { processEnv } from '../../src/config/env.ts'
import { openDatabase } from '../../src/db/database.ts'
import { historyStores, openHistory } from '../../src/features/history/module.ts'
import { runSync } from '../../src/features/history/sync/run-sync.ts'

// Does one sync as the queue would, and dies as by `kill -9` right after the given number of commits: `killed-worker.ts
// <wallet> <commits>`. Prints `done` if it survives.

const [wallet = '', commits = ''] = process.argv.slice(2)
dieAfter(Number(commits))

const env = processEnv()
const config = readConfig(env, (path) => readFileSync(path, 'utf8'))
const database = openDatabase({ connection: env['DATABASE_URL'] ?? '', poolMax: 10, log: () => undefined })
const parts = openParts(config, database.db)
const queue = { send: async () => true, findWithoutJob: async () => [], wake: () => undefined }
const { syncs } = openHistory({ ...parts, stores: historyStores(database.db), jobs: queue })
await runSync(syncs, new AbortController().signal, wallet, false)
process.stdout.write('done\n')
await database.close()

/** Nothing after the last commit runs. */
function dieAfter(commits: number): void {
  let seen = 0
  const query = pg.Client.prototype.query as (...args: unknown[]) => unknown
  pg.Client.prototype.query = function counted(this: pg.Client, ...args: unknown[]) {
    const answer = query.apply(this, args)
    const [first] = args as [string | { text?: string } | undefined]
    const text = typeof first === 'string' ? first : first?.text
    if (text !== 'commit') return answer
    return (answer as Promise<unknown>).then((result) => {
      seen += 1
      if (seen === commits) process.kill(process.pid, 'SIGKILL')
      return result
    })
  } as typeof pg.Client.prototype.query
}
