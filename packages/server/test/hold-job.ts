import { createJobs } from '../src/jobs/queue.ts'
import { createLogger } from '../src/lib/logger.ts'

// A process of its own that takes a job and never ends it: `hold-job.ts <connection> <name>`. Says `took <key>` when it has it.

const [connection = '', name = ''] = process.argv.slice(2)
const jobs = createJobs({ connection, log: createLogger({ level: 'silent' }) })
const handler = (_: AbortSignal, { key }: { key: string }) => {
  process.stdout.write(`took ${key}\n`)
  return new Promise<void>(() => undefined)
}
await jobs.start([{ name, handler }])
