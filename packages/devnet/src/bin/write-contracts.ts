import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { compileContracts } from '../compile.ts'

const folder = join(import.meta.dirname, '..', '..', 'contracts')
for (const [name, compiled] of Object.entries(compileContracts())) {
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(compiled, null, 2)}\n`)
}
