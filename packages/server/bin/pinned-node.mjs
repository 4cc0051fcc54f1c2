// Runs programs on the Node that Coffer pins, whichever Node this was started with.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const NODE_AT_LEAST = 24
const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP']

/** Runs the program here where this Node will do and no `flags` are asked for, else in a process that ends with this one. */
export async function runProgram(program, args, flags = []) {
  const isOldNode = Number.parseInt(process.versions.node, 10) < NODE_AT_LEAST
  if (!isOldNode && flags.length === 0) {
    process.argv.splice(1, Number.POSITIVE_INFINITY, fileURLToPath(program), ...args)
    await import(program.href)
    return
  }
  const node = isOldNode ? pinnedNode() : process.execPath
  const child = spawn(node, [...flags, fileURLToPath(program), ...args], { stdio: 'inherit' })
  for (const signal of FORWARDED) process.on(signal, () => child.kill(signal))
  child.once('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]))
}

function pinnedNode() {
  const node = join(dirname(createRequire(import.meta.url).resolve('node/package.json')), 'bin', 'node')
  if (existsSync(node)) return node
  process.stderr.write(
    `Coffer needs Node ${NODE_AT_LEAST}; this is ${process.version}, and the package node was installed without its install script.\n`,
  )
  process.exit(1)
}
