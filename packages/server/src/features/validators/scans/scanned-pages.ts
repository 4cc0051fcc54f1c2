import { Failure } from '@coffer/contract'
import { type BeaconTimes, epochOfSlot } from '../../../domain/beacon-time.ts'
import type { Place } from '../../../domain/reward-buckets.ts'
import type { BeaconFacts } from '../beacon-chain.ts'
import type { CountedEpochs } from '../counted-epochs.ts'
import { type PresentedPage, presentPage } from '../present.ts'
import type { Tracking, ValidatorId } from '../tracking.ts'
import type { Validator } from '../validator-store.ts'
import type { ScannedPage } from './scan-store.ts'

export type ScannedPages = ReturnType<typeof createScannedPages>

export function createScannedPages({
  tracking,
  chain,
  countedEpochs,
  isScanned,
}: {
  tracking: Tracking
  chain: { facts(): Promise<Pick<BeaconFacts, 'times'>> }
  countedEpochs: CountedEpochs
  /** False: nothing is searched, which must not look like no results. */
  isScanned: boolean
}) {
  async function show<T, S>(
    id: ValidatorId,
    place: Place,
    find: (validator: Validator, place: Place) => Promise<ScannedPage<T>>,
    present: (times: BeaconTimes, row: T) => S,
  ): Promise<PresentedPage<S>> {
    const validator = await tracking.open(id)
    if (!isScanned) throw new Failure('UPSTREAM_UNAVAILABLE', 'No execution node of Ethereum is configured here')
    const [{ times }, { toEpoch }] = await Promise.all([chain.facts(), countedEpochs()])
    const { rows, totalRows, searchedToSlot } = await find(validator, place)
    // The final block is later than the last counted epoch.
    const isComplete = searchedToSlot !== null && epochOfSlot(times, searchedToSlot - 1) > toEpoch
    return presentPage({ rows: rows.map((row) => present(times, row)), totalRows, isComplete, ...place })
  }

  return { show }
}
