import type { AirdropSettings, HttpProofSource } from '../chains/airdrops.ts'
import type { ChainTypes } from '../chains/chain-type.ts'
import { secret } from '../lib/secret.ts'
import { ConfigError, suggestion } from './config-error.ts'
import { type ConfigFile, fileError } from './config-file.ts'
import { type Env, envList } from './env.ts'

export function readAirdrops(env: Env, { airdrops, airdropUrls }: ConfigFile, chainTypes: ChainTypes): AirdropSettings {
  const published = chainTypes.list.flatMap((chainType) => chainType.airdrops?.sources ?? [])
  const keys = new Set<string>(published.map(({ key }) => key))
  for (const [index, { key }] of airdrops.entries()) {
    if (keys.has(key)) throw fileError(`airdrops[${index}].key`, `duplicate source ${key}`)
    keys.add(key)
  }
  for (const key of Object.keys(airdropUrls)) {
    if (!keys.has(key)) throw fileError('airdropUrls', `unknown source ${JSON.stringify(key)}${suggestion(key, keys)}`)
  }
  return {
    http: [...allowedSources(env, published), ...airdrops.filter((row) => row.kind === 'http-proof')],
    allocations: airdrops.filter((row) => row.kind === 'allocation'),
    urls: new Map(Object.entries(airdropUrls).map(([key, url]) => [key, secret(url)])),
  }
}

/** Allows none by default: these APIs learn which wallets are read. */
function allowedSources(env: Env, published: readonly HttpProofSource[]): readonly HttpProofSource[] {
  const names = new Set(envList(env, 'COFFER_AIRDROP_SOURCES') ?? [])
  if (names.has('all')) {
    if (names.size === 1) return published
    throw new ConfigError('COFFER_AIRDROP_SOURCES', 'must be all, or a list of sources')
  }
  const known = published.map(({ key }) => key)
  for (const name of names) {
    if (known.includes(name)) continue
    throw new ConfigError(
      'COFFER_AIRDROP_SOURCES',
      `names ${JSON.stringify(name)}, which is not a source${suggestion(name, known)}`,
    )
  }
  return published.filter(({ key }) => names.has(key))
}
