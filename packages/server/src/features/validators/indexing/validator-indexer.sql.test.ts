import { type BeaconDevnet, type EpochTruth, type Scenario, startBeaconDevnet } from '@coffer/beacon-devnet'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testDatabase } from '../../../../test/database.ts'
import { createBeaconPool } from '../../../beacon/beacon-pool.ts'
import { systemClock } from '../../../lib/clock.ts'
import { createBeaconChain } from '../beacon-chain.ts'
import { createCountedEpochs } from '../counted-epochs.ts'
import { createValidatorStore, type ValidatorSums } from '../validator-store.ts'
import { createValidatorIndexer } from './validator-indexer.ts'

// A chain of Lodestar's own state transition: what is indexed must be what its balances did.

const SLOTS_PER_EPOCH = 8
const EPOCHS = 44
const VALIDATORS = 64
const slotOf = (epoch: number) => epoch * SLOTS_PER_EPOCH
/** More than a third of all. */
const LEAK = { from: slotOf(14), to: slotOf(22), who: Array.from({ length: 26 }, (_, i) => 30 + i) }
const OFFLINE = [5, 6]

const SCENARIO: Scenario = [
  { from: 1, to: 1_000, offline: OFFLINE, syncOffline: [7, 8] },
  { from: 27, missed: true },
  { from: 50, to: 52, missed: true },
  { from: 60, to: 70, wrongHead: [9], wrongTarget: [10] },
  { from: 75, to: 80, inclusionDelay: 3 },
  { from: 40, exits: [11] },
  { from: 44, attesterSlashings: [13], proposerSlashings: [14] },
  {
    from: slotOf(10),
    deposits: [
      { key: 64, amountGwei: 32_000_000_000 },
      { key: 3, amountGwei: 1_000_000_000 },
    ],
  },
  { from: LEAK.from, to: LEAK.to, offline: LEAK.who },
]

let devnet: BeaconDevnet
let database: Awaited<ReturnType<typeof testDatabase>>
let truth: EpochTruth[]
beforeAll(async () => {
  ;[database, devnet] = await Promise.all([
    testDatabase('indexer'),
    startBeaconDevnet({
      validators: Array.from({ length: VALIDATORS }, (_, i) => ({ prefix: i % 2 === 0 ? 1 : 0 })),
      config: { SHARD_COMMITTEE_PERIOD: 0, MIN_VALIDATOR_WITHDRAWABILITY_DELAY: 4 },
    }),
  ])
  await devnet.play(SCENARIO, slotOf(EPOCHS))
  truth = await devnet.truth()
})
afterAll(async () => {
  await devnet?.stop()
  await database?.drop()
})

const NO_INCOME = { tipsWei: 0n, mevWei: 0n, byBuilder: false }

function openIndexer(urls = [devnet.beacon]) {
  const pool = createBeaconPool({ urls, limits: { backoffMs: 1 } })
  const chain = createBeaconChain({ pool, rewardsFrom: null })
  const countedEpochs = createCountedEpochs({ chain, clock: systemClock })
  const store = createValidatorStore(database.db)
  const warnings: string[] = []
  const indexer = createValidatorIndexer({
    ...{ pool, chain, countedEpochs, store, clock: systemClock },
    readIncome: async () => NO_INCOME,
    log: { warn: (object: { err: Error }) => void warnings.push(object.err.message) } as never,
  })
  return { pool, chain, countedEpochs, store, indexer, warnings }
}

const sumOf = (values: readonly bigint[]) => values.reduce((sum, value) => sum + value, 0n)
const absolute = (value: bigint) => (value < 0n ? -value : value)

test('what is indexed is what balances did, within 3 gwei an epoch', { timeout: 120_000 }, async () => {
  const { store, chain, countedEpochs, indexer, warnings } = openIndexer()
  const { times } = await chain.facts()
  const indices = Array.from({ length: VALIDATORS + 1 }, (_, index) => index)
  for (const index of indices) await store.track({ index, pubkey: `0x${index.toString(16).padStart(96, '0')}` })
  await indexer.run(new AbortController().signal)
  expect(warnings).toEqual([])
  const counted = await countedEpochs()
  expect(await store.missing(counted)).toEqual([])
  const epochs = Array.from({ length: counted.toEpoch + 1 }, (_, epoch) => ({ fromEpoch: epoch, toEpoch: epoch }))
  const far: string[] = []
  for (const index of indices) {
    const rows = await store.sum(times, index, epochs)
    for (const { fromEpoch: epoch } of epochs.slice(1)) {
      const expected = changeOf(index, epoch)
      const [row, before] = [rows[epoch], rows[epoch - 1]] as [ValidatorSums, ValidatorSums]
      const earned = row.syncGwei + row.proposalGwei - row.slashingGwei + before.attestationGwei
      if (absolute(earned - expected) > 3n) far.push(`validator ${index}, epoch ${epoch}: ${earned}, not ${expected}`)
    }
  }
  expect(far).toEqual([])
})

/** By the states: from one epoch's start to the next, without what was deposited and withdrawn. */
function changeOf(index: number, epoch: number): bigint {
  const [during, after] = [truth[epoch], truth[epoch + 1]]
  if (!during || !after) throw new Error(`the chain does not tell of epoch ${epoch}`)
  const of = (all: readonly { validatorIndex: number; amountGwei: bigint }[]) =>
    sumOf(all.filter(({ validatorIndex }) => validatorIndex === index).map(({ amountGwei }) => amountGwei))
  const deposited = [
    ...during.deposits.filter(({ by }) => by === 'block'),
    ...after.deposits.filter(({ by }) => by === 'transition'),
  ]
  return (after.startGwei[index] ?? 0n) - (during.startGwei[index] ?? 0n) + of(during.withdrawals) - of(deposited)
}
