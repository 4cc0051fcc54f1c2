import { endpoints } from '@coffer/contract'
import { type Command, type Option, optionsOf } from './command.ts'
import { priceOf } from './price.ts'

/** Wider than `coffer webhook deliveries`, the longest command; as in packages/server/bin/coffer.mjs. */
const NAME_WIDTH = 28
const LOOK_UP = priceOf(endpoints.listBundles, endpoints.listAddressBook)

const line = (name: string, about: string) => `  ${name.padEnd(NAME_WIDTH - 1)} ${about}`

export function commandList(commands: readonly Command[]): string {
  const lines = commands.map(({ name, about }) => line(`coffer ${name}`, about))
  return [
    'Commands of users:',
    ...lines,
    '',
    `ADDRESS is a wallet address, or @NAME: a bundle, or the addresses with this label (${LOOK_UP}).`,
    '"coffer COMMAND --help" shows options and examples. Exit codes: 0 done, 1 failed, 2 wrong arguments, 3 no valid key,',
    '4 credits, 5 too many requests, 6 not reached or a source failed, 7 incomplete with --strict, 130 interrupted.',
    '',
  ].join('\n')
}

const optionName = (name: string, { value, short }: Option) =>
  `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`

const optionLine = (name: string, option: Option) =>
  line(optionName(name, option), `${option.about}${option.choices ? ` One of ${option.choices.join(', ')}.` : ''}`)

export function helpText(command: Command): string {
  const { name, about, operands, examples, further } = command
  return [
    `coffer ${name}${operands === '' ? '' : ` ${operands}`} [OPTIONS]`,
    '',
    about,
    ...(further === undefined ? [] : ['', further]),
    '',
    'Options:',
    ...Object.entries(optionsOf(command)).map(([each, option]) => optionLine(each, option)),
    '',
    'Examples:',
    ...examples.map((example) => `  coffer ${name}${example === '' ? '' : ` ${example}`}`),
    '',
  ].join('\n')
}
