#!/usr/bin/env node
// coffer: starts the service, runs the operator's commands, and hands all others over to the command line of users.
import { readFileSync } from 'node:fs'
import { runProgram } from './pinned-node.mjs'

/** Those of scripts/run.mjs. */
const HEAP = ['--max-semi-space-size=8', '--heap-growing-percent=50']
const admin = new URL('../src/bin/coffer-admin.ts', import.meta.url)

const COMMANDS = {
  start: {
    about: 'Starts the service, with its data in ./data. --role api or worker starts a part of it.',
    run: (args) => runProgram(new URL('../src/main.ts', import.meta.url), args, HEAP),
  },
  admin: {
    about: 'Runs an operator command, e.g. "admin account list". "admin --help" lists them.',
    run: (args) => runProgram(admin, args),
  },
  doctor: {
    about: 'Checks endpoints, database, disk, clock and prices, and suggests fixes.',
    run: (args) => runProgram(admin, ['doctor', ...args]),
  },
  mcp: {
    about: 'Runs an MCP server over standard input and output for the service COFFER_URL, with the key COFFER_API_KEY.',
    run: (args) => runProgram(new URL('../../mcp/src/stdio.ts', import.meta.url), args),
  },
}

const users = new URL('../../cli/src/main.ts', import.meta.url)

const [name, ...args] = process.argv.slice(2)
if (name === '--version') {
  process.stdout.write(`${JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version}\n`)
} else if (name !== undefined && Object.hasOwn(COMMANDS, name)) {
  await COMMANDS[name].run(args)
} else {
  if (name === undefined || name === '--help' || name === '-h') process.stdout.write(help())
  await runProgram(users, process.argv.slice(2))
}

function help() {
  const lines = Object.entries(COMMANDS).map(([each, { about }]) => `  coffer ${each.padEnd(20)} ${about}`)
  return ['Commands of the service and its operator:', ...lines, '', ''].join('\n')
}
