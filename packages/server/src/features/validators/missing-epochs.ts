import type { EpochRange } from '../../domain/beacon-time.ts'

/** Epochs that are not indexed for these validators, in order of their indices. */
export type MissingEpochs = EpochRange & { validators: number[] }

/**
 * What is missing of each validator as disjoint ranges of epochs, newest first, each with everyone who misses all of it: an
 * epoch is read once for all of them.
 */
export function groupMissing(missing: readonly (EpochRange & { validator: number })[]): MissingEpochs[] {
  const changes = new Map<number, { begin: number[]; end: number[] }>()
  const changesAt = (epoch: number) => {
    const known = changes.get(epoch) ?? { begin: [], end: [] }
    changes.set(epoch, known)
    return known
  }
  for (const { validator, fromEpoch, toEpoch } of missing) {
    changesAt(toEpoch).begin.push(validator)
    changesAt(fromEpoch - 1).end.push(validator)
  }
  const groups: MissingEpochs[] = []
  const running = new Set<number>()
  const epochs = [...changes.keys()].sort((a, b) => b - a)
  for (const [i, toEpoch] of epochs.entries()) {
    for (const validator of changes.get(toEpoch)?.end ?? []) running.delete(validator)
    for (const validator of changes.get(toEpoch)?.begin ?? []) running.add(validator)
    const below = epochs[i + 1]
    if (running.size === 0 || below === undefined) continue
    groups.push({ fromEpoch: below + 1, toEpoch, validators: [...running].sort((a, b) => a - b) })
  }
  return groups
}
