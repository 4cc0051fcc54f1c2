#!/usr/bin/env node
import { processEnv } from '../config/env.ts'
import { runAdmin } from './admin.ts'

process.exitCode = await runAdmin(process.argv.slice(2), {
  env: processEnv(),
  stdout: (text) => process.stdout.write(text),
  stderr: (text) => process.stderr.write(text),
})
