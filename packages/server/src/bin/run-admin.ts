import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { Failure } from '@coffer/contract'
import { readConfig } from '../config/config.ts'
import { ConfigError } from '../config/config-error.ts'
import { readDatabaseConfig } from '../config/database-config.ts'
import type { Env } from '../config/env.ts'
import { type Connection, openUnlimited } from '../db/database.ts'
import { ensurePostgres } from '../db/embedded-postgres.ts'
import { hasCluster } from '../db/embedded-postgres-cluster.ts'
import { migrate } from '../db/migrate.ts'
import { checkDatabase } from '../db/start-check.ts'
import type { Db } from '../db/tables.ts'
import { isDatabaseUnavailable } from '../db/unavailable.ts'
import { openPeppers } from '../features/keys/peppers.ts'
import { recordAction } from '../features/portal-users/audit.ts'
import { createMasterKeys } from '../features/secrets/master-keys.ts'
import { openVault } from '../features/secrets/secret-vault.ts'
import { StartupError } from '../lib/startup-error.ts'
import type { AdminContext, Command, Outcome, Prepared } from './command.ts'
import { flagOf, OPERATOR, Refusal } from './command-input.ts'
import { commands } from './commands.ts'

const silent = () => undefined

export type Terminal = {
  env: Env
  /** Default: empty. */
  stdin?(): Promise<string>
  stdout(text: string): void
  stderr(text: string): void
}

export type Opening = <T>(env: Env, work: (context: Opened) => Promise<T>) => Promise<T>

/** Prints JSON to standard output, or one sentence to standard error. Returns the exit code. */
export async function runAdmin(
  args: readonly string[],
  terminal: Terminal,
  open: Opening = openChecked,
): Promise<number> {
  try {
    return await runCommand(args, terminal, open)
  } catch (error) {
    terminal.stderr(`${sentenceOf(error)}\n`)
    return 1
  }
}

async function runCommand(args: readonly string[], terminal: Terminal, open: Opening): Promise<number> {
  const { env, stdin = async () => '', stdout } = terminal
  if (args.length === 0 || args.includes('--help') || args.includes('-h')) {
    stdout(`${help(nameIn(args) ?? args.filter((arg) => !arg.startsWith('-')).join(' '))}\n`)
    return args.length === 0 ? 1 : 0
  }
  const name = nameIn(args)
  const command = name === undefined ? undefined : commands[name]
  if (name === undefined || !command) throw unknown(args.slice(0, 2).join(' '))
  const prepared = command.prepare(args.slice(name.split(' ').length))
  return open(env, async (context) => {
    const outcome = await prepared.run({
      ...context,
      readInput: (path) => (path === '-' ? stdin() : readGivenFile(path)),
    })
    if ('text' in outcome) stdout(`${outcome.text}\n`)
    else await printJson(outcome.print, stdout)
    await record(context, command, prepared, outcome)
    return outcome.failed ? 1 : 0
  })
}

/** A process that ends before leaves a change without its line. */
async function record({ db }: Opened, { records }: Command, prepared: Prepared, { recorded = {} }: Outcome) {
  if (records === null || records === 'itself' || recorded === null) return
  const { accountId = prepared.accountId ?? null } = recorded
  await recordAction(db, OPERATOR, { action: records, accountId, detail: { ...prepared.given, ...recorded.detail } })
}

const unknown = (words: string) => new Refusal(`There is no command "${words}": coffer-admin --help lists them.`)

const nameIn = (args: readonly string[]) =>
  [3, 2, 1].map((words) => args.slice(0, words).join(' ')).find((name) => Object.hasOwn(commands, name))

/** A list if `named` is empty or begins several. */
function help(named: string): string {
  const found = Object.entries(commands).filter(([name]) => `${name} `.startsWith(named === '' ? '' : `${named} `))
  const [[name, command] = []] = found
  if (!name || !command) throw unknown(named)
  if (found.length === 1) {
    const call = (rest: string) => `  coffer-admin ${name} ${rest}`.trimEnd()
    const about = `${command.about} ${command.details}`.trimEnd()
    return [about, '', 'Usage:', call(command.usage()), '', 'Example:', call(command.example)].join('\n')
  }
  const width = Math.max(...found.map(([each]) => each.length))
  return [
    'Commands:',
    ...found.map(([each, { about }]) => `  coffer-admin ${each.padEnd(width)}  ${about}`),
    '',
    'coffer-admin COMMAND --help says how one is called. Settings are those of the service: COFFER_DATA_DIR or DATABASE_URL.',
  ].join('\n')
}

async function readGivenFile(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch {
    throw new Refusal(`The file ${path} cannot be read.`)
  }
}

type Opened = Omit<AdminContext, 'readInput'>

/** Starts the embedded PostgreSQL if it does not run. */
const openChecked: Opening = async (env, work) => {
  const config = readDatabaseConfig(env)
  if (!config.databaseUrl && !hasCluster(config.dataDir)) {
    throw new Refusal(
      `There is no database in ${config.dataDir}: start Coffer there once, or set COFFER_DATA_DIR or DATABASE_URL to what it uses.`,
    )
  }
  const embedded = config.databaseUrl ? undefined : await ensurePostgres({ dataDir: config.dataDir, log: silent })
  const connection: Connection = embedded ? () => embedded.url() : (config.databaseUrl?.reveal() ?? '')
  try {
    if (typeof connection === 'string') await checkDatabase(connection, { log: silent, patienceMs: 0 })
    await migrate({ connection, log: silent, isDistributed: config.isDistributed })
    const { db, close } = openUnlimited(connection, silent)
    const server = embedded?.adminUrl('postgres')
    return await openOver(db, server)(env, work).finally(close)
  } finally {
    await embedded?.release()
  }
}

/** `embedded`: URL of its superuser. */
export const openOver =
  (db: Db, embedded?: string): Opening =>
  async (env, work) => {
    const config = readDatabaseConfig(env)
    const peppers = config.keyPeppers.map((pepper) => pepper.reveal())
    const masterKeys = createMasterKeys({ configured: config.masterKeys, dataDir: config.dataDir })
    return work({
      db,
      databaseUrl: () => {
        const server = embedded ?? config.databaseUrl?.reveal() ?? ''
        return { database: embedded ? withDatabase(embedded, 'coffer') : server, server }
      },
      config: () => readConfig(env, (path) => readFileSync(path, 'utf8')),
      peppers: () => openPeppers(db, peppers),
      masterKeys,
      vault: () => openVault(db, masterKeys),
    })
  }

function withDatabase(serverUrl: string, name: string): string {
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.href
}

async function printJson(value: unknown, stdout: Terminal['stdout']): Promise<void> {
  if (!isAsyncIterable(value)) {
    stdout(`${JSON.stringify(value, null, 2)}\n`)
    return
  }
  let separator = '['
  for await (const item of value) {
    stdout(`${separator}\n  ${JSON.stringify(item)}`)
    separator = ','
  }
  stdout(separator === '[' ? '[]\n' : '\n]\n')
}

const isAsyncIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value

function sentenceOf(error: unknown): string {
  if (error instanceof Refusal || error instanceof StartupError) return error.message
  if (error instanceof Failure) return `${inFlags(error.message).replace(/\.$/, '')}.`
  if (error instanceof ConfigError) return `${error.message}.`
  const { code, message } = error as { code?: string; message?: string }
  const detail = (message || code || 'unknown error').split('\n')[0]
  return isDatabaseUnavailable(error) ? `The database cannot be used: ${detail}.` : `This failed: ${detail}.`
}

/** `field: reason` → `--field reason`. */
const inFlags = (message: string) => message.replace(/^([a-z]\w*): /, (_, field) => `--${flagOf(field)} `)
