import { isIP } from 'node:net'
import { isUrl, WEB } from '../lib/is-url.ts'
import { ConfigError, suggestion } from './config-error.ts'

/** Empty values count as not set. */
export type Env = Readonly<Record<string, string | undefined>>

export const variables = [
  'DATABASE_URL',
  'DATABASE_REPLICA_URL',
  'COFFER_DATABASE',
  'COFFER_DATABASE_CONNECTIONS',
  'COFFER_ROLE',
  'COFFER_HOST',
  'COFFER_PORT',
  'COFFER_ADMIN_HOST',
  'COFFER_ADMIN_PORT',
  'COFFER_DOCS',
  'COFFER_PORTAL',
  'COFFER_OIDC_ISSUER',
  'COFFER_OIDC_CLIENT_ID',
  'COFFER_OIDC_CLIENT_SECRET',
  'COFFER_OIDC_NAME',
  'COFFER_MAX_CONNECTIONS',
  'COFFER_MAX_CONNECTIONS_PER_ADDRESS',
  'COFFER_UPSTREAM_MEMORY_MB',
  'COFFER_HTTP_PROXY',
  'COFFER_NO_PROXY',
  'COFFER_DATA_DIR',
  'COFFER_RETENTION_DAYS',
  'COFFER_PUBLIC_URL',
  'COFFER_SECURITY_CONTACT',
  'COFFER_TRUST_PROXY',
  'COFFER_KEY_PEPPER',
  'COFFER_MASTER_KEY',
  'COFFER_CORS_ORIGIN',
  'COFFER_WEBHOOK_NETWORKS',
  'COFFER_LOG_FILE',
  'COFFER_LOG_LEVEL',
  'COFFER_OTEL_URL',
  'COFFER_CONFIG',
  'COFFER_LABELS',
  'COFFER_CHAINS',
  'COFFER_LOCAL_CHAINS',
  'COFFER_PRICES',
  'COFFER_ETHERSCAN_API_KEY',
  'COFFER_ETHERSCAN_URL',
  'COFFER_AIRDROP_SOURCES',
  'COFFER_BEACON_URL',
  'COFFER_BEACON_REWARDS_FROM',
  'COFFER_BEACON_INDEX',
  'COFFER_BEACON_RELAYS',
] as const

export type Variable = (typeof variables)[number]

export function processEnv(): Env {
  return { ...process.env }
}

export function rpcVariable(chainKey: string): string {
  return `COFFER_RPC_${chainKey.toUpperCase()}`
}

/** Without effect: API processes always share their rate limits. */
const RETIRED = ['COFFER_RATE_LIMIT_STORE']

/** Refuses typos, which would silently lose a setting. */
export function refuseUnknown(env: Env, others: readonly string[]): void {
  const known = new Set<string>([...variables, ...RETIRED, ...others])
  for (const name of Object.keys(env)) {
    if (!name.startsWith('COFFER_') || known.has(name)) continue
    throw new ConfigError(name, `is not a setting of Coffer${suggestion(name, known)}`)
  }
}

export function envText(env: Env, name: string): string | undefined {
  return env[name]?.trim() || undefined
}

export function envList(env: Env, name: string): readonly string[] | undefined {
  const parts = envText(env, name)
    ?.split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
  return parts?.length ? parts : undefined
}

export function envPort(env: Env, name: Variable, otherwise: number): number {
  const text = envText(env, name)
  if (text === undefined) return otherwise
  if (!/^(0|[1-9]\d{0,4})$/.test(text) || Number(text) > 65_535)
    throw new ConfigError(name, 'is not a port (0 to 65535)')
  return Number(text)
}

export function envCount(env: Env, name: Variable, otherwise: number): number {
  const text = envText(env, name)
  if (text === undefined) return otherwise
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new ConfigError(name, 'is not a whole number from 1 to 9999999')
  return Number(text)
}

export function envChoice<const T extends string>(env: Env, name: Variable, choices: readonly T[], otherwise: T): T {
  const text = envText(env, name)
  if (text === undefined) return otherwise
  const choice = choices.find((candidate) => candidate === text)
  if (choice === undefined) throw new ConfigError(name, `must be one of ${choices.join(', ')}`)
  return choice
}

export function envNetworks(env: Env, name: Variable, otherwise = ''): readonly string[] {
  const networks = envList(env, name) ?? []
  for (const network of networks) {
    const [address = '', bits = '0', ...rest] = network.split('/')
    const largest = isIP(address) === 6 ? 128 : 32
    if (isIP(address) === 0 || !/^\d{1,3}$/.test(bits) || Number(bits) > largest || rest.length > 0) {
      throw new ConfigError(name, `must be ${otherwise}a list of IP addresses and ranges, e.g. 10.0.0.0/8`)
    }
  }
  return networks
}

/** Errors hide the value: it may hold a password. */
export function envUrl(env: Env, name: string, schemes: readonly string[] = WEB): string | undefined {
  const text = envText(env, name)
  if (text !== undefined && !isUrl(text, schemes)) {
    throw new ConfigError(name, `is not a URL that begins with ${schemes.map((scheme) => `${scheme}//`).join(' or ')}`)
  }
  return text
}
