import { isUrl } from '../lib/is-url.ts'
import { type Secret, secret } from '../lib/secret.ts'
import { ConfigError } from './config-error.ts'
import { type Env, envChoice, envList, envText, type Variable } from './env.ts'

/** Where the beacon chain is read, and what of it is kept. */
export type BeaconSettings = {
  /** Beacon nodes in the order in which they are tried. */
  urls: readonly Secret[]
  /** The first epoch whose rewards are told; null: the network's first with an execution payload. */
  rewardsFrom: number | null
  /** The validators whose epochs are stored: those requested, or all. */
  index: 'tracked' | 'all'
  /** Data APIs of relays, which tell what builders paid. */
  relays: readonly Secret[]
}

/** Null where no beacon node is named; then none of the other settings may be. */
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

/** They may hold keys, so a refusal does not repeat them. */
function readUrls(env: Env, name: Variable): Secret[] {
  const urls = envList(env, name) ?? []
  if (new Set(urls).size < urls.length) throw new ConfigError(name, 'names the same URL twice')
  return urls.map((url) => {
    if (!isUrl(url)) throw new ConfigError(name, 'must be a list of URLs that begin with http:// or https://')
    return secret(url)
  })
}

/** Bound of the 32-bit column of epochs; some 25,000 years. */
const LAST_EPOCH = 2 ** 31 - 2

function readEpoch(env: Env, name: Variable): number | null {
  const text = envText(env, name)
  if (text === undefined) return null
  if (!/^(0|[1-9]\d{0,9})$/.test(text) || Number(text) > LAST_EPOCH) throw new ConfigError(name, 'is not an epoch')
  return Number(text)
}
