import type { AnyEndpoint } from '@coffer/contract'
import { z } from 'zod'
import type { Config } from '../config/config.ts'
import type { Db } from '../db/tables.ts'
import { type Account, findAccount } from '../features/accounts/accounts.ts'
import type { Peppers } from '../features/keys/peppers.ts'
import type { MasterKeys } from '../features/secrets/master-keys.ts'
import type { SecretVault } from '../features/secrets/secret-vault.ts'
import { id, Refusal, read, type Texts, textsOf, usageOf } from './command-input.ts'

export type AdminContext = {
  db: Db
  /** `server` may create databases on it, if the role may. */
  databaseUrl(): { database: string; server: string }
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
  /** For the audit log: the account unless it is `--account`, and more details; null: nothing was done. */
  recorded?: { accountId?: string; detail?: object } | null
}

/** Action in the audit log; `itself`: the use case writes the line; null: nothing changes. */
type Recorded = string | 'itself' | null

export type Command = {
  /** One sentence. */
  about: string
  details: string
  example: string
  records: Recorded
  usage(): string
  prepare(args: readonly string[]): Prepared
}

export type Prepared = {
  /** For the audit log: arguments without the account. */
  given: Texts
  accountId: string | undefined
  run(context: AdminContext): Promise<Outcome>
}

type Flags = Record<string, z.ZodType>
type Values<F extends Flags> = { [K in keyof F]: z.output<F[K]> }

type Definition<V> = {
  details?: string
  example?: string
  records?: Recorded
  run(context: AdminContext, values: V): Promise<Outcome>
}

/**
 * A key `likeThis` of `flags` is a flag `--like-this`, optional if its schema accepts undefined. Its JSON schema makes the
 * usage and reads numbers, lists and times; `default` is null. `takesId`: an ID follows the command.
 */
export function defineCommand<F extends Flags = Record<never, never>>({
  about,
  details = '',
  example = '',
  takesId = false,
  flags,
  usage,
  records = null,
  run,
}: Definition<Values<F> & { id: string }> & {
  about: string
  /** For options that exclude each other. */
  usage?: string
  takesId?: boolean | z.ZodType
  flags?: F
}): Command {
  const subject = takesId === true ? id : takesId
  const schema = z.object({ ...(subject && { id: subject }), ...flags })
  return {
    about,
    details,
    example,
    records,
    usage: () => usage ?? usageOf(schema),
    prepare(args) {
      const texts = textsOf(args, Object.keys(schema.shape))
      const values = read(schema, texts) as Values<F> & { id: string }
      const { account, ...given } = texts
      return {
        given,
        accountId: account,
        async run(context) {
          if (account !== undefined) await getAccount(context.db, account)
          return run(context, values)
        },
      }
    },
  }
}

type Given<S> = S extends z.ZodType ? z.output<S> : unknown

/** Help and arguments are of a portal endpoint: `:account` is `--account`, its parameter the ID, other fields flags. */
export function commandOf<E extends AnyEndpoint>(
  { path, summary, description = '', params, query, body }: E,
  definition: Definition<Given<E['query']> & Given<E['body']> & { id: string; account: string }>,
): Command {
  const [parameter = false] = Object.values(shapeOf(params))
  const account: Flags = path.includes('/:account') ? { account: id } : {}
  const flags = { ...account, ...shapeOf(query), ...shapeOf(body) }
  const { run } = definition as unknown as Definition<object>
  return defineCommand({ ...definition, about: `${summary}.`, details: description, takesId: parameter, flags, run })
}

const shapeOf = (schema: z.ZodType | undefined): Flags => (schema instanceof z.ZodObject ? schema.shape : {})

export async function getAccount(db: AdminContext['db'], accountId: string): Promise<Account> {
  return (await findAccount(db, accountId)) ?? noAccount(accountId)
}

export function noAccount(accountId: string): never {
  throw new Refusal(`There is no account ${accountId}.`)
}
