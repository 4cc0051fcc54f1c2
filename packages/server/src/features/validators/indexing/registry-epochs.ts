import type { BeaconSpec } from '../../../beacon/network-requests.ts'
import type { EpochRange } from '../../../domain/beacon-time.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import type { Outcome } from '../registry/outcome-chunk.ts'
import { chunksOf, EPOCH_CHUNK, type RegistryStore } from '../registry/registry-store.ts'
import type { EpochReads } from './epoch-reads.ts'
import type { EpochWork } from './epoch-work.ts'
import type { ReadIncome } from './proposals.ts'
import { reduceEpoch } from './read-epoch.ts'
import type { Registry } from './registry.ts'

const PIECE = 32 * EPOCH_CHUNK

/** Reads one epoch at a time: answers about all validators are long. */
export function createRegistryEpochs({
  registry,
  store,
  readIncome,
}: {
  registry: Registry
  store: Pick<RegistryStore, 'missing' | 'save'>
  readIncome: ReadIncome
}): EpochWork<EpochRange, (Buffer | null)[]> {
  return {
    isOfEveryone: true,
    ahead: 1,
    async begin() {
      await registry.registerNew()
      return true
    },
    missing: store.missing,
    coverIdle: async () => false,
    read: (reads, epoch, _, { spec }) => readChunks(reads, epoch, { spec, readIncome }),
    save: (times, epoch, _, chunks) => store.save(times, { epoch, chunks }),
  }
}

/** Packs piece by piece: unpacked outcomes take some hundred megabytes. */
async function readChunks(
  reads: EpochReads,
  epoch: number,
  parts: { spec: BeaconSpec; readIncome: ReadIncome },
): Promise<(Buffer | null)[]> {
  const [atEnd, judged] = [await reads.registry(epoch), await reads.registry(epoch + 1)]
  const { total } = await reads.attestationRewards(epoch, [])
  for (const index of total.keys()) {
    if (index >= judged.size) throw new UpstreamError('invalid', `validator ${index} has rewards and is in no registry`)
  }
  const chunks: (Buffer | null)[] = []
  for (let from = 0; from < atEnd.size; from += PIECE) {
    const to = Math.min(from + PIECE, atEnd.size)
    const validators = Array.from({ length: to - from }, (_, i) => from + i)
    const piece = { atEnd: atEnd.slice(from, to), judged: judged.slice(from, to) }
    const rows = await reduceEpoch(reads, { epoch, validators, ...piece, ...parts })
    const outcomes = validators.map((): Outcome | null => null)
    for (const { validatorIndex, epoch: _, ...outcome } of rows) outcomes[validatorIndex - from] = outcome
    chunks.push(...chunksOf(outcomes, EPOCH_CHUNK))
  }
  return chunks
}
