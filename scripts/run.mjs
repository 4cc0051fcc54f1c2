// node scripts/run.mjs <command> [arguments]: `npm start`, `npm test` and others. Needs any Node >= 20. Installs the
// command's packages and runs it on the Node of package-lock.json.
import { spawn } from 'node:child_process'
import { constants, setPriority } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { ensureInstalled, root } from './install.mjs'

// Most garbage is short-lived: a small nursery and early collections keep the service small.
const HEAP = ['--max-semi-space-size=8', '--heap-growing-percent=50']

const COMMANDS = {
  start: { needs: 'production', flags: HEAP, entry: ['packages/server/src/main.ts'], servesPortal: true },
  check: { needs: 'all', entry: ['scripts/check.mjs'] },
  test: { needs: 'all', entry: ['scripts/test.mjs'] },
  'test:deep': { needs: 'all', entry: ['scripts/test.mjs', '--deep'] },
  demo: { needs: 'all', entry: ['packages/server/demo/demo.ts'], servesPortal: true },
  bench: { needs: 'all', entry: ['packages/server/bench/main.ts'] },
  devnet: { needs: 'all', entry: ['packages/server/demo/devnet.ts'] },
  packages: { needs: 'all', entry: ['scripts/packages.mjs'] },
  portal: { needs: 'all', entry: ['node_modules/vite/bin/vite.js'], folder: 'packages/portal' },
}

const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP']

/** For work that must not slow down the service. */
const BEHIND = constants.priority.PRIORITY_LOW

function run(node, { flags = [], entry: [entry, ...given], folder, servesPortal = false }, args) {
  const path = [dirname(node), join(root, 'node_modules', '.bin'), process.env.PATH].join(delimiter)
  const env = { ...process.env, PATH: path }
  const cwd = folder && join(root, folder)
  const stdio = servesPortal ? ['inherit', 'inherit', 'inherit', 'ipc'] : 'inherit'
  const child = spawn(node, [...flags, join(root, entry), ...given, ...args], { stdio, env, cwd })
  // On two cores a concurrent build delays the start by 0.7 s.
  if (servesPortal && env.COFFER_PORTAL?.trim() !== 'off') child.once('message', () => buildPortal(node, env))
  for (const signal of FORWARDED) process.on(signal, () => child.kill(signal))
  child.once('error', (error) => fail(error.message))
  child.once('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]))
}

/** The service serves the portal once built. Ends with the service at the latest. */
function buildPortal(node, env) {
  const builder = spawn(node, [join(root, 'scripts/portal.mjs')], { stdio: ['ignore', 'ignore', 'inherit'], env })
  builder.once('error', (error) => process.stderr.write(`The portal was not built: ${error.message}\n`))
  if (builder.pid) setPriority(builder.pid, BEHIND)
  process.once('exit', () => builder.kill())
}

function fail(sentence) {
  process.stderr.write(`${sentence}\n`)
  process.exit(1)
}

const [name, ...args] = process.argv.slice(2)
const command = COMMANDS[name]
if (!command) fail(`There is no command ${name}; there are: ${Object.keys(COMMANDS).join(', ')}.`)
try {
  run(await ensureInstalled(command.needs), command, args)
} catch (error) {
  fail(error.message)
}
