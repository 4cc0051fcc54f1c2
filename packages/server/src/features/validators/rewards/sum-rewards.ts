import type { BeaconTimes, EpochRange } from '../../../domain/beacon-time.ts'
import { splitAt } from '../ranges.ts'
import { addOutcomes, NO_OUTCOME } from '../registry/outcome-chunk.ts'
import type { RegistryStore } from '../registry/registry-store.ts'
import type { KnownValidator, ValidatorStore, ValidatorSums } from '../validator-store.ts'

/** All ranges must be covered. */
export type SumRewards = (
  times: BeaconTimes,
  validator: Pick<KnownValidator, 'index' | 'coveredOfAll'>,
  ranges: readonly EpochRange[],
) => Promise<ValidatorSums[]>

export function createSumRewards({
  store,
  registry,
}: {
  store: Pick<ValidatorStore, 'sum'>
  registry: Pick<RegistryStore, 'sum'>
}): SumRewards {
  return async (times, { index, coveredOfAll }, ranges) => {
    const parts = ranges.map((range) => splitAt(range, coveredOfAll))
    const [ofEveryone, own] = await Promise.all([
      sumParts(
        registry.sum,
        parts.map(({ inside }) => inside),
      ),
      sumParts(
        store.sum,
        parts.map(({ outside }) => outside),
      ),
    ])
    return ranges.map(({ toEpoch }, place) => {
      const [one, other] = [ofEveryone[place] ?? NO_OUTCOME, own[place] ?? NO_OUTCOME]
      const isOwnLast = parts[place]?.outside.some((part) => part.toEpoch === toEpoch)
      return isOwnLast ? addOutcomes(one, other) : addOutcomes(other, one)
    })

    async function sumParts(
      sum: ValidatorStore['sum'],
      lists: readonly (readonly EpochRange[])[],
    ): Promise<ValidatorSums[]> {
      const sums = await sum(times, index, lists.flat())
      let next = 0
      return lists.map((list) => {
        const first = next
        next += list.length
        return sums.slice(first, next).reduce(addOutcomes, NO_OUTCOME)
      })
    }
  }
}
