import type { ValidatorEpoch } from '../../../domain/validator-epoch.ts'
import { splitAt } from '../ranges.ts'
import type { MissingEpochs, ValidatorStore } from '../validator-store.ts'
import type { EpochWork } from './epoch-work.ts'
import type { ReadIncome } from './proposals.ts'
import { busyEpochs, readEpoch } from './read-epoch.ts'

/** Hides the latency of remote nodes. */
const AHEAD = 4

export function createTrackedEpochs({
  store,
  readIncome,
}: {
  store: Pick<ValidatorStore, 'hasTracked' | 'missing' | 'save'>
  readIncome: ReadIncome
}): EpochWork<MissingEpochs, ValidatorEpoch[]> {
  return {
    isOfEveryone: false,
    ahead: AHEAD,
    begin: store.hasTracked,
    missing: store.missing,
    async coverIdle({ validators, ...range }, { times, spec }, onNode) {
      const { toEpoch } = range
      const atEnd = await onNode(toEpoch, (reads) => reads.validators(toEpoch, validators))
      const idle = validators.flatMap((validator) => {
        const busy = busyEpochs(atEnd.get(validator), toEpoch, spec)
        return splitAt(range, busy ? [busy] : []).outside.map((part) => ({ validator, ...part }))
      })
      for (const { validator, ...part } of idle) await store.save(times, { ...part, validators: [validator], rows: [] })
      return idle.length > 0
    },
    read: (reads, epoch, { validators }, { spec }) => readEpoch(reads, { epoch, validators, spec, readIncome }),
    save: (times, epoch, { validators }, rows) =>
      store.save(times, { fromEpoch: epoch, toEpoch: epoch, validators, rows }),
  }
}
