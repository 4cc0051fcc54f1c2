#!/usr/bin/env node
// coffer: starts the service, runs the operator's commands, and hands all others over to the command line of users.
import { readFileSync } from 'node:fs'
import { runProgram } from './pinned-node.mjs'

/** Those of scripts/run.mjs. */
const HEAP = ['--max-semi-space-size=8', '--heap-growing-percent=50']
const admin = new URL('../src/bin/coffer-admin.ts', import.meta.url)

const COMMANDS = {
  start: {
    about: 'Starts the service, with its data below ./data; --role api or worker for a part of it.',
    run: (args) => runProgram(new URL('../src/main.ts', import.meta.url), args, HEAP),
  },
  admin: {
    about: 'Runs a command of the operator, e.g. "admin account list"; "admin --help" lists them.',
    run: (args) => runProgram(admin, args),
  },
  doctor: {
    about: 'Looks at endpoints, database, disk, clock and prices, and says what to mend.',
    run: (args) => runProgram(admin, ['doctor', ...args]),
  },
  mcp: {
    about: 'Speaks MCP over standard input and output, with the key COFFER_API_KEY of the service COFFER_URL.',
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
  return ["The service and its operator's commands:", ...lines, '', ''].join('\n')
}
