import { isUrl } from '../lib/is-url.ts'
import { type Secret, secret } from '../lib/secret.ts'
import { ConfigError } from './config-error.ts'
import { type Env, envChoice, envList, envText, type Variable } from './env.ts'

export type BeaconSettings = {
  urls: readonly Secret[]
  /** Null: the first epoch with execution payloads. */
  rewardsFrom: number | null
  index: 'tracked' | 'all'
  relays: readonly Secret[]
}

export function readBeacon(env: Env): BeaconSettings | null {
  const urls = readUrls(env, 'COFFER_BEACON_URL')
  const settings = {
    rewardsFrom: readEpoch(env, 'COFFER_BEACON_REWARDS_FROM'),
    index: envChoice(env, 'COFFER_BEACON_INDEX', ['tracked', 'all'], 'tracked'),
    relays: readUrls(env, 'COFFER_BEACON_RELAYS'),
  }
  if (urls.length > 0) return { urls, ...settings }
  for (const name of ['COFFER_BEACON_REWARDS_FROM', 'COFFER_BEACON_INDEX', 'COFFER_BEACON_RELAYS'] as const) {
    if (envText(env, name) !== undefined) throw new ConfigError(name, 'is set, but COFFER_BEACON_URL is not')
  }
  return null
}

/** Hides URLs in errors: they may hold keys. */
function readUrls(env: Env, name: Variable): Secret[] {
  const urls = envList(env, name) ?? []
  if (new Set(urls).size < urls.length) throw new ConfigError(name, 'names the same URL twice')
  return urls.map((url) => {
    if (!isUrl(url)) throw new ConfigError(name, 'must be a list of URLs that begin with http:// or https://')
    return secret(url)
  })
}

/** Fits a 32-bit column: some 25,000 years. */
const LAST_EPOCH = 2 ** 31 - 2

function readEpoch(env: Env, name: Variable): number | null {
  const text = envText(env, name)
  if (text === undefined) return null
  if (!/^(0|[1-9]\d{0,9})$/.test(text) || Number(text) > LAST_EPOCH) throw new ConfigError(name, 'is not an epoch')
  return Number(text)
}
