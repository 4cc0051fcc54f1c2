import { parseArgs } from 'node:util'
import type { Host } from './host.ts'
import type { Format, Output } from './output/output.ts'
import { usageProblem } from './problem.ts'
import type { Service } from './service.ts'

export type Option = {
  type: 'string' | 'boolean'
  about: string
  /** Placeholder of its value in the help, e.g. `DATE`. */
  value?: string
  /** For the help: the service checks values. */
  choices?: readonly string[]
  short?: string
}
export type Options = Readonly<Record<string, Option>>
type ValueOf<T extends Option['type']> = T extends 'boolean' ? boolean : string
type Values<O extends Options> = { readonly [K in keyof O]?: ValueOf<O[K]['type']> | undefined }

export type Call<O extends Options = Options> = {
  values: Values<O>
  operands: readonly string[]
  host: Host
  output: Output
  service(): Service
}

export type Command = {
  name: string
  about: string
  /** As in the help: `…` takes several operands, brackets make one optional. */
  operands: string
  options: Options
  /** Adds `--json`, `--csv` and `--strict`. */
  printsRows: boolean
  examples: readonly string[]
  /** Paragraph of the help between `about` and the options. */
  further?: string
  run(call: Call): Promise<void>
}

/** Types `run` by the options of the command. */
export function defineCommand<const O extends Options>(
  command: Omit<Command, 'options' | 'run'> & { options: O; run(call: Call<O>): Promise<void> },
): Command {
  return command as unknown as Command
}

const FORMATS = {
  json: { type: 'boolean', about: 'Prints the answer of the service unchanged, with all digits.' },
  csv: { type: 'boolean', about: 'Prints rows as CSV, with all digits.' },
  strict: { type: 'boolean', about: 'Exits with 7 if data is missing or stale.' },
} as const satisfies Options

const HELP = { help: { type: 'boolean', about: 'Prints this help.', short: 'h' } } as const satisfies Options

export const optionsOf = ({ options, printsRows }: Command): Options => ({
  ...options,
  ...(printsRows && FORMATS),
  ...HELP,
})

export type Given = { values: Record<string, string | boolean | undefined>; operands: readonly string[] }

/** Throws a usage problem for arguments that the command does not take. */
export function readArguments(command: Command, args: readonly string[]): Given {
  const given = parse(command, args)
  const { operands } = given
  const names = command.operands === '' ? [] : command.operands.split(' ')
  const least = names.filter((name) => !name.startsWith('[')).length
  const most = names.some((name) => name.includes('…')) ? Number.POSITIVE_INFINITY : names.length
  if (given.values['help'] === true) return given
  if (operands.length < least) throw usageProblem(`${names[operands.length]} is missing. ${helpOf(command)}`)
  if (operands.length > most) throw usageProblem(`Unexpected argument ${operands[most]}. ${helpOf(command)}`)
  if (given.values['json'] && given.values['csv']) throw usageProblem('--json and --csv exclude each other. Give one.')
  return given
}

const helpOf = ({ name }: Command) => `See "coffer ${name} --help".`

function parse(command: Command, args: readonly string[]): Given {
  const entries = Object.entries(optionsOf(command))
  const options = Object.fromEntries(
    entries.map(([name, { type, short }]) => [name, { type, ...(short !== undefined && { short }) }]),
  )
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true, strict: true })
    return { values: values as Given['values'], operands: positionals }
  } catch (error) {
    const [sentence = ''] = String((error as Error).message).split(/\n|\. /)
    throw usageProblem(`${sentence.replace(/\.$/, '')}. ${helpOf(command)}`)
  }
}

export function formatOf({ values }: Given): Format {
  if (values['json']) return 'json'
  return values['csv'] ? 'csv' : 'table'
}
