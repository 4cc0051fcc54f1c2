import { parseArgs } from 'node:util'
import type { Kysely } from 'kysely'
import { z } from 'zod'
import type { Config } from '../config/config.ts'
import type { Tables } from '../db/tables.ts'
import type { Peppers } from '../features/keys/peppers.ts'
import type { MasterKeys } from '../features/secrets/master-keys.ts'
import type { SecretVault } from '../features/secrets/secret-vault.ts'

/** An operator's request that cannot be done. The message is one sentence, shown unchanged. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
}

/** All but the database is loaded on demand. */
export type AdminContext = {
  db: Kysely<Tables>
  /** Throws `ConfigError` where the service would not start. */
  config(): Config
  peppers(): Promise<Peppers>
  masterKeys: MasterKeys
  /** Rejects with a `StartupError` if a stored secret's master key is missing. */
  vault(): Promise<SecretVault>
  /** Reads a file, or standard input for `-`. */
  readInput(path: string): Promise<string>
}

/** `failed` sets the exit code to 1. */
export type Outcome = ({ print: unknown } | { text: string }) & {
  failed?: boolean
  /** For the audit log: the changed account, and what was made in addition to the arguments; null: nothing was done. */
  recorded?: { accountId?: string; detail?: object } | null
}

type Flags = Record<string, z.ZodType>
type Values<F extends Flags> = { [K in keyof F]: z.output<F[K]> }

/** Action in the audit log; `itself`: the use case writes the line; null: nothing changes. */
type Recorded = string | 'itself' | null

export type Command = {
  /** One sentence. */
  about: string
  usage: string
  example: string
  records: Recorded
  /** Checks the arguments. */
  prepare(args: readonly string[]): (context: AdminContext) => Promise<Outcome>
  /** For the audit log: arguments without the account. */
  given(args: readonly string[]): Record<string, string>
}

/** A positive int8 without a sign or leading zero. */
export const id = z.string().refine((text) => /^[1-9]\d{0,18}$/.test(text) && BigInt(text) < 2n ** 63n, 'is not an id')

/**
 * Each key `likeThis` of `flags` is a flag `--like-this` with a value, optional if its schema accepts undefined.
 * `takesId`: an ID follows the name of the command, a number unless a schema is given.
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

/** Turns `--amount -5` into `--amount=-5`: every flag has a value, and a single dash begins no flag. */
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
