import { type Command, defineCommand, optionsOf } from '../command.ts'
import { usageProblem } from '../problem.ts'

/** Operator commands of the same bin. */
const OPERATORS = ['start', 'admin', 'doctor']

export function completionCommand(commands: readonly Command[]): Command {
  const own = defineCommand({
    name: 'completion',
    about: 'Prints the completion of commands and options for a shell.',
    operands: 'SHELL',
    printsRows: false,
    options: {},
    further: 'SHELL is bash, zsh or fish.',
    examples: [
      'bash > ~/.local/share/bash-completion/completions/coffer',
      'fish > ~/.config/fish/completions/coffer.fish',
    ],
    async run({ operands: [shell = ''], host }) {
      const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined
      if (!script) throw usageProblem('There is completion for bash, zsh and fish.')
      host.stdout.write(script([...commands, own]))
    },
  })
  return own
}

const optionNames = (command: Command) => Object.keys(optionsOf(command)).map((name) => `--${name}`)
const wordsOf = ({ name }: Command) => name.split(' ')
const firstWords = (commands: readonly Command[]) => [
  ...new Set([...commands.map((one) => wordsOf(one)[0] ?? ''), ...OPERATORS]),
]

function bash(commands: readonly Command[]): string {
  const seconds = Map.groupBy(
    commands.filter((one) => wordsOf(one).length > 1),
    (one) => wordsOf(one)[0] ?? '',
  )
  const cases = commands
    .toSorted((a, b) => wordsOf(b).length - wordsOf(a).length)
    .map((one) => {
      const pattern = wordsOf(one).length > 1 ? `'${one.name}'` : `'${one.name} '*`
      return `    ${pattern}) words='${optionNames(one).join(' ')}' ;;`
    })
  const groups = [...seconds].map(
    ([first, list]) =>
      `  [[ $COMP_CWORD == 2 && $first == ${first} ]] && words+=' ${list.map((one) => wordsOf(one)[1]).join(' ')}'`,
  )
  return `_coffer() {
  local first="\${COMP_WORDS[1]}" words=''
  case "$first \${COMP_WORDS[2]}" in
${cases.join('\n')}
  esac
  [[ $COMP_CWORD == 1 ]] && words='${firstWords(commands).join(' ')}'
${groups.join('\n')}
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _coffer coffer
`
}

const zsh = (commands: readonly Command[]) => `autoload -U +X bashcompinit && bashcompinit\n${bash(commands)}`

const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

function fish(commands: readonly Command[]): string {
  const firsts = firstWords(commands).map((word) => `complete -c coffer -n __fish_use_subcommand -f -a ${word}`)
  const rest = commands.flatMap((one) => {
    const [first, second] = wordsOf(one)
    const within = `__fish_seen_subcommand_from ${first}${second === undefined ? '' : `; and __fish_seen_subcommand_from ${second}`}`
    const word =
      second === undefined
        ? []
        : [
            `complete -c coffer -n ${quoted(`__fish_seen_subcommand_from ${first}`)} -a ${second} -d ${quoted(one.about)}`,
          ]
    const options = Object.entries(optionsOf(one)).map(
      ([name, { about, type }]) =>
        `complete -c coffer -n ${quoted(within)} -l ${name}${type === 'string' ? ' -r' : ''} -d ${quoted(about)}`,
    )
    return [...word, ...options]
  })
  return `${[...firsts, ...rest].join('\n')}\n`
}

const SCRIPTS: Readonly<Record<string, (commands: readonly Command[]) => string>> = { bash, zsh, fish }
