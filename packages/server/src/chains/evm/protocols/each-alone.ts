import type { PositionDraft } from '../../../domain/position.ts'
import { isNodeFailure } from '../../../lib/upstream-error.ts'
import type { HeldContract, LeftOut, ProtocolAdapter } from './adapter.ts'

type Scope<D> = Parameters<ProtocolAdapter<D>['positions']>[0]

export function eachAlone<D>(
  read: (
    scope: Pick<Scope<D>, 'reader' | 'deployment' | 'wallet' | 'keys' | 'leftOut'>,
    held: HeldContract,
  ) => Promise<PositionDraft | readonly PositionDraft[]>,
): ProtocolAdapter<D>['positions'] {
  return ({ reader, deployment, wallet, held, keys, leftOut }) =>
    readAlone(held, leftOut, async (protocolContract) =>
      [await read({ reader, deployment, wallet, keys, leftOut }, protocolContract)].flat(),
    )
}

/** Leaves out and reports a contract that refuses; a node failure rejects. */
export async function readAlone<T>(
  held: readonly HeldContract[],
  leftOut: LeftOut,
  read: (protocolContract: HeldContract) => Promise<readonly T[]>,
): Promise<T[]> {
  const found = await Promise.all(
    held.map(async (protocolContract) => {
      try {
        return await read(protocolContract)
      } catch (error) {
        if (isNodeFailure(error)) throw error
        leftOut(error, protocolContract)
        return []
      }
    }),
  )
  return found.flat()
}
