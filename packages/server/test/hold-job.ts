import { createJobs } from '../src/jobs/queue.ts'
import { createLogger } from '../src/lib/logger.ts'

// Takes a job and never ends it: `hold-job.ts <connection> <name>`. Prints `took <key>`.

const [connection = '', name = ''] = process.argv.slice(2)
const jobs = createJobs({ connection, log: createLogger({ level: 'silent' }) })
const handler = (_: AbortSignal, { key }: { key: string }) => {
  process.stdout.write(`took ${key}\n`)
  return new Promise<void>(() => undefined)
}
await jobs.start([{ name, handler }])
