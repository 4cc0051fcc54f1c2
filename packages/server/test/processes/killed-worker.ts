import { readFileSync } from 'node:fs'
import pg from 'pg'
import { composeHistory } from '../../src/compose-history.ts'
import { composeReading } from '../../src/compose-reading.ts'
import { readConfig } from '../../src/config/config.ts'
import { processEnv } from '../../src/config/env.ts'
import { openDatabase } from '../../src/db/database.ts'
import type { JobHandler } from '../../src/jobs/queue.ts'
import { kinds } from '../../src/kinds/kinds.ts'
import { createTokenCatalog } from '../../src/knowledge/token-catalog.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { createLogger } from '../../src/lib/logger.ts'
import { createMetrics } from '../../src/lib/metrics.ts'

// A worker that does one sync as the queue would have it, and dies as by `kill -9` right after so many commits:
// `killed-worker.ts <wallet> <commits>`. It says `done` when it lived to the end.

const [wallet = '', commits = ''] = process.argv.slice(2)
dieAfter(Number(commits))

const env = processEnv()
const config = readConfig(env, (path) => readFileSync(path, 'utf8'))
const logger = createLogger({ level: 'silent' })
const database = openDatabase({ connection: env['DATABASE_URL'] ?? '', poolMax: 10, log: () => undefined })
const catalog = createTokenCatalog({ chains: config.chains, configTokens: config.tokens })
const clock = systemClock
const reading = composeReading({ config, database, kinds, catalog, metrics: createMetrics(), clock, logger })
const handlers = new Map<string, JobHandler<object>>()
const jobs = {
  define: (name: string, handler: JobHandler<never>) => void handlers.set(name, handler as JobHandler<object>),
  send: async () => true,
  findWithoutJob: async () => [],
  every: () => undefined,
  wake: () => undefined,
}
composeHistory({ catalog, database, reading, jobs, clock, logger })
await handlers.get('sync-wallet')?.(new AbortController().signal, { wallet }, { attempt: 1 })
process.stdout.write('done\n')
await database.close()

/** Counts what the database has committed; nothing that would follow the last of them is done. */
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
