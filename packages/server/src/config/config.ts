import { resolve } from 'node:path'
import { explorerTemplates, findChain, chains as shippedChains } from '../chains/catalog.ts'
import type { Chain } from '../chains/chain.ts'
import type { Token } from '../domain/token.ts'
import type { ProtocolRow } from '../protocols/adapter.ts'
import { ConfigError } from './config-error.ts'
import { type ConfigFile, type FileChain, type PriceFeed, type PriceOverride, parseConfigFile } from './config-file.ts'
import { type Env, envChoice, envList, envPort, envText, envUrl, isUrl, refuseUnknown, rpcVariable } from './env.ts'
import { suggestion } from './nearest.ts'
import { type Secret, secret } from './secrets.ts'

/** Price sources by name, in the order in which they are asked when nothing is configured; the last two leave the node. */
export const priceSourceNames = [
  'override',
  'receipt',
  'aave',
  'chainlink',
  'uniswap',
  'defillama',
  'coingecko',
] as const
export type PriceSourceName = (typeof priceSourceNames)[number]

const defaultPriceSources: readonly PriceSourceName[] = ['override', 'receipt', 'aave', 'chainlink', 'uniswap']

/** Read when `COFFER_CHAINS` is not set: the chains whose approvals can be listed. */
const defaultChains = 'arbitrum avalanche base binance ethereum fantom gnosis linea optimism polygon'.split(' ')

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

/** Everything that can be set, with defaults and conflicts decided. Values that may hold a key or password are `Secret`. */
export type Config = {
  /** null: the embedded PostgreSQL below `dataDir`. */
  databaseUrl: Secret | null
  /** Absolute. */
  dataDir: string
  host: string
  /** 0 lets the system choose. */
  port: number
  adminPort: number
  /** Origin and path that clients see, without a last slash; null: each request's own host. */
  publicUrl: string | null
  /** `*`, or the origins that browsers may call from. */
  corsOrigins: '*' | readonly string[]
  logLevel: (typeof logLevels)[number]
  rateLimitStore: 'memory' | 'postgres'
  /** All chains that are known, those of the file included. */
  chains: readonly Chain[]
  /** The chains that are read, by key, each with its endpoints in the order in which they are tried. */
  endpoints: ReadonlyMap<string, readonly Secret[]>
  prices: {
    sources: readonly PriceSourceName[]
    defillamaUrl: Secret
    coingeckoUrl: Secret
    coingeckoKey: Secret | null
    feeds: readonly PriceFeed[]
    overrides: readonly PriceOverride[]
  }
  /** Tokens of the file, listed. */
  tokens: readonly Token[]
  /** Protocol rows of the file. Their `deployment` is checked by the family that they name. */
  protocols: readonly ProtocolRow[]
}

const emptyFile: ConfigFile = { chains: [], tokens: [], protocols: [], priceFeeds: [], priceOverrides: [] }

function readFileOf(env: Env, readFile: (path: string) => string): ConfigFile {
  const path = envText(env, 'COFFER_CONFIG')
  if (path === undefined) return emptyFile
  let text: string
  try {
    text = readFile(path)
  } catch {
    throw new ConfigError('COFFER_CONFIG', 'names a file that cannot be read')
  }
  const parsed = parseConfigFile(text)
  if ('problem' in parsed) throw new ConfigError('COFFER_CONFIG', parsed.problem)
  return parsed.file
}

function chainOf(row: FileChain): Chain {
  return {
    key: row.key,
    family: 'evm',
    chainId: String(row.chainId),
    name: row.name,
    native: { symbol: row.native.symbol, name: row.native.name ?? row.native.symbol, decimals: row.native.decimals },
    wrappedNative: row.wrappedNative ?? null,
    multicall3: row.multicall3 ?? null,
    nativeErc20s: row.nativeErc20s,
    blockSource: 'opcode',
    color: row.color.toLowerCase(),
    explorer: explorerTemplates(row.explorer.replace(/\/+$/, '')),
    altExplorer: null,
    publicRpcUrls: row.rpcUrls,
    defillama: row.defillama ?? null,
    coingecko: row.coingecko ?? null,
  }
}

/** A problem inside the file, at its path. */
function fileError(path: string, problem: string): ConfigError {
  return new ConfigError('COFFER_CONFIG', `${path}: ${problem}`)
}

function withFileChains(rows: readonly FileChain[]): readonly Chain[] {
  const known = [...shippedChains]
  for (const [index, row] of rows.entries()) {
    const chain = chainOf(row)
    const same = known.find((other) => other.key === chain.key || other.chainId === chain.chainId)
    if (same) throw fileError(`chains[${index}]`, `key or chainId is already that of ${same.key}`)
    known.push(chain)
  }
  return known
}

function unknownChain(name: string, chains: readonly Chain[]): string {
  const keys = chains.map((chain) => chain.key)
  return `unknown chain ${JSON.stringify(name)}${suggestion(name, keys)}`
}

/**
 * The rows of one section of the file with the chain's canonical key. Refuses chains that are not known or not EVM and
 * a second row for the same thing, which would leave open which one counts.
 */
function resolveRows<T extends { chain: string }>(
  section: string,
  rows: readonly T[],
  chains: readonly Chain[],
  identity: (row: T) => string | undefined,
): T[] {
  const seen = new Set<string>()
  return rows.map((row, index) => {
    const chain = findChain(row.chain, chains)
    if (chain?.family !== 'evm') throw fileError(`${section}[${index}].chain`, unknownChain(row.chain, chains))
    const subject = identity(row)
    if (subject !== undefined) {
      const id = `${chain.key}:${subject}`
      if (seen.has(id)) throw fileError(`${section}[${index}]`, `a second row for ${id}`)
      seen.add(id)
    }
    return { ...row, chain: chain.key }
  })
}

function enabledChains(env: Env, chains: readonly Chain[], file: ConfigFile): readonly Chain[] {
  const names = envList(env, 'COFFER_CHAINS') ?? [...defaultChains, ...file.chains.map((chain) => chain.key)]
  const enabled = names.map((name) => {
    const chain = findChain(name, chains)
    if (!chain) throw new ConfigError('COFFER_CHAINS', `names an ${unknownChain(name, chains)}`)
    if (chain.family !== 'evm') throw new ConfigError('COFFER_CHAINS', `names ${chain.key}, which cannot be read yet`)
    return chain
  })
  return [...new Set(enabled)]
}

function rpcUrls(env: Env, chain: Chain): readonly string[] {
  const variable = rpcVariable(chain.key)
  const urls = envList(env, variable) ?? chain.publicRpcUrls
  if (urls.length === 0)
    throw new ConfigError(variable, `is needed: ${chain.key} is enabled and has no public endpoint`)
  for (const [index, url] of urls.entries()) {
    if (!isUrl(url, ['http:', 'https:'])) {
      throw new ConfigError(variable, `has an entry (number ${index + 1}) that is not an http or https URL`)
    }
  }
  if (new Set(urls).size < urls.length) throw new ConfigError(variable, 'names the same endpoint twice')
  return urls
}

function readEndpoints(env: Env, chains: readonly Chain[], enabled: readonly Chain[]): Config['endpoints'] {
  for (const chain of chains) {
    const variable = rpcVariable(chain.key)
    if (envText(env, variable) !== undefined && !enabled.includes(chain)) {
      throw new ConfigError(
        variable,
        `is set, but ${chain.key} is not one of the enabled chains: add it to COFFER_CHAINS`,
      )
    }
  }
  return new Map(enabled.map((chain) => [chain.key, rpcUrls(env, chain).map(secret)]))
}

function readPriceSources(env: Env): readonly PriceSourceName[] {
  const names = envList(env, 'COFFER_PRICES') ?? defaultPriceSources
  const sources = names.map((name) => {
    const source = priceSourceNames.find((known) => known === name)
    if (!source) {
      const known = priceSourceNames.join(', ')
      throw new ConfigError('COFFER_PRICES', `names ${JSON.stringify(name)}; the sources are ${known}`)
    }
    return source
  })
  if (new Set(sources).size < sources.length) throw new ConfigError('COFFER_PRICES', 'names the same source twice')
  return sources
}

function readPrices(env: Env, file: ConfigFile, chains: readonly Chain[]): Config['prices'] {
  const sources = readPriceSources(env)
  const settings = [
    ['COFFER_DEFILLAMA_URL', 'defillama'],
    ['COFFER_COINGECKO_URL', 'coingecko'],
    ['COFFER_COINGECKO_KEY', 'coingecko'],
  ] as const
  for (const [variable, source] of settings) {
    if (envText(env, variable) !== undefined && !sources.includes(source)) {
      throw new ConfigError(variable, `is set, but ${source} is not one of COFFER_PRICES`)
    }
  }
  const coingeckoKey = envText(env, 'COFFER_COINGECKO_KEY')
  const web = ['http:', 'https:']
  return {
    sources,
    defillamaUrl: secret(envUrl(env, 'COFFER_DEFILLAMA_URL', web) ?? 'https://coins.llama.fi'),
    coingeckoUrl: secret(envUrl(env, 'COFFER_COINGECKO_URL', web) ?? 'https://api.coingecko.com/api/v3'),
    coingeckoKey: coingeckoKey === undefined ? null : secret(coingeckoKey),
    feeds: resolveRows('priceFeeds', file.priceFeeds, chains, (row) => row.token),
    overrides: resolveRows('priceOverrides', file.priceOverrides, chains, (row) => row.token),
  }
}

function readPorts(env: Env): Pick<Config, 'port' | 'adminPort'> {
  const port = envPort(env, 'COFFER_PORT', 8080)
  const adminPort = envPort(env, 'COFFER_ADMIN_PORT', 8081)
  if (port === adminPort && port !== 0)
    throw new ConfigError('COFFER_ADMIN_PORT', `is ${port}, the same as COFFER_PORT`)
  return { port, adminPort }
}

function readHost(env: Env): string {
  const host = envText(env, 'COFFER_HOST') ?? '127.0.0.1'
  if (!/^[A-Za-z0-9.:-]+$/.test(host)) throw new ConfigError('COFFER_HOST', 'is not a host name or IP address')
  return host
}

function readPublicUrl(env: Env): string | null {
  const text = envUrl(env, 'COFFER_PUBLIC_URL', ['http:', 'https:'])
  if (text === undefined) return null
  const url = new URL(text)
  if (url.search || url.hash || url.username || url.password) {
    throw new ConfigError('COFFER_PUBLIC_URL', 'must be an origin and a path, without credentials, query or fragment')
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
}

function readCorsOrigins(env: Env): Config['corsOrigins'] {
  const origins = envList(env, 'COFFER_CORS_ORIGIN') ?? ['*']
  if (origins.length === 1 && origins[0] === '*') return '*'
  for (const origin of origins) {
    if (!isUrl(origin, ['http:', 'https:']) || new URL(origin).origin !== origin) {
      throw new ConfigError('COFFER_CORS_ORIGIN', `must be * or a list of origins, e.g. https://app.example`)
    }
  }
  return origins
}

/**
 * The configuration that an environment asks for. Pure but for `readFile`, which reads the file of `COFFER_CONFIG`.
 * Throws `ConfigError` at the first typo, conflict, unknown chain or malformed value.
 */
export function readConfig(env: Env, readFile: (path: string) => string): Config {
  const file = readFileOf(env, readFile)
  const chains = withFileChains(file.chains)
  refuseUnknown(
    env,
    chains.map((chain) => chain.key),
  )
  const databaseUrl = envUrl(env, 'DATABASE_URL', ['postgres:', 'postgresql:'])
  const tokens = resolveRows('tokens', file.tokens, chains, (row) => row.address)
  return {
    databaseUrl: databaseUrl === undefined ? null : secret(databaseUrl),
    dataDir: resolve(envText(env, 'COFFER_DATA_DIR') ?? 'data'),
    host: readHost(env),
    ...readPorts(env),
    publicUrl: readPublicUrl(env),
    corsOrigins: readCorsOrigins(env),
    logLevel: envChoice(env, 'COFFER_LOG_LEVEL', logLevels, 'info'),
    rateLimitStore: envChoice(env, 'COFFER_RATE_LIMIT_STORE', ['memory', 'postgres'], 'memory'),
    chains,
    endpoints: readEndpoints(env, chains, enabledChains(env, chains, file)),
    prices: readPrices(env, file, chains),
    tokens: tokens.map((token) => ({ ...token, listed: true })),
    protocols: resolveRows('protocols', file.protocols, chains, () => undefined),
  }
}
