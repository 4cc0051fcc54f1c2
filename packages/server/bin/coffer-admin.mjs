#!/usr/bin/env node
// coffer-admin: runs the operator's commands.
import { runProgram } from './pinned-node.mjs'

await runProgram(new URL('../src/bin/coffer-admin.ts', import.meta.url), process.argv.slice(2))
