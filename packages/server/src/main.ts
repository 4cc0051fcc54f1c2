import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { type Config, readConfig } from './config/config.ts'
import { ConfigError } from './config/config-error.ts'
import { type Env, processEnv } from './config/env.ts'
import { checkProtocolRows } from './config/protocol-rows.ts'
import { type Context, createContext } from './context.ts'
import { stopOnSignals } from './http/shutdown.ts'
import { kinds } from './kinds/kinds.ts'
import { createLogger, type Logger } from './lib/logger.ts'
import { StartupError } from './lib/startup-error.ts'

/** A well-known address with something to show, for the second line to try. */
const SAMPLE_WALLET = '0xd8da6bf26964af9d7eed9e03e53415d37aa96045'

async function start(): Promise<void> {
  const config = readConfig({ ...processEnv(), ...fromArguments(process.argv.slice(2)) }, (path) =>
    readFileSync(path, 'utf8'),
  )
  checkProtocolRows(config.protocols, kinds.families)
  const logger = createLogger({ level: config.logLevel, stream: process.stderr })
  const creating = createContext(config, { logger })
  // A process that ended half-way through its start would leave its PostgreSQL running.
  const isStopping = stopOnSignals(async () => (await creating).stop(), logger)
  const context = await creating
  if (isStopping()) return
  warnOfOrigin(config, logger)
  try {
    await listen(context, config)
    await context.proveEndpoints()
    await context.listAhead()
  } catch (thrown) {
    await context.stop()
    throw asStartupError(thrown)
  }
}

/** Warns if others than this machine may call, and the service does not know under which address. */
function warnOfOrigin({ host, publicUrl, roles, portal, trustProxy }: Config, logger: Logger): void {
  const isLocal = /^(127\.[\d.]+|::1|localhost)$/.test(host)
  if ((isLocal && trustProxy === false) || publicUrl !== null || !roles.has('api')) return
  logger.warn(
    { host },
    'image URLs in answers start with the Host header that the caller sends: set COFFER_PUBLIC_URL to the URL of the API',
  )
  if (portal) logger.warn('no one can sign in to the portal except at a loopback address: set COFFER_PUBLIC_URL')
}

/** `--role` says what `COFFER_ROLE` does, and wins over it. */
function fromArguments(args: string[]): Env {
  try {
    const { values } = parseArgs({ args, options: { role: { type: 'string' } } })
    return values.role === undefined ? {} : { COFFER_ROLE: values.role }
  } catch {
    throw new StartupError(
      'Unknown arguments. Usage: npm start [-- --role api,worker], or coffer start [--role api,worker]',
    )
  }
}

/** Creates the owner key only after the service listens, so that a failed start leaves no key behind. */
async function listen({ service, admin, makeOwner, makeSetupLink }: Context, config: Config): Promise<void> {
  const adminUrl = await admin.listen({ host: config.adminHost, port: config.adminPort })
  if (!config.roles.has('api')) {
    say(`Coffer works on jobs (health and metrics: ${adminUrl}).`)
    return
  }
  const url = await service.app.listen({ host: config.host, port: config.port })
  // The launcher (scripts/run.mjs) builds the portal from here on.
  if (config.portal) process.send?.('listening')
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
    say('Where this output is kept (container logs, journald), put another in its place once you have it:')
    say('  npx coffer-admin key create --account 1 --name mine && npx coffer-admin key revoke 1')
  }
  say('')
  say('Try:')
  say(`  curl -H 'Authorization: Bearer ${ownerKey}' ${url}/v1/credits`)
  say(`  curl -H 'Authorization: Bearer ${ownerKey}' '${url}/v1/portfolio?addresses=${SAMPLE_WALLET}'`)
}

/** Passkeys need a host name: this machine's addresses of itself as `localhost`. */
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
