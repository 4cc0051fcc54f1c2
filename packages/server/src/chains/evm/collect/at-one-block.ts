import { OtherBlock } from '../../rpc/json-rpc.ts'
import type { EvmReader, PlannedCall } from '../reader/evm-reader.ts'

const ATTEMPTS = 5

/** Some nodes run every call on their newest block: if it advances, restarts with all earlier calls in the first batch. */
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
