import { join } from 'node:path'
import type { AirdropSettings } from '../chains/airdrops.ts'
import type { Chain } from '../chains/chain.ts'
import { findChain } from '../chains/chain-catalog.ts'
import type { ChainTypeSection, ChainTypes } from '../chains/chain-type.ts'
import { chainTypes as shippedChainTypes } from '../chains/chain-types.ts'
import type { ProtocolRow } from '../chains/protocol-row.ts'
import type { ChainTypeSettings, ExplorerSettings, OwnLabel } from '../chains/settings.ts'
import type { Address } from '../domain/address.ts'
import type { Token } from '../domain/token.ts'
import { exchangeRows } from '../exchanges/exchange-list.ts'
import { isUrl } from '../lib/is-url.ts'
import { type Secret, secret } from '../lib/secret.ts'
import { readAirdrops } from './airdrop-settings.ts'
import { type BeaconSettings, readBeacon } from './beacon-settings.ts'
import { readChains, readEndpoints, unknownChain } from './config-chains.ts'
import { ConfigError, suggestion } from './config-error.ts'
import {
  type ConfigFile,
  fileError,
  type PriceFeed,
  type PriceOverride,
  parseConfigFile,
  parseLabelFile,
} from './config-file.ts'
import { type DatabaseConfig, readDatabaseConfig } from './database-config.ts'
import {
  type Env,
  envChoice,
  envCount,
  envList,
  envNetworks,
  envPort,
  envText,
  envUrl,
  refuseUnknown,
  rpcVariable,
  type Variable,
} from './env.ts'
import { type OidcSettings, readOidc } from './oidc-settings.ts'
import { type ProxySettings, readProxy } from './proxy-settings.ts'

const roles = ['api', 'worker'] as const
type Role = (typeof roles)[number]

export const portalUrlFile = (dataDir: string) => join(dataDir, 'portal.url')

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

/** Values that may hold a key or password are `Secret`. */
export type Config = DatabaseConfig & {
  /** At least one. `worker` runs jobs that outlive a request. */
  roles: ReadonlySet<Role>
  /** Until data without requests is deleted. Null: kept. */
  retentionDays: number | null
  host: string
  /** 0: chosen by the system. */
  port: number
  adminHost: string
  adminPort: number
  docs: boolean
  portal: boolean
  oidc: OidcSettings | null
  connections: { total: number; perAddress: number }
  /** For outgoing requests, webhooks excepted. */
  proxy: ProxySettings | null
  /** Bytes of upstream answers received at once. */
  upstreamBytes: number
  /** Without trailing slash. Null: each request's host. */
  publicUrl: string | null
  /** URIs, e.g. `mailto:`, for `/.well-known/security.txt`. */
  securityContacts: readonly string[]
  /** Trusted `X-Forwarded-*`: all, none, or those of these proxies. */
  trustProxy: boolean | string[]
  corsOrigins: '*' | readonly string[]
  /** Non-public networks that webhooks may reach. */
  webhookNetworks: readonly string[]
  logLevel: (typeof logLevels)[number]
  /** `-`: standard error. Null: the same, or a file in `dataDir` on a terminal. */
  logFile: string | null
  /** Base of an OTLP receiver over HTTP. Null: no traces. */
  otelUrl: Secret | null
  chains: readonly Chain[]
  endpoints: ReadonlyMap<string, readonly Secret[]>
  prices: {
    sources: readonly string[]
    settings: ReadonlyMap<string, Secret>
    feeds: readonly PriceFeed[]
    overrides: readonly PriceOverride[]
  }
  tokens: readonly Token[]
  /** The protocol checks `deployment`. */
  protocols: readonly ProtocolRow[]
  bridges: readonly { key: string; name: string; contracts: Readonly<Record<string, readonly Address[]>> }[]
  labels: readonly OwnLabel[]
  /** Replaces an exchange's hosts, by its key. */
  exchangeUrls: ReadonlyMap<string, Secret>
  explorers: ExplorerSettings
  airdrops: AirdropSettings
  beacon: BeaconSettings | null
}

function readNamed(env: Env, variable: Variable, readFile: (path: string) => string): string | undefined {
  const path = envText(env, variable)
  try {
    return path === undefined ? undefined : readFile(path)
  } catch {
    throw new ConfigError(variable, 'names a file that cannot be read')
  }
}

type Known = { chains: readonly Chain[]; chainTypes: ChainTypes }

type Section = ChainTypeSection | 'tokens' | 'priceOverrides'
const isOfTokens = (section: Section) => section === 'tokens' || section === 'priceOverrides'

function resolveChain(section: Section, path: string, name: string, known: Known): Chain {
  const chain = findChain(name, known.chains)
  if (chain && (isOfTokens(section) || known.chainTypes.of(chain).sections.includes(section))) return chain
  throw fileError(path, unknownChain(name, known.chains))
}

function resolveRows<T extends { chain: string }>(
  section: Section,
  rows: readonly T[],
  known: Known,
  identity: (row: T, index: number) => string,
): T[] {
  const seen = new Set<string>()
  return rows.map((row, index) => {
    const chain = resolveChain(section, `${section}[${index}].chain`, row.chain, known)
    const subject = identity(row, index)
    const id = `${chain.key}:${subject}`
    if (seen.has(id)) throw fileError(`${section}[${index}]`, `duplicate row for ${id}`)
    seen.add(id)
    if (isOfTokens(section) && chain.family !== known.chainTypes.ofWallet(subject)?.name)
      throw fileError(`${section}[${index}]`, `is not a token of ${chain.key}`)
    return { ...row, chain: chain.key }
  })
}

function readPriceSources(env: Env, chainTypes: ChainTypes): readonly string[] {
  const known = chainTypes.priceSources.map(({ name }) => name)
  const byDefault = chainTypes.priceSources.flatMap(({ name, leavesNode }) => (leavesNode ? [] : [name]))
  const names = envList(env, 'COFFER_PRICES') ?? byDefault
  const unknown = names.find((name) => !known.includes(name))
  if (unknown !== undefined) {
    throw new ConfigError('COFFER_PRICES', `names ${JSON.stringify(unknown)}; the sources are ${known.join(', ')}`)
  }
  if (new Set(names).size < names.length) throw new ConfigError('COFFER_PRICES', 'names the same source twice')
  return names
}

function readPrices(env: Env, file: ConfigFile, known: Known): Config['prices'] {
  const sources = readPriceSources(env, known.chainTypes)
  return {
    sources,
    settings: new Map(readSourceSettings(env, sources, known.chainTypes)),
    feeds: resolveRows('priceFeeds', file.priceFeeds, known, (row) => row.token),
    overrides: resolveRows('priceOverrides', file.priceOverrides, known, (row) => row.token),
  }
}

function readSourceSettings(env: Env, sources: readonly string[], chainTypes: ChainTypes): [string, Secret][] {
  return chainTypes.priceSources.flatMap(({ name, settings }) =>
    settings.flatMap((setting): [string, Secret][] => {
      const { variable, kind } = setting
      if (envText(env, variable) !== undefined && !sources.includes(name)) {
        throw new ConfigError(variable, `is set, but ${name} is not one of COFFER_PRICES`)
      }
      const value = kind === 'url' ? (envUrl(env, variable) ?? setting.otherwise) : envText(env, variable)
      return value === undefined ? [] : [[variable, secret(value)]]
    }),
  )
}

function readExchangeUrls(file: ConfigFile): ReadonlyMap<string, Secret> {
  const keys = exchangeRows.map(({ key }) => key)
  const entries = Object.entries(file.exchangeUrls).map(([key, url]): [string, Secret] => {
    if (keys.includes(key)) return [key, secret(url)]
    throw fileError('exchangeUrls', `unknown exchange ${JSON.stringify(key)}${suggestion(key, keys)}`)
  })
  return new Map(entries)
}

function readExplorers(env: Env, file: ConfigFile, known: Known): ExplorerSettings {
  const etherscanKey = envText(env, 'COFFER_ETHERSCAN_API_KEY')
  const etherscanUrl = envUrl(env, 'COFFER_ETHERSCAN_URL')
  if (etherscanUrl !== undefined && etherscanKey === undefined) {
    throw new ConfigError('COFFER_ETHERSCAN_URL', 'is set, but COFFER_ETHERSCAN_API_KEY is not')
  }
  const rows = Object.entries(file.blockscoutUrls).map(([name, url]): [string, Secret] => {
    return [resolveChain('blockscoutUrls', 'blockscoutUrls', name, known).key, secret(url)]
  })
  if (new Set(rows.map(([key]) => key)).size < rows.length) throw fileError('blockscoutUrls', 'names a chain twice')
  return {
    etherscanUrl: secret(etherscanUrl ?? 'https://api.etherscan.io/v2/api'),
    etherscanKey: etherscanKey === undefined ? null : secret(etherscanKey),
    blockscoutUrls: new Map(rows),
  }
}

function readPorts(env: Env) {
  const port = envPort(env, 'COFFER_PORT', 8080)
  const adminPort = envPort(env, 'COFFER_ADMIN_PORT', 8081)
  if (port === adminPort && port !== 0)
    throw new ConfigError('COFFER_ADMIN_PORT', `is ${port}, the same as COFFER_PORT`)
  return { port, adminPort }
}

function readHost(env: Env, name: 'COFFER_HOST' | 'COFFER_ADMIN_HOST'): string {
  const host = envText(env, name) ?? '127.0.0.1'
  if (!/^[A-Za-z0-9.:-]+$/.test(host)) throw new ConfigError(name, 'is not a host name or IP address')
  return host
}

function readRoles(env: Env): ReadonlySet<Role> {
  const names = envList(env, 'COFFER_ROLE') ?? roles
  return new Set(
    names.map((name) => {
      const role = roles.find((known) => known === name)
      if (!role) throw new ConfigError('COFFER_ROLE', `must be a list of ${roles.join(', ')}`)
      return role
    }),
  )
}

function readPublicUrl(env: Env): string | null {
  const text = envUrl(env, 'COFFER_PUBLIC_URL')
  if (text === undefined) return null
  const url = new URL(text)
  if (url.search || url.hash || url.username || url.password) {
    throw new ConfigError('COFFER_PUBLIC_URL', 'must be an origin and a path, without credentials, query or fragment')
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
}

function readSecurityContacts(env: Env): readonly string[] {
  const contacts = envList(env, 'COFFER_SECURITY_CONTACT') ?? []
  if (contacts.every((contact) => /^(mailto:|tel:|https:\/\/)[\x21-\x7e]+$/.test(contact))) return contacts
  throw new ConfigError('COFFER_SECURITY_CONTACT', 'must be a list of mailto:, tel: and https:// addresses')
}

function readOtelUrl(env: Env): Secret | null {
  const url = envUrl(env, 'COFFER_OTEL_URL')
  return url === undefined ? null : secret(url)
}

function readTrustProxy(env: Env): Config['trustProxy'] {
  const proxies = envList(env, 'COFFER_TRUST_PROXY') ?? []
  if (proxies.length === 1 && proxies[0] === 'true') return true
  return proxies.length > 0 && [...envNetworks(env, 'COFFER_TRUST_PROXY', 'true or ')]
}

function readCorsOrigins(env: Env): Config['corsOrigins'] {
  const origins = envList(env, 'COFFER_CORS_ORIGIN') ?? ['*']
  if (origins.length === 1 && origins[0] === '*') return '*'
  for (const origin of origins) {
    if (!isUrl(origin) || new URL(origin).origin !== origin) {
      throw new ConfigError('COFFER_CORS_ORIGIN', `must be * or a list of origins, e.g. https://app.example`)
    }
  }
  return origins
}

/** Requires upper-case `currencies` that have a rate. */
export function chainTypeSettingsOf(
  { prices, protocols, bridges, labels, explorers, airdrops }: Config,
  currencies: readonly string[],
): ChainTypeSettings {
  const setting = (variable: string) => prices.settings.get(variable)?.reveal()
  return { prices: { ...prices, setting, currencies }, protocols, bridges, labels, explorers, airdrops }
}

export const sourceVariables = ({ priceSources }: ChainTypes): readonly string[] =>
  priceSources.flatMap(({ settings }) => settings.map(({ variable }) => variable))

/** Throws `ConfigError` at the first problem. */
export function readConfig(
  env: Env,
  readFile: (path: string) => string,
  chainTypes: ChainTypes = shippedChainTypes,
): Config {
  const file = parseConfigFile(readNamed(env, 'COFFER_CONFIG', readFile) ?? '{}', chainTypes)
  const chains = readChains(env, file.chains, chainTypes)
  const known = { chains, chainTypes }
  refuseUnknown(env, [...chains.map(({ key }) => rpcVariable(key)), ...sourceVariables(chainTypes)])
  const tokens = resolveRows('tokens', file.tokens, known, (row) => row.address)
  const bridges = resolveRows('bridges', file.bridges, known, (row) => row.key)
  const beacon = readBeacon(env)
  return {
    ...readDatabaseConfig(env),
    roles: readRoles(env),
    retentionDays: envText(env, 'COFFER_RETENTION_DAYS') === 'off' ? null : envCount(env, 'COFFER_RETENTION_DAYS', 90),
    host: readHost(env, 'COFFER_HOST'),
    adminHost: readHost(env, 'COFFER_ADMIN_HOST'),
    ...readPorts(env),
    docs: envChoice(env, 'COFFER_DOCS', ['on', 'off'], 'on') === 'on',
    portal: envChoice(env, 'COFFER_PORTAL', ['on', 'off'], 'on') === 'on',
    oidc: readOidc(env),
    connections: {
      total: envCount(env, 'COFFER_MAX_CONNECTIONS', 5_000),
      perAddress: envCount(env, 'COFFER_MAX_CONNECTIONS_PER_ADDRESS', 500),
    },
    proxy: readProxy(env),
    // Answers about all validators have 250 MB each.
    upstreamBytes: envCount(env, 'COFFER_UPSTREAM_MEMORY_MB', beacon?.index === 'all' ? 640 : 128) * 1_000_000,
    publicUrl: readPublicUrl(env),
    securityContacts: readSecurityContacts(env),
    trustProxy: readTrustProxy(env),
    corsOrigins: readCorsOrigins(env),
    webhookNetworks: envNetworks(env, 'COFFER_WEBHOOK_NETWORKS'),
    logLevel: envChoice(env, 'COFFER_LOG_LEVEL', logLevels, 'info'),
    logFile: envText(env, 'COFFER_LOG_FILE') ?? null,
    otelUrl: readOtelUrl(env),
    chains,
    endpoints: readEndpoints(env, chains, file.chains),
    prices: readPrices(env, file, known),
    tokens: tokens.map((token) => ({ ...token, listed: true })),
    protocols: resolveRows('protocols', file.protocols, known, (_row, index) => String(index)),
    bridges: bridges.map(({ key, name, chain, contracts }) => ({ key, name, contracts: { [chain]: contracts } })),
    labels: parseLabelFile(readNamed(env, 'COFFER_LABELS', readFile) ?? '[]', chains),
    exchangeUrls: readExchangeUrls(file),
    explorers: readExplorers(env, file, known),
    airdrops: readAirdrops(env, file, chainTypes),
    beacon,
  }
}
