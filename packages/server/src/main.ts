import { existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { chainTypes } from './chains/chain-types.ts'
import { type Config, portalUrlFile, readConfig } from './config/config.ts'
import { ConfigError } from './config/config-error.ts'
import { type Env, processEnv } from './config/env.ts'
import { checkProtocolRows } from './config/protocol-rows.ts'
import { type Context, createContext } from './context.ts'
import { stopOnSignals } from './http/shutdown.ts'
import { createLogger, type Logger, type LogStream, logDestination } from './lib/logger.ts'
import { StartupError } from './lib/startup-error.ts'

const SAMPLE_WALLET = '0xd8da6bf26964af9d7eed9e03e53415d37aa96045'

const LOG_LIMIT_BYTES = 10_000_000

async function start(): Promise<void> {
  const config = readConfig({ ...processEnv(), ...fromArguments(process.argv.slice(2)) }, (path) =>
    readFileSync(path, 'utf8'),
  )
  checkProtocolRows(config.protocols, chainTypes.protocolAdapters)
  const logFile = logFileOf(config)
  const stream = logFile === null ? process.stderr : openLogFile(logFile)
  const logger = createLogger({ level: config.logLevel, stream })
  const creating = createContext(config, { logger })
  // An end during the start would leave PostgreSQL running.
  const isStopping = stopOnSignals(async () => (await creating).stop(), logger)
  const context = await creating
  if (isStopping()) return
  warnOfOrigin(config, logger)
  try {
    await listen(context, config)
    if (logFile !== null) say(`\nLogs: ${logFile} (COFFER_LOG_FILE=- prints them here). Ctrl-C stops Coffer.`)
    await context.proveEndpoints()
    await context.listAhead()
  } catch (thrown) {
    await context.stop()
    throw asStartupError(thrown)
  }
}

/** A terminal shows the address and the key, without the log. */
function logFileOf({ logFile, dataDir }: Config): string | null {
  if (logFile !== null) return logFile === '-' ? null : logFile
  return process.stdout.isTTY && process.stderr.isTTY ? join(dataDir, 'coffer.log') : null
}

/** The last lines before an end must be there. */
function openLogFile(file: string): LogStream {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > LOG_LIMIT_BYTES) renameSync(file, `${file}.1`)
    return logDestination(file)
  } catch (cause) {
    const { code = 'unknown error' } = cause as NodeJS.ErrnoException
    throw new StartupError(`The log ${file} cannot be written (${code}): choose another with COFFER_LOG_FILE.`, {
      cause,
    })
  }
}

function warnOfOrigin({ host, publicUrl, roles, portal, trustProxy }: Config, logger: Logger): void {
  const isLocal = /^(127\.[\d.]+|::1|localhost)$/.test(host)
  if ((isLocal && trustProxy === false) || publicUrl !== null || !roles.has('api')) return
  logger.warn(
    { host },
    'image URLs in answers start with the Host header that the caller sends: set COFFER_PUBLIC_URL to the URL of the API',
  )
  if (portal) logger.warn('no one can sign in to the portal except at a loopback address: set COFFER_PUBLIC_URL')
}

const USAGE = `Usage: npm start [-- OPTIONS], or coffer start [OPTIONS]

  --role api,worker   Answer requests, process jobs, or both. Takes precedence over COFFER_ROLE.
  --help, -h          Print this help.

Settings are environment variables: docs/configuration.md, or /docs/configuration of a running service.
`

function fromArguments(args: string[]): Env {
  const { help, role } = parseOptions(args)
  if (help) {
    process.stdout.write(USAGE)
    process.exit(0)
  }
  return role === undefined ? {} : { COFFER_ROLE: role }
}

function parseOptions(args: string[]) {
  try {
    return parseArgs({ args, options: { role: { type: 'string' }, help: { type: 'boolean', short: 'h' } } }).values
  } catch {
    throw new StartupError('Unknown arguments. "npm start -- --help" or "coffer start --help" lists them.')
  }
}

/** A failed start leaves no owner key. */
async function listen({ service, admin, makeOwner, makeSetupLink }: Context, config: Config): Promise<void> {
  const adminUrl = await admin.listen({ host: config.adminHost, port: config.adminPort })
  if (!config.roles.has('api')) {
    say(`Coffer is processing jobs (health and metrics: ${adminUrl}).`)
    return
  }
  const url = await service.app.listen({ host: config.host, port: config.port })
  // The launcher (scripts/run.mjs) builds the portal from here on.
  if (config.portal) process.send?.('listening')
  // For `coffer-admin portal link`.
  if (config.portal && existsSync(config.dataDir)) {
    writeFileSync(portalUrlFile(config.dataDir), `${portalUrl(url)}\n`, { mode: 0o600 })
  }
  const ownerKey = await makeOwner()
  say(`Coffer is ready at ${url} (health and metrics: ${adminUrl}).`)
  if (config.docs) say(`Reference and guides: ${url}/docs/`)
  const setupLink = config.portal ? await makeSetupLink() : undefined
  if (setupLink !== undefined)
    say(`Portal, with the one-time link of its first user: ${portalUrl(url)}/link#${setupLink}`)
  if (ownerKey === undefined) return
  say('')
  say(`This is a new installation. The key of its account "owner", shown this once: ${ownerKey}`)
  if (!process.stdout.isTTY) {
    say('If this output is stored (container logs, journald), replace the key once you have it:')
    say('  npx coffer-admin key create --account 1 --name mine && npx coffer-admin key revoke 1')
  }
  say('')
  say('Try:')
  say(`  curl -H 'Authorization: Bearer ${ownerKey}' ${url}/v1/credits`)
  say(`  curl -H 'Authorization: Bearer ${ownerKey}' '${url}/v1/portfolio?addresses=${SAMPLE_WALLET}'`)
}

/** Passkeys need a host name. */
const portalUrl = (url: string) => url.replace(/\/\/(127\.0\.0\.1|\[::1\]|0\.0\.0\.0)/, '//localhost')

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

function asStartupError(thrown: unknown): unknown {
  if (!(thrown instanceof Error && 'code' in thrown && 'port' in thrown)) return thrown
  if (thrown.code === 'EADDRINUSE') {
    return new StartupError(
      `Port ${String(thrown.port)} is in use, perhaps by another Coffer: stop it, or set COFFER_PORT and COFFER_ADMIN_PORT.`,
    )
  }
  return thrown
}

start().catch((thrown: unknown) => {
  const expected = thrown instanceof ConfigError || thrown instanceof StartupError
  process.stderr.write(
    expected ? `${thrown.message}\n` : `${String(thrown instanceof Error ? thrown.stack : thrown)}\n`,
  )
  process.exit(1)
})
