import type { BeaconPool } from '../../../beacon/beacon-pool.ts'
import { NoHistory } from '../../../beacon/beacon-request.ts'
import type { EpochRange } from '../../../domain/beacon-time.ts'
import type { Clock } from '../../../lib/clock.ts'
import { mapAhead } from '../../../lib/concurrency.ts'
import type { Logger } from '../../../lib/logger.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import type { BeaconChain, BeaconFacts } from '../beacon-chain.ts'
import type { CountedEpochs } from '../counted-epochs.ts'
import type { EpochWork } from './epoch-work.ts'
import { createOnNode, type KeptRegistries, type OnNode } from './node-reads.ts'
import { createSkips, type Skips } from './skips.ts'

const RUN_MS = 20 * 60_000
/** Epochs between queries: newly tracked and newly final ones come first. */
const EPOCHS_A_LOOK = 32

const NOT_READ = 'epochs of validators could not be read; the service tries again'
const TOO_LITTLE_KEPT =
  'the beacon nodes have dropped the states of epochs that are to be read: X-Data-Complete stays false until a node of COFFER_BEACON_URL keeps past states (docs/validators.md)'

/** May be aborted at any point and run in several processes: an epoch is stored completely or not at all. */
export function createValidatorIndexer<Wanted extends EpochRange, Read>({
  pool,
  chain,
  countedEpochs,
  work,
  clock,
  log,
}: {
  pool: BeaconPool
  chain: Pick<BeaconChain, 'facts'>
  countedEpochs: CountedEpochs
  work: EpochWork<Wanted, Read>
  clock: Clock
  log: Pick<Logger, 'warn'>
}) {
  const registries: KeptRegistries = new WeakMap()
  let warned = ''
  function warn(err: UpstreamError): void {
    if (err.message !== warned) log.warn({ err }, err instanceof NoHistory ? TOO_LITTLE_KEPT : NOT_READ)
    warned = err.message
  }

  async function run(signal: AbortSignal): Promise<void> {
    try {
      await index(signal)
    } catch (thrown) {
      if (!(thrown instanceof UpstreamError)) throw thrown
      warn(thrown)
    }
  }

  async function index(signal: AbortSignal): Promise<void> {
    if (!(await work.begin())) return
    const facts = await chain.facts()
    const onNode = createOnNode(pool, facts, { isOfEveryone: work.isOfEveryone, registries })
    const skips = createSkips()
    const until = clock.now() + RUN_MS
    while (!signal.aborted && clock.now() < until) {
      const [next] = skips.without(await work.missing(await countedEpochs()))
      if (!next) return
      await indexNewest(next, { facts, onNode, skips, signal })
    }
  }

  type Run = { facts: BeaconFacts; onNode: OnNode; skips: Skips; signal: AbortSignal }

  async function indexNewest(wanted: Wanted, { facts, onNode, skips, signal }: Run): Promise<void> {
    const { toEpoch } = wanted
    const last = Math.max(wanted.fromEpoch, toEpoch - EPOCHS_A_LOOK + 1)
    const read = (epoch: number) => onNode(epoch, (reads) => work.read(reads, epoch, wanted, facts))
    let epoch = toEpoch
    try {
      if (await work.coverIdle(wanted, facts, onNode)) return
      for await (const found of mapAhead(downFrom(toEpoch, last, signal), work.ahead, read)) {
        await work.save(facts.times, epoch, wanted, found)
        skips.noteRead()
        epoch -= 1
      }
    } catch (thrown) {
      if (!isAboutEpoch(thrown)) throw thrown
      warn(thrown)
      skips.note(epoch)
    }
  }

  return { run }
}

async function* downFrom(first: number, last: number, signal: AbortSignal): AsyncGenerator<number, void, undefined> {
  for (let epoch = first; epoch >= last && !signal.aborted; epoch -= 1) yield epoch
}

/** Nodes answer, so other epochs may be readable. */
function isAboutEpoch(thrown: unknown): thrown is UpstreamError {
  if (!(thrown instanceof UpstreamError)) return false
  return thrown instanceof NoHistory || thrown.reason === 'invalid' || thrown.reason === 'not-allowed'
}
