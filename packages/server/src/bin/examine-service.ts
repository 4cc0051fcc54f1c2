import { createBeaconPool } from '../beacon/beacon-pool.ts'
import { byKey } from '../chains/chain-catalog.ts'
import type { ChainTypes } from '../chains/chain-type.ts'
import type { Config } from '../config/config.ts'
import type { Db } from '../db/tables.ts'
import { examine } from '../features/doctor/doctor.ts'
import type { Finding } from '../features/doctor/findings.ts'
import type { Secret } from '../lib/secret.ts'
import { createPools } from '../wallets/create-pools.ts'
import { openParts } from './parts.ts'

/** Each endpoint has a pool of its own. */
export function examineService(
  config: Config,
  db: Db,
  openSecrets: () => Promise<unknown>,
  given?: ChainTypes,
): Promise<Finding[]> {
  const { reading, logger: log, chainTypes, clock, ...means } = openParts(config, db, given)
  const chains = byKey(config.chains)
  const endpoints = [...config.endpoints].flatMap(([key, urls]) => {
    const chain = chains.get(key)
    if (!chain) return []
    return urls.map((url, i) => {
      const alone = new Map([[key, [url]]])
      const pool = createPools({ ...means, chainTypes, endpoints: alone, chains, db, clock, log }).get(key)
      if (!pool) throw new Error(`${key} has no pool`)
      return { name: `${key}#${i + 1}`, host: hostOf(url), chain, chainType: chainTypes.of(chain), pool }
    })
  })
  const beaconNodes = (config.beacon?.urls ?? []).map((url, i) => ({
    name: `beacon#${i + 1}`,
    host: hostOf(url),
    pool: createBeaconPool({ urls: [url.reveal()], clock }),
  }))
  return examine({
    endpoints,
    beaconNodes,
    db,
    replica: replicaOf(config),
    openSecrets,
    clock,
    dataDir: config.dataDir,
    usdPerEach: reading.rates.usdPerEach,
    sources: config.prices.sources,
  })
}

function replicaOf({ databaseUrl, databaseReplicaUrl: replica }: Config) {
  if (!databaseUrl || !replica) return null
  return { host: hostOf(replica), connection: databaseUrl.reveal(), replicaUrl: replica.reveal() }
}

const hostOf = (url: Secret) => URL.parse(url.reveal())?.host ?? ''
