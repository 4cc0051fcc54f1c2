import { type Command, formatOf, type Given, readArguments } from './command.ts'
import { commands } from './commands.ts'
import { commandList, helpText } from './help.ts'
import { type Host, processHost } from './host.ts'
import { createOutput } from './output/output.ts'
import { visibleLines } from './output/visible-text.ts'
import { EXIT, type ExitCode, problemOf, usageProblem } from './problem.ts'
import { openService, type Service } from './service.ts'
import { readSettings } from './settings.ts'

/** Runs a user command, e.g. `['portfolio', '0x…', '--json']`. Returns the exit code (docs/cli.md). */
export async function runUserCommand(args: readonly string[], host: Host = processHost()): Promise<ExitCode> {
  try {
    return await run(args, host)
  } catch (error) {
    if (host.signal.aborted) return EXIT.interrupted
    const { message, exitCode } = problemOf(error)
    host.stderr.write(`${visibleLines(message)}\n`)
    return exitCode
  }
}

async function run(args: readonly string[], host: Host): Promise<ExitCode> {
  const [first] = args
  if (first === undefined || first === '--help' || first === '-h') {
    host.stdout.write(commandList(commands))
    return first === undefined ? EXIT.usage : EXIT.done
  }
  const { command, rest } = commandIn(args)
  const given = readArguments(command, rest)
  if (given.values['help'] === true) {
    host.stdout.write(helpText(command))
    return EXIT.done
  }
  return perform(command, given, host)
}

async function perform(command: Command, given: Given, host: Host): Promise<ExitCode> {
  const output = createOutput(host, formatOf(given))
  let opened: Service | undefined
  const service = () => {
    opened ??= openService(host, readSettings(host.env))
    return opened
  }
  await command.run({ ...given, host, output, service })
  return output.isIncomplete() && given.values['strict'] === true ? EXIT.incomplete : EXIT.done
}

/** Command names have one or two words. */
function commandIn(args: readonly string[]): { command: Command; rest: readonly string[] } {
  for (const words of [2, 1]) {
    const name = args.slice(0, words).join(' ')
    const command = commands.find((one) => one.name === name)
    if (command) return { command, rest: args.slice(words) }
  }
  const [first = ''] = args
  const names = commands.map(({ name }) => name).filter((name) => name.startsWith(`${first} `))
  if (names.length > 0) throw usageProblem(`"${first}" is incomplete. Commands: ${names.join(', ')}.`)
  throw usageProblem(`There is no command "${first}". "coffer --help" lists them.`)
}
