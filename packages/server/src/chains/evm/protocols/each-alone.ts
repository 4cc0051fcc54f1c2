import type { PositionDraft } from '../../../domain/position.ts'
import { isNodeFailure } from '../../../lib/upstream-error.ts'
import type { HeldInstrument, LeftOut, ProtocolAdapter } from './adapter.ts'

type Scope<D> = Parameters<ProtocolAdapter<D>['positions']>[0]

export function eachAlone<D>(
  read: (
    scope: Pick<Scope<D>, 'reader' | 'deployment' | 'wallet' | 'keys' | 'leftOut'>,
    held: HeldInstrument,
  ) => Promise<PositionDraft | readonly PositionDraft[]>,
): ProtocolAdapter<D>['positions'] {
  return ({ reader, deployment, wallet, held, keys, leftOut }) =>
    readAlone(held, leftOut, async (instrument) =>
      [await read({ reader, deployment, wallet, keys, leftOut }, instrument)].flat(),
    )
}

/** Leaves out and reports a contract that refuses; a node failure rejects. */
export async function readAlone<T>(
  held: readonly HeldInstrument[],
  leftOut: LeftOut,
  read: (instrument: HeldInstrument) => Promise<readonly T[]>,
): Promise<T[]> {
  const found = await Promise.all(
    held.map(async (instrument) => {
      try {
        return await read(instrument)
      } catch (error) {
        if (isNodeFailure(error)) throw error
        leftOut(error, instrument)
        return []
      }
    }),
  )
  return found.flat()
}
