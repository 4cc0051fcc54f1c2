// Epochs of 100 validators read and stored, against the same requests replayed in the same trips without processing.
// Local chain with mainnet's preset: 32 slots per epoch, 512 members in the sync committee. Answers are as long as on
// mainnet, except for smaller committees.
// `validator-epochs.ts [--epochs 20] [--validators 100] [--distance 100]`. Exits 1 if a target is missed. Distance:
// latency of the node in ms per request.
import { parseArgs } from 'node:util'
import { startBeaconDevnet } from '@coffer/beacon-devnet'
import { createBeaconPool } from '../src/beacon/beacon-pool.ts'
import type { Database } from '../src/db/database.ts'
import { createValidatorsContext } from '../src/features/validators/context.ts'
import { createValidatorIndexer } from '../src/features/validators/indexing/validator-indexer.ts'
import { systemClock } from '../src/lib/clock.ts'
import { createLogger } from '../src/lib/logger.ts'
import { benchOverDatabase } from './bench-database.ts'
import { type Recorder, startRecorder } from './recorder.ts'

const PROMISED_RATIO = 1.3
const SLOTS_PER_EPOCH = 32
/** Two that are not final, and two that earlier ones wait for. */
const UNCOUNTED_EPOCHS = 4
/** Never attest: the blocks' bits are read too. */
const OFFLINE = [3, 4]

const { values: options } = parseArgs({
  options: {
    epochs: { type: 'string', default: '20' },
    validators: { type: 'string', default: '100' },
    distance: { type: 'string', default: '100' },
  },
})
const epochs = Number(options.epochs)
const validators = Number(options.validators)
const distanceMs = Number(options.distance)

async function bench({ db }: Database, recorder: Recorder): Promise<string[]> {
  const pool = createBeaconPool({ urls: [recorder.url] })
  const context = createValidatorsContext({
    ...{ db, pool, reach: 'tracked', rewardsFrom: null, execution: undefined, onTracked: () => undefined },
    ...{ clock: systemClock, log: createLogger({ level: 'warn' }) },
    // Without the income of proposals.
    readIncome: async () => ({ tipsWei: 0n, mevWei: 0n, byBuilder: false }),
  })
  const { store } = context
  const { countedEpochs } = context.chain
  const index = createValidatorIndexer(context)
  for (let index = 0; index < validators; index += 1) {
    await store.track({ index, pubkey: `0x${index.toString(16).padStart(96, '0')}` })
  }
  await countedEpochs()
  recorder.reset()
  const cpuBefore = process.cpuUsage()
  const startedAt = performance.now()
  await index(new AbortController().signal)
  const ms = performance.now() - startedAt
  const { user, system } = process.cpuUsage(cpuBefore)
  recorder.mark()
  const counted = await countedEpochs()
  const missing = await store.missing(counted)
  if (missing.length > 0) throw new Error(`not indexed: ${JSON.stringify(missing)}`)
  const read = counted.toEpoch - counted.fromEpoch + 1
  const bareMs = await recorder.replayInTrips()
  const ratio = ms / bareMs
  console.log(`${read} epochs of ${validators} validators, a node ${distanceMs} ms away:`)
  for (const [name, { requests }] of recorder.counts())
    console.log(`  ${(requests / read).toFixed(1)} an epoch: ${name}`)
  console.log(
    `${(ms / read).toFixed(0)} ms an epoch (${((user + system) / 1000 / read).toFixed(0)} ms of CPU, the recorder's with it), bare ${(bareMs / read).toFixed(0)} ms, ratio ${ratio.toFixed(2)} (promised ${PROMISED_RATIO})`,
  )
  return ratio <= PROMISED_RATIO ? [] : ['indexing takes longer than promised']
}

const devnet = await startBeaconDevnet({ preset: 'mainnet', validators })
await devnet.play(
  [{ from: 1, to: Number.MAX_SAFE_INTEGER, offline: OFFLINE }],
  (epochs + UNCOUNTED_EPOCHS) * SLOTS_PER_EPOCH,
)
const recorder = await startRecorder(devnet.beacon, distanceMs)
try {
  await benchOverDatabase((database) => bench(database, recorder))
} finally {
  await recorder.stop()
  await devnet.stop()
}
