import type { PositionDraft } from '../../../domain/position.ts'
import { isNodeFailure } from '../../../lib/upstream-error.ts'
import type { HeldContract, LeftOut, PositionScope, ProtocolAdapter } from './adapter.ts'

export function eachAlone<D>(
  read: (scope: PositionScope<D>, held: HeldContract) => Promise<PositionDraft | readonly PositionDraft[]>,
): ProtocolAdapter<D>['positions'] {
  return (scope) =>
    readAlone(scope.held, scope.leftOut, async (protocolContract) => [await read(scope, protocolContract)].flat())
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
