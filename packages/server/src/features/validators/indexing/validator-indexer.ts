import type { BeaconPool } from '../../../beacon/beacon-pool.ts'
import { NoHistory } from '../../../beacon/beacon-request.ts'
import type { Clock } from '../../../lib/clock.ts'
import { mapAhead } from '../../../lib/concurrency.ts'
import type { Logger } from '../../../lib/logger.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import type { BeaconChain, BeaconFacts } from '../beacon-chain.ts'
import type { CountedEpochs } from '../counted-epochs.ts'
import type { MissingEpochs, ValidatorStore } from '../validator-store.ts'
import { busyEpochs, outside } from './busy-epochs.ts'
import { createOnNode, type OnNode } from './node-reads.ts'
import type { ReadIncome } from './proposals.ts'
import { readEpoch } from './read-epoch.ts'
import type { Registry } from './registry.ts'
import { createSkips, type Skips } from './skips.ts'

/** How long one run goes on; the next one begins where it ended. */
const RUN_MS = 20 * 60_000
/** Epochs between two looks at what is missing: who was asked for meanwhile, and what became final, comes first. */
const EPOCHS_A_LOOK = 32
/** Epochs that are read at once; they are stored in their order. */
const AHEAD = 4

/**
 * Reads the epochs that are missing of the validators that are tracked, newest first, each once for all of them. It may be
 * cut off at any point and run again, by several processes at once: an epoch is stored whole or not at all.
 */
export function createValidatorIndexer({
  pool,
  chain,
  countedEpochs,
  store,
  registry,
  readIncome,
  clock,
  log,
}: {
  pool: BeaconPool
  chain: Pick<BeaconChain, 'facts'>
  countedEpochs: CountedEpochs
  store: Pick<ValidatorStore, 'hasTracked' | 'missing' | 'save'>
  /** Tracks everyone, where all are indexed. */
  registry?: Registry | undefined
  readIncome: ReadIncome
  clock: Clock
  log: Pick<Logger, 'warn'>
}) {
  /** The same is said once, not every minute. */
  let warned = ''
  function warn(err: UpstreamError): void {
    if (err.message !== warned) log.warn({ err }, 'epochs of validators could not be read; they are tried again')
    warned = err.message
  }

  /** Ends early when the signal aborts or no node answers; what is left is read in a later run. */
  async function run(signal: AbortSignal): Promise<void> {
    try {
      await index(signal)
    } catch (thrown) {
      if (!(thrown instanceof UpstreamError)) throw thrown
      warn(thrown)
    }
  }

  async function index(signal: AbortSignal): Promise<void> {
    await registry?.registerNew()
    if (!(await store.hasTracked())) return
    const facts = await chain.facts()
    const onNode = createOnNode(pool, facts)
    const skips = createSkips()
    const until = clock.now() + RUN_MS
    while (!signal.aborted && clock.now() < until) {
      const [next] = skips.without(await store.missing(await countedEpochs()))
      if (!next) return
      await indexNewest(next, { facts, onNode, skips, signal })
    }
  }

  type Run = { facts: BeaconFacts; onNode: OnNode; skips: Skips; signal: AbortSignal }

  /** Some epochs of the range, from the newest one down. */
  async function indexNewest(range: MissingEpochs, { facts, onNode, skips, signal }: Run): Promise<void> {
    const { validators, toEpoch } = range
    const last = Math.max(range.fromEpoch, toEpoch - EPOCHS_A_LOOK + 1)
    const read = (epoch: number) =>
      onNode(epoch, (reads) => readEpoch(reads, { epoch, validators, spec: facts.spec, readIncome }))
    let epoch = toEpoch
    try {
      if (await saveEmpty(range, facts, onNode)) return
      for await (const rows of mapAhead(downFrom(toEpoch, last, signal), AHEAD, read)) {
        await store.save(facts.times, { fromEpoch: epoch, toEpoch: epoch, validators, rows })
        skips.noteRead()
        epoch -= 1
      }
    } catch (thrown) {
      if (!isAboutEpoch(thrown)) throw thrown
      warn(thrown)
      skips.note(epoch)
    }
  }

  /** What nobody needs to read, however long it is. True where there was any: the range is then another one. */
  async function saveEmpty(range: MissingEpochs, { times, spec }: BeaconFacts, onNode: OnNode): Promise<boolean> {
    const { validators, toEpoch } = range
    const atEnd = await onNode(toEpoch, (reads) => reads.validators(toEpoch, validators))
    const idle = validators.flatMap((validator) =>
      outside(range, busyEpochs(atEnd.get(validator), toEpoch, spec)).map((part) => ({ validator, ...part })),
    )
    for (const { validator, ...part } of idle) await store.save(times, { ...part, validators: [validator], rows: [] })
    return idle.length > 0
  }

  return { run }
}

async function* downFrom(first: number, last: number, signal: AbortSignal): AsyncGenerator<number, void, undefined> {
  for (let epoch = first; epoch >= last && !signal.aborted; epoch -= 1) yield epoch
}

/** Other epochs may well be read: what is wrong is not that no node answers. */
function isAboutEpoch(thrown: unknown): thrown is UpstreamError {
  if (!(thrown instanceof UpstreamError)) return false
  return thrown instanceof NoHistory || thrown.reason === 'invalid' || thrown.reason === 'not-allowed'
}
