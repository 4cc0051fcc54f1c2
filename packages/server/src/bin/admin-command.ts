import { parseArgs } from 'node:util'
import type { Kysely } from 'kysely'
import { z } from 'zod'
import type { Config } from '../config/config.ts'
import type { Tables } from '../db/tables.ts'
import type { Peppers } from '../features/keys/peppers.ts'
import type { MasterKeys } from '../features/secrets/master-key.ts'
import type { SecretVault } from '../features/secrets/secret-vault.ts'

/** The operator asked for something that cannot be done. The message is one sentence to show as it is. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
}

/** What a command may use; all but the database is loaded on demand. */
export type AdminContext = {
  db: Kysely<Tables>
  /** All that is set for the service. Throws `ConfigError` where the service would not start. */
  config(): Config
  peppers(): Promise<Peppers>
  masterKeys: MasterKeys
  /** Rejects with a `StartupError` when a secret is stored whose master key is not here. */
  vault(): Promise<SecretVault>
  /** The text of a file, or of standard input for `-`. */
  readInput(path: string): Promise<string>
}

/** Output of a command, as JSON or as text; `failed` sets the exit code to 1. */
export type Outcome = ({ print: unknown } | { text: string }) & {
  failed?: boolean
  /** For the audit log: the account that was changed, and what was made beside what was given; null where nothing was done. */
  recorded?: { accountId?: string; detail?: object } | null
}

type Flags = Record<string, z.ZodType>
type Values<F extends Flags> = { [K in keyof F]: z.output<F[K]> }

/** What a command did, as the audit log says it; `itself`: its use case writes the line; null: it changes nothing. */
type Recorded = string | 'itself' | null

export type Command = {
  /** What it does, in a sentence. */
  about: string
  /** Its arguments, as shown in the help. */
  usage: string
  /** The arguments of an example call. */
  example: string
  /** Its line in the audit log. */
  records: Recorded
  /** Checks the arguments and returns the function that does the work. */
  prepare(args: readonly string[]): (context: AdminContext) => Promise<Outcome>
  /** What was given, for the audit log: the texts of the arguments but for the account. */
  given(args: readonly string[]): Record<string, string>
}

/** An id as the database makes them: a positive int8 without a sign or leading zero. */
export const id = z.string().refine((text) => /^[1-9]\d{0,18}$/.test(text) && BigInt(text) < 2n ** 63n, 'is not an id')

/**
 * Defines a command. Each key `likeThis` of `flags` is a flag `--like-this` with a value, optional if its schema
 * accepts undefined. `takesId`: one id follows the name of the command, a number unless a schema is given.
 */
export function defineCommand<F extends Flags = Record<never, never>>(definition: {
  about: string
  usage?: string
  example?: string
  takesId?: boolean | z.ZodType<string>
  flags?: F
  records: Recorded
  run(context: AdminContext, values: Values<F> & { id: string }): Promise<Outcome>
}): Command {
  const { about, usage = '', example = '', takesId = false, records, run } = definition
  const flags: Flags = definition.flags ?? {}
  return {
    about,
    usage,
    example,
    records,
    given(args) {
      const { values, positionals } = parse(args, Object.keys(flags).map(flagOf))
      const texts = Object.keys(flags).map((name) => [name, values[flagOf(name)]])
      const given = [['id', positionals[0]], ...texts].filter(
        ([name, text]) => name !== 'account' && text !== undefined,
      )
      return Object.fromEntries(given)
    },
    prepare(args) {
      const { values, positionals } = parse(args, Object.keys(flags).map(flagOf))
      if (positionals.length > (takesId ? 1 : 0)) throw new Refusal(`Unexpected argument ${positionals.at(-1)}.`)
      const given = Object.entries(flags).map(([name, schema]) => [
        name,
        check(flagOf(name), schema, values[flagOf(name)]),
      ])
      const subject = takesId ? check('ID', takesId === true ? id : takesId, positionals[0]) : ''
      const input = { ...Object.fromEntries(given), id: subject } as Values<F> & { id: string }
      return (context) => run(context, input)
    },
  }
}

/** `addressBookQuota` → `address-book-quota`. */
const flagOf = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

function parse(args: readonly string[], names: readonly string[]) {
  const options = Object.fromEntries(names.map((name) => [name, { type: 'string' as const }]))
  try {
    return parseArgs({ args: withValues(args), options, allowPositionals: true, strict: true })
  } catch (error) {
    const [sentence = ''] = String((error as Error).message).split(/\n|\. /)
    throw new Refusal(`${sentence.replace(/\.$/, '')}.`)
  }
}

/** `--amount -5` as `--amount=-5`: every flag has a value, and one that begins with a dash is no flag. */
function withValues(args: readonly string[]): string[] {
  const joined: string[] = []
  for (const arg of args) {
    const flag = joined.at(-1) ?? ''
    const isValue = /^-[^-]/.test(arg) && /^--[a-z][a-z-]*$/.test(flag)
    if (isValue) joined.splice(-1, 1, `${flag}=${arg}`)
    else joined.push(arg)
  }
  return joined
}

function check(flag: string, schema: z.ZodType, text: unknown): unknown {
  const result = schema.safeParse(text)
  if (result.success) return result.data
  const shown = flag === 'ID' ? 'The ID' : `--${flag}`
  throw new Refusal(text === undefined ? `${shown} is needed.` : `${shown} ${result.error.issues[0]?.message}.`)
}
