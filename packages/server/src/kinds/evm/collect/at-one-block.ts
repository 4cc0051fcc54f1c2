import { OtherBlock } from '../../rpc/json-rpc.ts'
import type { EvmReader, PlannedCall } from '../reader/evm-reader.ts'

/** As deep as reads depend on each other; each time another depth leaves with the first wave. */
const ATTEMPTS = 5

/**
 * Does work that reads one block, also at nodes that run every call on their newest one. When the chain goes on between
 * two waves there, the work starts anew at the new block, with all that was asked so far in the first wave, until one
 * wave asks everything.
 */
export async function atOneBlock<T>(
  { open, plan }: { open(plan: readonly PlannedCall[]): EvmReader; plan: readonly PlannedCall[] },
  work: (reader: EvmReader) => Promise<T>,
): Promise<T> {
  let asked = plan
  for (let left = ATTEMPTS; ; left -= 1) {
    const reader = open(asked)
    try {
      return await work(reader)
    } catch (error) {
      if (!(error instanceof OtherBlock) || left === 1) throw error
      asked = [...asked, ...reader.plan()]
    }
  }
}
