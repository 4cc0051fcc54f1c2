// `npm run bench`: in sequence, since benches share the machine. Exits 1 if one misses a target.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

for (const file of [
  'scan.ts',
  'wallet.ts',
  'portfolio.ts',
  'history.ts',
  'solana.ts',
  'validators.ts',
  'validator-epochs.ts',
  'portal.ts',
  'cost.ts',
  'flood.ts',
  'fair.ts',
]) {
  const path = fileURLToPath(new URL(file, import.meta.url))
  const [code] = await once(spawn(process.execPath, [path], { stdio: 'inherit' }), 'exit')
  if (code !== 0) process.exitCode = 1
  console.log('')
}
