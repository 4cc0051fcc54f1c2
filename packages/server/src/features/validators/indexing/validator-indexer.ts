import type { BeaconPool } from '../../../beacon/beacon-pool.ts'
import { NoHistory } from '../../../beacon/beacon-request.ts'
import { registryPages } from '../../../beacon/validator-requests.ts'
import type { EpochRange } from '../../../domain/beacon-time.ts'
import { mapAhead } from '../../../lib/concurrency.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import type { BeaconFacts } from '../beacon-chain.ts'
import type { ValidatorsContext } from '../context.ts'
import { splitAt } from '../ranges.ts'
import type { ValidatorSet, ValidatorStore } from '../validator-store.ts'
import { type EpochReads, type NodeReads, readsOn } from './epoch-reads.ts'
import { busyEpochs, readEpoch } from './read-epoch.ts'

const RUN_MS = 20 * 60_000
/** Then newly tracked and newly final ones come first. */
const EPOCHS_A_LOOK = 32
/** Concurrent epochs hide the latency of remote nodes. Answers about all validators are long. */
const AHEAD = { tracked: 4, all: 1 }

const NOT_READ = 'epochs of validators could not be read; the service tries again'
const TOO_LITTLE_KEPT =
  'the beacon nodes have dropped the states of epochs that are to be read: X-Data-Complete stays false until a node of COFFER_BEACON_URL keeps past states (docs/validators.md)'

/** May be aborted at any point and run in several processes. */
export function createValidatorIndexer(context: ValidatorsContext) {
  const { pool, chain, reach, store, clock, log } = context
  const registries: NodeReads['registries'] = new WeakMap()
  const registerNew = createRegisterNew(pool, store)
  let warned = ''
  function warn(err: UpstreamError): void {
    if (err.message !== warned) log.warn({ err }, err instanceof NoHistory ? TOO_LITTLE_KEPT : NOT_READ)
    warned = err.message
  }

  async function index(signal: AbortSignal): Promise<void> {
    if (reach === 'all') await registerNew()
    else if (!(await store.hasTracked())) return
    const facts = await chain.facts()
    const session = pool.session()
    const nodes: NodeReads = { facts, isOfEveryone: reach === 'all', registries, opened: new Map() }
    const onNode: OnNode = (epoch, work) => session(async (node) => work(await readsOn(nodes, node, epoch)))
    const skips = createSkips()
    const until = clock.now() + RUN_MS
    while (!signal.aborted && clock.now() < until) {
      const [next] = skips.without(await missingEpochs(context, await chain.countedEpochs()))
      if (!next) return
      await indexNewest(context, next, { facts, onNode, skips, signal, warn })
    }
  }

  return async (signal: AbortSignal): Promise<void> => {
    try {
      await index(signal)
    } catch (thrown) {
      if (!(thrown instanceof UpstreamError)) throw thrown
      warn(thrown)
    }
  }
}

export function createRegisterNew(pool: BeaconPool, store: ValidatorStore) {
  /** The registry only grows, at its end. */
  let next: number | undefined

  return async (): Promise<void> => {
    next ??= await store.firstUnknown()
    for await (const found of registryPages(pool.request, 'finalized', next)) {
      await store.register(found)
      // A lagging node may have fewer.
      next = found.reduce((after, { index }) => Math.max(after, index + 1), next)
    }
  }
}

/** Runs on one node that has the epoch and the two after it final. */
type OnNode = <T>(epoch: number, work: (reads: EpochReads) => Promise<T>) => Promise<T>

type MissingEpochs = EpochRange & { validators: ValidatorSet }

type Run = {
  facts: BeaconFacts
  onNode: OnNode
  skips: Skips
  signal: AbortSignal
  warn(err: UpstreamError): void
}

/** Newest first. */
async function missingEpochs(
  { reach, store, registry }: ValidatorsContext,
  within: EpochRange,
): Promise<MissingEpochs[]> {
  if (reach === 'tracked') return store.missing(within)
  return (await registry.missing(within)).map((range) => ({ ...range, validators: 'all' }))
}

async function indexNewest(context: ValidatorsContext, wanted: MissingEpochs, run: Run): Promise<void> {
  const { reach, readIncome, store, registry } = context
  const { facts, onNode, skips, signal, warn } = run
  const { validators, toEpoch } = wanted
  const last = Math.max(wanted.fromEpoch, toEpoch - EPOCHS_A_LOOK + 1)
  const read = (epoch: number) =>
    onNode(epoch, (reads) => readEpoch(reads, validators, { epoch, spec: facts.spec, readIncome }))
  let epoch = toEpoch
  try {
    if (await coverIdle(context, wanted, run)) return
    for await (const found of mapAhead(downFrom(toEpoch, last, signal), AHEAD[reach], read)) {
      await ('chunks' in found ? registry.save(facts.times, found) : store.save(facts.times, found))
      skips.noteRead()
      epoch -= 1
    }
  } catch (thrown) {
    if (!isAboutEpoch(thrown)) throw thrown
    warn(thrown)
    skips.note(epoch)
  }
}

/** Covers epochs without activity unread. True: the missing ones have changed. */
async function coverIdle(
  { store }: ValidatorsContext,
  { validators, ...range }: MissingEpochs,
  { facts: { times, spec }, onNode }: Run,
): Promise<boolean> {
  if (validators === 'all') return false
  const { toEpoch } = range
  const atEnd = await onNode(toEpoch, (reads) => reads.validators(toEpoch, validators))
  const idle = validators.flatMap((validator) => {
    const busy = busyEpochs(atEnd.get(validator), toEpoch, spec)
    return splitAt(range, busy ? [busy] : []).outside.map((part) => ({ ...part, validators: [validator], rows: [] }))
  })
  for (const part of idle) await store.save(times, part)
  return idle.length > 0
}

async function* downFrom(first: number, last: number, signal: AbortSignal) {
  for (let epoch = first; epoch >= last && !signal.aborted; epoch -= 1) yield epoch
}

/** Nodes answer, so other epochs may be readable. */
function isAboutEpoch(thrown: unknown): thrown is UpstreamError {
  if (!(thrown instanceof UpstreamError)) return false
  return thrown instanceof NoHistory || thrown.reason === 'invalid' || thrown.reason === 'not-allowed'
}

type Skips = ReturnType<typeof createSkips>

/** A node that lacks an epoch usually lacks older ones: doubled skips probe the past in some twenty steps. */
export function createSkips() {
  let ceiling = Number.POSITIVE_INFINITY
  let step = 1
  return {
    note(epoch: number): void {
      ceiling = epoch - step
      step *= 2
    },
    noteRead(): void {
      step = 1
    },
    without<Range extends EpochRange>(missing: readonly Range[]): Range[] {
      return missing
        .map((range) => ({ ...range, toEpoch: Math.min(range.toEpoch, ceiling) }))
        .filter(({ fromEpoch, toEpoch }) => fromEpoch <= toEpoch)
    },
  }
}
