import { type BeaconDevnet, type EpochTruth, type Lives, startBeaconDevnet } from '@coffer/beacon-devnet'
import { createBeaconPool } from '../../src/beacon/beacon-pool.ts'
import type { EpochRange } from '../../src/domain/beacon-time.ts'
import { mergeRanges } from '../../src/domain/block-ranges.ts'
import { createBeaconChain } from '../../src/features/validators/beacon-chain.ts'
import { createValidatorsContext } from '../../src/features/validators/context.ts'
import type { ReadIncome } from '../../src/features/validators/indexing/proposals.ts'
import { createValidatorIndexer } from '../../src/features/validators/indexing/validator-indexer.ts'
import type { Outcome } from '../../src/features/validators/registry/outcome-chunk.ts'
import { createRegistryStore } from '../../src/features/validators/registry/registry-store.ts'
import { sumRewards } from '../../src/features/validators/rewards.ts'
import { createValidatorStore } from '../../src/features/validators/validator-store.ts'
import { type Clock, systemClock } from '../../src/lib/clock.ts'
import { testDatabase } from '../database.ts'

/** A chain without an execution node pays nothing there. */
const NO_INCOME: ReadIncome = async () => ({ tipsWei: 0n, mevWei: 0n, byBuilder: false })

export type Indexing = Awaited<ReturnType<typeof openIndexing>>

/** `drop` removes the database. */
export async function openIndexing(
  urls: readonly string[],
  { readIncome = NO_INCOME }: { readIncome?: ReadIncome } = {},
) {
  const database = await testDatabase('indexing')
  const store = createValidatorStore(database.db)
  const registryStore = createRegistryStore(database.db)
  const warnings: string[] = []

  /** Each call of the result is one run. `observe` sees every request and may break the run by throwing. */
  function start({
    nodes = urls,
    observe = () => undefined,
    all = false,
    clock = systemClock,
  }: {
    nodes?: readonly string[]
    observe?: () => void
    all?: boolean
    clock?: Clock
  } = {}): (signal?: AbortSignal) => Promise<void> {
    const pool = createBeaconPool({ urls: nodes, observe, limits: { backoffMs: 1 } })
    const log = { warn: (object: { err: Error }) => void warnings.push(object.err.message) } as never
    const run = createValidatorIndexer(
      createValidatorsContext({
        ...{ db: database.db, pool, readIncome, clock, log, reach: all ? 'all' : 'tracked' },
        ...{ rewardsFrom: null, execution: undefined, onTracked: () => undefined },
      }),
    )
    return (signal = new AbortController().signal) => run(signal)
  }

  const run = ({ signal, ...options }: Parameters<typeof start>[0] & { signal?: AbortSignal } = {}) =>
    start(options)(signal)

  const chain = createBeaconChain(createBeaconPool({ urls }), null)
  const counted = chain.countedEpochs

  async function track(count: number): Promise<void> {
    for (let index = 0; index < count; index += 1) {
      await store.track({ index, pubkey: `0x${index.toString(16).padStart(96, '0')}` })
    }
  }

  /** From epoch 0 on. */
  async function sums(validator: number): Promise<Outcome[]> {
    const { toEpoch } = await counted()
    const epochs = Array.from({ length: toEpoch + 1 }, (_, epoch) => ({ fromEpoch: epoch, toEpoch: epoch }))
    const known = await store.find(validator)
    if (!known) throw new Error(`validator ${validator} is not known`)
    return await sumRewards({ store, registry: registryStore }, (await chain.facts()).times, known, epochs)
  }

  async function missing(validator?: number): Promise<EpochRange[]> {
    const ranges = await store.missing(await counted())
    const ofIt = ranges.filter(({ validators }) => validator === undefined || validators.includes(validator))
    const merged = mergeRanges(
      ofIt.map(({ fromEpoch, toEpoch }) => ({ fromBlock: BigInt(fromEpoch), toBlock: BigInt(toEpoch) })),
    )
    return merged.map(({ fromBlock, toBlock }) => ({ fromEpoch: Number(fromBlock), toEpoch: Number(toBlock) }))
  }
  const missingOfAll = async () => registryStore.missing(await counted())

  return { start, run, track, sums, missing, missingOfAll, counted, warnings, drop: database.drop }
}

export async function playLives(
  of: Lives,
  toSlot = of.lastSlot + 1,
): Promise<{ devnet: BeaconDevnet; truth: EpochTruth[] }> {
  const devnet = await startBeaconDevnet(of.options)
  await devnet.play(of.scenario, toSlot)
  return { devnet, truth: await devnet.truth() }
}

/** In gwei, from one epoch's start to the next, without deposits, withdrawals and consolidations. */
export function balanceChange(truth: readonly EpochTruth[], validator: number, epoch: number): bigint {
  const [during, after] = [truth[epoch], truth[epoch + 1]]
  if (!during || !after) throw new Error(`the chain does not tell of epoch ${epoch}`)
  const of = (all: readonly { validatorIndex: number; amountGwei: bigint }[]) =>
    all.reduce((sum, one) => (one.validatorIndex === validator ? sum + one.amountGwei : sum), 0n)
  const deposited = [
    ...during.deposits.filter(({ by }) => by === 'block'),
    ...after.deposits.filter(({ by }) => by === 'transition'),
    ...after.consolidations.flatMap(({ source, target, amountGwei }) => [
      { validatorIndex: target, amountGwei },
      { validatorIndex: source, amountGwei: -amountGwei },
    ]),
  ]
  return (
    (after.startGwei[validator] ?? 0n) - (during.startGwei[validator] ?? 0n) + of(during.withdrawals) - of(deposited)
  )
}

/** An epoch's attestations are credited as the next epoch ends. */
export function indexedChange(sums: readonly Outcome[], epoch: number): bigint {
  const [before, during] = [sums[epoch - 1], sums[epoch]]
  if (!before || !during) throw new Error(`epoch ${epoch} is not indexed`)
  return before.attestationGwei + during.syncGwei + during.proposalGwei - during.slashingGwei
}
