import type { PositionDraft } from '../../../domain/position.ts'
import { isNodeFailure } from '../../../lib/upstream-error.ts'
import type { Family, HeldInstrument } from './family.ts'

type Scope<D> = Parameters<Family<D>['positions']>[0]

/**
 * `positions` of a family whose held instruments are read one by one, each for a position or several. Leaves out and
 * reports a contract that refuses; a node failure rejects.
 */
export function eachAlone<D>(
  read: (
    scope: Pick<Scope<D>, 'reader' | 'deployment' | 'wallet' | 'leftOut'>,
    held: HeldInstrument,
  ) => Promise<PositionDraft | readonly PositionDraft[]>,
): Family<D>['positions'] {
  return async ({ reader, deployment, wallet, held, leftOut }) => {
    const found = await Promise.all(
      held.map(async (instrument) => {
        try {
          return [await read({ reader, deployment, wallet, leftOut }, instrument)].flat()
        } catch (error) {
          if (isNodeFailure(error)) throw error
          leftOut(error, instrument)
          return []
        }
      }),
    )
    return found.flat()
  }
}
