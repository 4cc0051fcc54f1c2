import { createInterface } from 'node:readline'
import { ensurePostgres } from '../src/db/embedded-postgres.ts'
import { type Machine, thisMachine } from '../src/db/embedded-postgres-host.ts'

// Uses the PostgreSQL of a data folder: `hold-postgres.ts <data folder> [<machine as JSON>]`. Prints a JSON line once
// it has it (or why not), another once a line on its input made it release.

const [dataDir = '', machine = '{}'] = process.argv.slice(2)
const say = (line: object): unknown => process.stdout.write(`${JSON.stringify(line)}\n`)

try {
  const postgres = await ensurePostgres({
    dataDir,
    durable: false,
    log: () => undefined,
    machine: { ...thisMachine, ...(JSON.parse(machine) as Partial<Machine>) },
  })
  say({ how: postgres.how, url: postgres.url() })
  for await (const line of createInterface(process.stdin)) {
    say({ line, result: await postgres.release() })
    break
  }
} catch (error) {
  say({ error: (error as Error).name, message: (error as Error).message })
}
