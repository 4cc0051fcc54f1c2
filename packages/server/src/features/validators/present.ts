import { Failure } from '@coffer/contract'
import { type BeaconTimes, epochOfSlot, timeOfSlot } from '../../domain/beacon-time.ts'
import { type Place, pageCount } from '../../domain/reward-buckets.ts'
import { withCompleteness } from '../portfolio/present-portfolio.ts'
import type { ValidatorsContext } from './context.ts'
import type { ScannedPage } from './scans/scan-store.ts'
import { trackValidator, type ValidatorId } from './tracking.ts'
import type { Validator } from './validator-store.ts'

export const presentPage = <T>(data: T[], totalRows: number, isComplete: boolean, { offset, limit }: Place) =>
  withCompleteness({ data, offset, limit, totalRows, pages: pageCount(totalRows, limit) }, isComplete)

const WEI_PER_GWEI = 10n ** 9n

export const inWei = (gwei: bigint): string => (gwei * WEI_PER_GWEI).toString()

export const placeOfSlot = (times: BeaconTimes, slot: number) => ({
  slot,
  epoch: epochOfSlot(times, slot),
  timestamp: timeOfSlot(times, slot),
})

export async function scannedPage<T, S>(
  context: ValidatorsContext,
  id: ValidatorId,
  place: Place,
  find: (validator: Validator, place: Place) => Promise<ScannedPage<T>>,
  present: (times: BeaconTimes, row: T) => S,
) {
  const { chain, execution } = context
  const validator = await trackValidator(context, id)
  // Nothing is searched, which must not look like no results.
  if (!execution) throw new Failure('UPSTREAM_UNAVAILABLE', 'No execution node of Ethereum is configured here')
  const [{ times }, { toEpoch }] = await Promise.all([chain.facts(), chain.countedEpochs()])
  const { rows, totalRows, searchedToSlot } = await find(validator, place)
  // The final block is later than the last counted epoch.
  const isComplete = searchedToSlot !== null && epochOfSlot(times, searchedToSlot - 1) > toEpoch
  const shown = rows.map((row) => present(times, row))
  return presentPage(shown, totalRows, isComplete, place)
}
