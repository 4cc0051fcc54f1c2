// One epoch of a whole registry, as `COFFER_BEACON_INDEX=all` reads it: synthetic answers of a beacon node,
// reduced and stored. Not a part of `npm run bench`: nothing is promised of it.
// `validator-registry.ts [--validators 100000]`; the answers come from a process of their own.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { createBeaconPool } from '../src/beacon/beacon-pool.ts'
import type { Database } from '../src/db/database.ts'
import { createBeaconChain } from '../src/features/validators/beacon-chain.ts'
import { createCountedEpochs } from '../src/features/validators/counted-epochs.ts'
import { createRegistry } from '../src/features/validators/indexing/registry.ts'
import { createRegistryEpochs } from '../src/features/validators/indexing/registry-epochs.ts'
import { createValidatorIndexer } from '../src/features/validators/indexing/validator-indexer.ts'
import { createRegistryStore } from '../src/features/validators/registry/registry-store.ts'
import { createValidatorStore } from '../src/features/validators/validator-store.ts'
import { systemClock } from '../src/lib/clock.ts'
import { benchOverDatabase } from './bench-database.ts'
import { BENCH_EPOCH, startSyntheticBeacon } from './synthetic-beacon.ts'

const { values: options } = parseArgs({
  options: { validators: { type: 'string', default: '100000' }, serve: { type: 'boolean', default: false } },
})
const validators = Number(options.validators)

/** Half a minute of a node's work at most; here the node makes its answers up. */
const LIMITS = { timeoutMs: 120_000, pastTimeoutMs: 300_000, totalMs: 600_000 }

async function bench({ db, pool: pg }: Database, url: string): Promise<string[]> {
  const pool = createBeaconPool({ urls: [url], limits: LIMITS })
  const chain = createBeaconChain({ pool, rewardsFrom: BENCH_EPOCH })
  const countedEpochs = createCountedEpochs({ chain, clock: systemClock })
  const registryStore = createRegistryStore(db)
  const registry = createRegistry({ pool, store: createValidatorStore(db) })
  const trackMs = await timed(() => registry.registerNew())
  const indexer = createValidatorIndexer({
    ...{ pool, chain, countedEpochs, clock: systemClock },
    log: { warn: (object: { err: Error }) => console.error(object.err.message) } as never,
    work: createRegistryEpochs({
      ...{ registry, store: registryStore },
      readIncome: async () => ({ tipsWei: 0n, mevWei: 0n, byBuilder: false }),
    }),
  })
  let peakBytes = 0
  const watch = setInterval(() => {
    peakBytes = Math.max(peakBytes, process.memoryUsage.rss())
  }, 200)
  const ms = await timed(() => indexer.run(new AbortController().signal))
  clearInterval(watch)
  const missing = await registryStore.missing(await countedEpochs())
  if (missing.length > 0) throw new Error('the epoch was not indexed')
  const { rows } = await pg.query<{ bytes: string }>(`select pg_total_relation_size('registry_epoch') as bytes`)
  console.log(
    `an epoch of ${validators} validators: ${(ms / 1_000).toFixed(1)} s, up to ${Math.round(peakBytes / 1e6)} MB, ${(Number(rows[0]?.bytes) / 1e6).toFixed(0)} MB stored (the registry before it: ${(trackMs / 1_000).toFixed(1)} s)`,
  )
  return []
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

if (options.serve) {
  process.send?.(await startSyntheticBeacon(validators))
} else {
  const server = fork(import.meta.filename, ['--serve', '--validators', String(validators)])
  try {
    const [url] = (await once(server, 'message')) as [string]
    await benchOverDatabase((database) => bench(database, url))
  } finally {
    server.kill()
  }
}
