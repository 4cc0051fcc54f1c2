#!/usr/bin/env node
import { text } from 'node:stream/consumers'
import { processEnv } from '../config/env.ts'
import { runAdmin } from './run-admin.ts'

process.exitCode = await runAdmin(process.argv.slice(2), {
  env: processEnv(),
  stdin: () => text(process.stdin),
  stdout: (text) => process.stdout.write(text),
  stderr: (text) => process.stderr.write(text),
})
