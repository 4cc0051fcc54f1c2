import { hostOf, type Secret } from '../lib/secret.ts'
import type { Config } from './config.ts'

/** They hold no key and no password. */
const PLAIN = [
  'host',
  'port',
  'adminHost',
  'adminPort',
  'docs',
  'connections',
  'upstreamBytes',
  'publicUrl',
  'trustProxy',
  'corsOrigins',
  'logLevel',
  'logFile',
  'retentionDays',
  'dataDir',
  'webhookNetworks',
  'securityContacts',
] as const satisfies readonly (keyof Config)[]

const hidden = (value: Secret | null): string | null => value && '[secret]'
const hostsBy = (urls: ReadonlyMap<string, Secret>) =>
  Object.fromEntries([...urls].map(([key, url]) => [key, hostOf(url)]))

/** Lists settings one by one, so that a new one stays hidden. */
export function effectiveSettings(config: Config): Record<string, unknown> {
  const { beacon, explorers, airdrops, oidc, proxy, otelUrl } = config
  return {
    ...Object.fromEntries(PLAIN.map((name) => [name, config[name]])),
    roles: [...config.roles],
    database: config.databaseUrl === null ? 'embedded' : hostOf(config.databaseUrl),
    databaseReplica: config.databaseReplicaUrl && hostOf(config.databaseReplicaUrl),
    databaseConnections: config.databaseConnections,
    proxy: proxy && { ...proxy, url: hostOf(proxy.url) },
    otel: otelUrl && hostOf(otelUrl),
    keyPeppers: config.keyPeppers.map(hidden),
    masterKeys: config.masterKeys.map(hidden),
    oidc: oidc && { ...oidc, issuer: new URL(oidc.issuer).host, clientSecret: hidden(oidc.clientSecret) },
    chains: Object.fromEntries([...config.endpoints].map(([chain, urls]) => [chain, urls.map(hostOf)])),
    priceSources: config.prices.sources,
    exchangeUrls: hostsBy(config.exchangeUrls),
    explorers: {
      etherscan: hostOf(explorers.etherscanUrl),
      etherscanKey: hidden(explorers.etherscanKey),
      blockscout: hostsBy(explorers.blockscoutUrls),
    },
    airdrops: { isSet: Object.keys(airdrops).length > 0 },
    beacon: beacon && { ...beacon, urls: beacon.urls.map(hostOf), relays: beacon.relays.map(hostOf) },
    ownRows: {
      tokens: config.tokens.length,
      protocols: config.protocols.length,
      bridges: config.bridges.length,
      labels: config.labels.length,
      priceFeeds: config.prices.feeds.length,
      priceOverrides: config.prices.overrides.length,
    },
  }
}
