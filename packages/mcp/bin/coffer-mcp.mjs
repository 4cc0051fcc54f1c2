#!/usr/bin/env node
// Speaks MCP over standard input and output, on the Node that Coffer pins, whichever Node this was started with.
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const NODE_AT_LEAST = 24

const program = new URL('../src/stdio.ts', import.meta.url)

if (Number.parseInt(process.versions.node, 10) >= NODE_AT_LEAST) {
  process.argv[1] = fileURLToPath(program)
  await import(program.href)
} else {
  const node = join(dirname(createRequire(import.meta.url).resolve('node/package.json')), 'bin', 'node')
  const child = spawn(node, [fileURLToPath(program), ...process.argv.slice(2)], { stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.once('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]))
}
